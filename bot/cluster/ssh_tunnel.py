"""A program whose standard input and output lead to a login node, such as gcloud's tunnel.

What it warns of on its standard error is no part of the connection; it tells why there is none.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from contextlib import suppress

_KEPT = 2000
"""Bytes of the program's last words."""
_LAST_WORDS = 1.0
"""Seconds in which a program that ended may have them read."""


class Tunnel:
    """A running program, and the socket that leads through it."""

    def __init__(self, process: asyncio.subprocess.Process, sock: socket.socket) -> None:
        self.sock = sock
        self._process = process
        self._words = bytearray()
        self._tending = asyncio.get_running_loop().create_task(self._tend())

    @classmethod
    async def open(cls, command: Sequence[str]) -> Tunnel:
        """Start the program; raises OSError when there is none."""
        ours, theirs = socket.socketpair()
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is for the bot
            )
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        ours.setblocking(False)
        return cls(process, ours)

    async def _tend(self) -> None:
        """Read what it says until it ends."""
        stderr = self._process.stderr
        while stderr is not None and (words := await stderr.read(4096)):
            self._words += words
            del self._words[:-_KEPT]
        await self._process.wait()

    async def close(self) -> str:
        """End the program; return its last words. May be called again."""
        with suppress(TimeoutError):
            # One that failed by itself has something to say.
            patience = _LAST_WORDS if self._process.returncode is not None else 0.1
            await asyncio.wait_for(asyncio.shield(self._tending), patience)
        self.sock.close()
        with suppress(ProcessLookupError):
            self._process.kill()
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._tending), _LAST_WORDS)
        lines = self._words.decode("utf-8", "replace").split("\n")
        return " ".join(" ".join(lines).split())[-300:]
