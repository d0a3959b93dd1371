"""Run one command, and end all that it started when standard input ends.

Usage: reaper.py LOG LEFTOVER COMMAND…  It prints the command's process id. Standard input is a pipe
that is held by whoever wants the command to live: however that process dies, even by SIGKILL, the
pipe closes. What the command starts and detaches (jobs, login sessions) becomes the reaper's child
and ends too. At the end the folder LEFTOVER is removed, unless that is empty.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36


def main() -> None:
    """Start the command, then wait for the end of standard input."""
    log, leftover, *command = sys.argv[1:]
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    # Ignored children would vanish unseen; here each wakes the read below, which reaps it.
    signal.signal(signal.SIGCHLD, lambda *_: reap())
    with Path(log).open("ab") as output:
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
    print(child.pid, flush=True)
    while os.read(0, 64):
        pass
    while family := descendants(os.getpid()):
        for pid in family:
            end(pid)
        reap()
        time.sleep(0.01)
    if leftover:
        shutil.rmtree(leftover, ignore_errors=True)


def reap() -> None:
    """Collect every child that has ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


def end(pid: int) -> None:
    """Kill one process, if it is still there."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def descendants(root: int) -> list[int]:
    """Children, their children and so on, as the kernel lists them now."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and (parent := parent_of(entry)):
            children.setdefault(parent, []).append(int(entry.name))
    found: list[int] = []
    queue = [root]
    while queue:
        queue = [child for pid in queue for child in children.get(pid, [])]
        found += queue
    return found


def name_of(pid: int) -> str:
    """The name of a process."""
    return Path(f"/proc/{pid}/comm").read_text().strip()


def parent_of(process: Path) -> int:
    """The parent's id; 0 when the process has just gone."""
    try:
        # The name in parentheses may hold anything, blanks and parentheses too.
        return int((process / "stat").read_text(errors="replace").rpartition(")")[2].split()[1])
    except (OSError, IndexError):
        return 0


if __name__ == "__main__":
    main()
