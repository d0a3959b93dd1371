"""What a launch rests on at the login node, in one round trip."""

from __future__ import annotations

from dataclasses import dataclass

from bot.errors import CommandFailed
from bot.ports import Output, Query

PROGRAMS = ("sbatch", "squeue", "sinfo", "scontrol", "scancel", "sacct", "setsid", "flock", "sync")
"""What the bot calls there."""

# $1: the recipes' folder, $2: the image, $3: the cache folder; then the programs. One line each.
_PROBE = r"""
recipes=$1 image=$2 cache=$3; shift 3
line() { printf '%s\037%s\n' "$1" "$2"; }
line host "$(cat /proc/sys/kernel/hostname 2>/dev/null)"
line home "$HOME"
[ -w "$HOME" ] && line writable yes
line free "$(df -Pk "$HOME" 2>/dev/null | awk 'NR == 2 { print $4 }')"
line kind "$(stat -f -c %T "$HOME" 2>/dev/null)"
for program; do command -v "$program" >/dev/null && line program "$program"; done
if mkdir -p -m 700 "$HOME/.sbatchat" && flock -n "$HOME/.sbatchat/probe" true; then
  line locks yes
fi
line mode "$(stat -c %a "$HOME/.sbatchat" 2>/dev/null)"
grep -qs '^ *KillUserProcesses *= *yes' /etc/systemd/logind.conf && line kills yes
if [ -n "$recipes" ] && [ -r "$recipes/run.py" ]; then
  line recipes yes
  line commit "$(cd "$recipes" && git rev-parse --short HEAD 2>/dev/null)"
fi
[ -n "$image" ] && [ -r "$image" ] && line image yes
near=$cache
while [ -n "$near" ] && [ ! -e "$near" ]; do near=${near%/*}; done
[ -n "$cache" ] && [ -w "${near:-/}" ] && line cache yes
exit 0
"""


@dataclass(frozen=True)
class Ground:
    """What was found on a login node."""

    host: str
    home: str
    writable: bool
    free_kb: int | None
    kind: str
    """The home's file system, as stat names it: `nfs`, `ext2/ext3`."""
    programs: frozenset[str]
    locks: bool
    mode: str
    """Of the folder with the spools, `700`."""
    kills: bool
    """systemd ends what a login leaves behind, runners of launches included."""
    recipes: bool
    commit: str
    image: bool
    cache: bool


def probe(recipes: str, image: str, cache: str) -> Query[Ground]:
    """Ask about the home folder, the programs, and the paths that are configured."""
    return Query(_PROBE, _ground, (recipes, image, cache, *PROGRAMS), name="probe")


def _ground(output: Output) -> Ground:
    if output.status != 0:
        raise CommandFailed("The login node could not be looked at", stderr=output.stderr)
    pairs = [line.split("\x1f", 1) for line in output.stdout.splitlines() if "\x1f" in line]
    said = dict(pairs)
    free = said.get("free", "")
    return Ground(
        host=said.get("host", ""),
        home=said.get("home", ""),
        writable="writable" in said,
        free_kb=int(free) if free.isdigit() else None,
        kind=said.get("kind", ""),
        programs=frozenset(value for name, value in pairs if name == "program"),
        locks="locks" in said,
        mode=said.get("mode", ""),
        kills="kills" in said,
        recipes="recipes" in said,
        commit=said.get("commit", ""),
        image="image" in said,
        cache="cache" in said,
    )
