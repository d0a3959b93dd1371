"""Harm on the login node: programs that stand first in the bot's remote PATH.

The n-th call of one of them kills its caller, its process group or its SSH connection; everything
else goes to the real program. The bot is told of the folder by its `path` setting, no more.
"""

from __future__ import annotations

from dataclasses import dataclass

from typing_extensions import override

from bot.demo.cluster import EmbeddedCluster

WRAPPED = ("mkdir", "flock", "chmod", "setsid", "sync", "mv", "cat", "tail", "sbatch")
"""Every external command of a launch."""
ASKED = ("readlink", "sinfo", "squeue", "scontrol", "stat")
"""Commands of the questions around a launch: preflight, partitions, ticks, details, logs."""

_WRAPPER = """\
#!/bin/sh
# {name}: as the real one, but does harm at one of its calls.
real=$(PATH=${{PATH#*{folder}:}}; command -v {name})
read -r program nth when word <"{folder}/armed" || exec "$real" "$@"
[ -z "$word" ] || case " $* " in *" $word "*) ;; *) exec "$real" "$@" ;; esac
echo {name} >>"{folder}/steps"
[ "$program" = {name} ] && [ "$(grep -cx {name} "{folder}/steps")" = "$nth" ] || exec "$real" "$@"

connection() {{
  pid=$PPID
  while [ "$pid" -gt 1 ]; do
    read -r _ comm _ parent _ <"/proc/$pid/stat"
    case $comm in "(sshd"*) kill -9 "$pid"; return ;; esac
    pid=$parent
  done
}}

case $when in
  before) kill -9 $PPID; exit 1 ;;
  group) kill -9 0 ;;
  self) kill -9 $$ ;;
  cut) connection; exec "$real" "$@" ;;
  lost) "$real" "$@" >/dev/null 2>&1; kill -9 $PPID; exit 1 ;;
  late) "$real" "$@" >/dev/null 2>&1
    echo "{name}: error: Batch job submission failed: Socket timed out on send/recv operation" >&2
    exit 1 ;;
  slow) "$real" "$@"; status=$?; sleep 9; exit $status ;;
esac
"$real" "$@"
status=$?
case $when in
  after) kill -9 $PPID ;;
  group-after) kill -9 0 ;;
  cut-after) connection ;;
esac
exit $status
"""


@dataclass(frozen=True)
class Harm:
    """At the n-th call of a program, what is done.

    `before`, `after`: its caller is killed; `group`, `group-after`: the caller's whole process
    group; `self`: the program itself; `cut`, `cut-after`: the SSH connection's server side. For
    sbatch alone, `lost`: Slurm takes the job, but its answer goes nowhere and the caller dies;
    `late`: Slurm takes the job, and sbatch reports a time-out; `slow`: it stays for 9 s after it.
    """

    program: str
    nth: int
    when: str
    word: str = ""
    """Only calls with this word among their arguments count."""

    @override
    def __str__(self) -> str:
        return f"{self.program}.{self.nth}-{self.when}"


class Harmful:
    """A folder of such programs in the login account's home."""

    def __init__(self, cluster: EmbeddedCluster, name: str) -> None:
        address = cluster.address
        self.inside = f"{address.home}/harm/{name}"
        self._outside = address.key.parents[1] / "home" / address.user / "harm" / name

    def write(self, harm: Harm) -> None:
        """Make the programs, armed."""
        self._outside.mkdir(parents=True)
        (self._outside / "armed").write_text(f"{harm.program} {harm.nth} {harm.when} {harm.word}\n")
        (self._outside / "steps").touch()
        (self._outside / "steps").chmod(0o666)
        for name in (*WRAPPED, *ASKED):
            wrapper = self._outside / name
            wrapper.write_text(_WRAPPER.format(name=name, folder=self.inside))
            wrapper.chmod(0o755)

    def called(self) -> list[str]:
        """The programs that were called, in order."""
        return (self._outside / "steps").read_text().split()
