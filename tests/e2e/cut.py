"""Cut one bot's SSH connections, from the server's side; the others' stay."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def cut(bot: int, port: int) -> int:
    """Kill the sshd sessions behind the connections from process *bot* to *port*; how many."""
    sockets, held = list(_sockets()), _inodes(bot)
    ours = {one.local for one in sockets if one.inode in held and one.remote == port}
    served = {one.inode for one in sockets if one.local == port and one.remote in ours}
    killed = 0
    for process in Path("/proc").iterdir():
        if process.name.isdecimal() and served & _inodes(int(process.name)):
            with suppress(ProcessLookupError):
                os.kill(int(process.name), signal.SIGKILL)
                killed += 1
    return killed


class _Socket:
    """One line of /proc/net/tcp: ports and inode."""

    def __init__(self, line: str) -> None:
        _, local, remote, *rest = line.split()
        self.local, self.remote = (int(end.rpartition(":")[2], 16) for end in (local, remote))
        self.inode = rest[6]


def _sockets() -> Iterator[_Socket]:
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        yield _Socket(line)


def _inodes(pid: int) -> set[str]:
    found = set()
    with suppress(OSError):
        for fd in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                target = str(fd.readlink())
                if target.startswith("socket:["):
                    found.add(target[8:-1])
    return found
