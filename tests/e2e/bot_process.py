"""The bot as a process of its own, with a database of its own; it can be killed and lives again."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import signal
from collections.abc import Mapping
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

from tests.e2e.journal_kill import Death, Life, live

# A server that has imported the bot forks each life: the imports are paid once, not 200 times.
_LIVES = multiprocessing.get_context("forkserver")
_LIVES.set_forkserver_preload(["bot.wiring", "tests.e2e.journal_kill"])


class BotProcess:
    """`python -m bot run` with certain settings; one process at a time."""

    def __init__(self, *, environment: Mapping[str, str], log: Path) -> None:
        self._environment = environment
        self.log = log
        self._process: ForkServerProcess | None = None

    @property
    def alive(self) -> bool:
        """Whether the process is there."""
        return self._process is not None and self._process.is_alive()

    def start(self, death: Death | None = None) -> None:
        """Begin a life, which may be a short one."""
        assert not self.alive
        self._process = _LIVES.Process(
            target=live, args=(Life(self._environment, self.log, death),), daemon=True
        )
        self._process.start()

    @property
    def killed(self) -> bool:
        """Whether the last life ended by SIGKILL."""
        return self._process is not None and self._process.exitcode == -signal.SIGKILL

    @property
    def pid(self) -> int:
        """The number of the living process."""
        assert self._process is not None
        assert self._process.pid is not None
        return self._process.pid

    async def kill(self) -> None:
        """SIGKILL: no handler runs, nothing is written."""
        assert self._process is not None
        self._process.kill()
        await self.died()

    async def stop(self) -> None:
        """SIGTERM, as an administrator's restart; SIGKILL when that takes long."""
        if self._process is None or not self.alive:
            return
        self._process.terminate()
        try:
            async with asyncio.timeout(10):
                await self.died()
        except TimeoutError:
            await self.kill()

    async def died(self) -> None:
        """Wait for the end of the process."""
        while self.alive:
            await asyncio.sleep(0.02)

    def journal(self) -> list[dict[str, Any]]:
        """What all lives have logged so far."""
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        return [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]

    def steps(self) -> list[str]:
        """The named steps of all lives, in order."""
        return [line["action"] for line in self.journal() if "action" in line]
