"""One daemon: started under a reaper, watched until it answers, stopped with all it started."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from bot.demo.cluster import reaper
from bot.demo.cluster.errors import ClusterError

_PATIENCE = 60.0  # seconds until a daemon must answer; a busy machine needs some
_REAPER = (sys.executable, "-I", "-S", reaper.__file__)
_TAIL = 8  # lines of its log that explain a failure


@dataclass(frozen=True)
class Spec:
    """What a daemon is: how it is called, as whom, where, and how one sees that it answers."""

    name: str
    argv: tuple[str, ...]
    user: str
    port: int | None = None  # answers here …
    socket: Path | None = None  # … or has this socket, as the starter sees it
    node: str | None = None  # on the login node when None
    leftover: Path | None = None  # a folder that must not outlive it


class Daemon:
    """A running daemon and everything that descends from it."""

    def __init__(self, spec: Spec, log: Path) -> None:
        self.spec = spec
        self._log = log
        self._reaper: subprocess.Popen[bytes] | None = None
        self.pid = 0

    @property
    def alive(self) -> bool:
        """Whether the daemon's own process is there."""
        return bool(self.pid) and _exists(self.pid)

    async def start(self, argv: Sequence[str], environment: Mapping[str, str]) -> None:
        """Start it and wait until it answers."""
        # Popen rather than asyncio's: a daemon may outlive the event loop that started it.
        self._reaper = subprocess.Popen(
            [*_REAPER, str(self._log), str(self.spec.leftover or ""), *argv],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=dict(environment),
            start_new_session=True,  # Ctrl-C is for the starter, which stops things in order
        )
        assert self._reaper.stdout is not None  # noqa: S101 - PIPE was asked for
        self.pid = int(await asyncio.to_thread(self._reaper.stdout.readline) or b"0")
        await until(self.answers, self.explain, died=lambda: not self.alive)

    def answers(self) -> bool:
        """Whether it can be talked to now."""
        if self.spec.socket is not None:
            return self.spec.socket.exists()
        return self.spec.port is None or _listens(self.spec.port)

    def explain(self, what: str) -> ClusterError:
        """The error that says *what* happened, with the last lines of the log."""
        lines = self._log.read_text(errors="replace").splitlines() if self._log.exists() else []
        said = "\n".join(f"    {line}" for line in lines[-_TAIL:]) or "    (it said nothing)"
        return ClusterError(f"{self.spec.name} {what}; its log {self._log} ends with:\n{said}")

    def signal(self, number: signal.Signals) -> None:
        """Send the daemon itself a signal; what it started goes on."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def family(self) -> list[int]:
        """Every process that descends from the daemon, detached ones included."""
        return reaper.descendants(self._reaper.pid) if self._reaper else []

    async def stop(self, patience: float = 5.0) -> None:
        """End the daemon in its own way; what it started goes on."""
        self.signal(signal.SIGTERM)
        deadline = time.monotonic() + patience
        while self.alive and time.monotonic() < deadline:
            await asyncio.sleep(0.02)
        self.signal(signal.SIGKILL)

    async def end(self) -> None:
        """Kill whatever is left of it, at once."""
        process, self._reaper, self.pid = self._reaper, None, 0
        if process is None:
            return
        with process:  # closes the pipe, which is what the reaper waits for
            assert process.stdin is not None  # noqa: S101 - PIPE was asked for
            process.stdin.close()
            while process.poll() is None:
                await asyncio.sleep(0.02)


async def until(
    done: Callable[[], bool],
    explain: Callable[[str], ClusterError],
    *,
    died: Callable[[], bool] = lambda: False,
    patience: float = _PATIENCE,
) -> None:
    """Wait for *done*; raise what *explain* makes of a death or of waiting too long."""
    deadline = time.monotonic() + patience
    while not done():
        if died():
            raise explain("ended while it was starting")
        if time.monotonic() > deadline:
            raise explain(f"did not answer within {patience:.0f} s")
        await asyncio.sleep(0.03)


def _listens(port: int) -> bool:
    with closing(socket.socket()) as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
