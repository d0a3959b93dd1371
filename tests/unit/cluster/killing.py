"""Kill the remote side at any step: programs that stand first in PATH kill their parent.

Each external command is a step. A recording run lists them; then for each a run is made in which
the command's caller (starter, runner or shim) is killed just before or just after it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

WHEN = ("before", "after", "all", "all-after")
COMMANDS = ("mkdir", "flock", "chmod", "setsid", "sync", "mv", "tail", "sbatch")

WRAPPER = """#!/bin/sh
# {name}: as the real one, but kills its caller where it is told to.
here={folder}
[ -e "$here/armed" ] || exec {real} "$@"
echo {name} >>"$here/steps"
step=$(wc -l <"$here/steps")
read -r at when <"$here/armed"
if [ "$step" = "$at" ] && [ "$when" = before ]; then kill -9 $PPID; exit 1; fi
if [ "$step" = "$at" ] && [ "$when" = all ]; then kill -9 0; fi
{real} "$@"
status=$?
if [ "$step" = "$at" ] && [ "$when" = after ]; then kill -9 $PPID; fi
if [ "$step" = "$at" ] && [ "$when" = all-after ]; then kill -9 0; fi
exit $status
"""


@dataclass(frozen=True)
class Killer:
    """A folder of wrappers, to be put first in PATH."""

    folder: Path

    def write(self, real: dict[str, str]) -> None:
        """Make a wrapper for each command; `real` is the path of the real one."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for name, path in real.items():
            wrapper = self.folder / name
            wrapper.write_text(WRAPPER.format(name=name, folder=self.folder, real=path))
            wrapper.chmod(0o755)

    def arm(self, step: int, when: str) -> None:
        """Kill at the n-th command from now; step 0 only records.

        `before` and `after` it its caller is killed, at `all` and `all-after` the whole process
        group: a runner with its launcher and shim, or everything that the connection started.
        """
        (self.folder / "steps").write_text("")
        (self.folder / "armed").write_text(f"{step} {when}\n")

    def reached(self, step: int) -> bool:
        """Whether the n-th command was called: what is to be killed there is being killed."""
        return len((self.folder / "steps").read_text().split()) >= step

    def disarm(self) -> list[str]:
        """Let everything pass again; return the commands that were called."""
        (self.folder / "armed").unlink(missing_ok=True)
        return (self.folder / "steps").read_text().split()
