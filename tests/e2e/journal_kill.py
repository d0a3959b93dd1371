"""One life of the real bot, ended by its own journal: killed when it logs a certain step.

Nothing in the bot is changed. A handler beside the bot's own listens to what is logged, and sends
this process SIGKILL from inside the call: what stands after that line never runs.
"""

from __future__ import annotations

import ctypes
import logging
import os
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from typing_extensions import override

from bot.__main__ import main

_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Death:
    """When a life ends: at the n-th time that a step is logged."""

    step: str
    nth: int = 1


@dataclass(frozen=True)
class Life:
    """What a process of the bot is started with."""

    environment: Mapping[str, str]
    log: Path
    death: Death | None = None


class KillAt(logging.Handler):
    """Kills this process, as the kernel's memory killer would, at a step."""

    def __init__(self, death: Death) -> None:
        super().__init__()
        self._step, self._left = death.step, death.nth

    @override
    def emit(self, record: logging.LogRecord) -> None:
        if getattr(record, "action", "") != self._step:
            return
        self._left -= 1
        if self._left == 0:
            # The bot's own handler comes later, and so never.
            os.write(2, f'{{"action": "{self._step}", "killed": true}}\n'.encode())
            os.kill(os.getpid(), signal.SIGKILL)


def live(life: Life) -> None:
    """Be the bot: `python -m bot run`, with its output in a file."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    log = os.open(life.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(log, 1)
    os.dup2(log, 2)
    for name in [name for name in os.environ if name.startswith("SLACK_")]:
        del os.environ[name]
    os.environ.update(life.environment)
    if life.death is not None:
        # Not at the root: the bot sets that one up itself, and only if nobody did.
        handler = KillAt(life.death)
        for package in ("bot", "handlers"):
            logging.getLogger(package).addHandler(handler)
    sys.exit(main(["run", "--verbose"]))
