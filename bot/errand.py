"""An errand: a long step on the login node that is no Slurm job, and what is known of it."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import AwareDatetime

from bot.model import Caller, Value


class ErrandStage(StrEnum):
    """How far an errand has come."""

    ACCEPTED = "accepted"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"

    @property
    def open(self) -> bool:
        """Whether the bot still has to see to it."""
        return self in {ErrandStage.ACCEPTED, ErrandStage.RUNNING}


class StepState(StrEnum):
    """How one step of an errand went."""

    RUNNING = "running"
    DONE = "done"
    THERE = "there"
    """Nothing was to do."""
    KEPT = "kept"
    """It was left as it is, since what lies there is somebody's own work."""
    FAILED = "failed"


class Step(Value):
    """One step, as the script on the login node marked it."""

    name: str
    """The plan's own name of it: `venv`, `copy`."""
    state: StepState
    began: AwareDatetime
    ended: AwareDatetime | None = None
    said: str = ""
    """A version, a path, a commit; a code when it was kept or failed."""
    detail: str = ""


class Growth(Value):
    """A file that is being written, in bytes."""

    size: int
    total: int
    left: float | None = None
    """Seconds until it is whole at this pace; None while that is not known."""


class Errand(Value):
    """One act's wish to have something done on a login node, at most once at a time."""

    id: str
    cluster: str
    kind: str
    """The command that made it: `nemo image pull`, `nemo setup`."""
    target: str
    """What it makes: two errands of a kind on one cluster with the same target are one."""
    args: tuple[str, ...]
    """What its script is given; never a secret."""
    options: dict[str, Any]
    """The validated model's fields, as JSON values."""
    typed: str
    caller: Caller
    created: AwareDatetime
    title: str
    hint: str = ""
    """What to do next, once it is done; words in `backticks` are to be typed."""
    revision: int = 0
    """Grows with each change that is kept."""
    stage: ErrandStage = ErrandStage.ACCEPTED
    steps: tuple[Step, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    """What was verified, by name: `commit`, `version`."""
    growth: Growth | None = None
    line: str = ""
    """The last line that the running step wrote."""
    tail: str = ""
    """The end of what it wrote, when it failed."""
    failure: str = ""
    """The code of what went wrong."""
    ended: AwareDatetime | None = None
    stopper: str = ""
    """Slack user who wants it stopped."""
    trouble: str = ""
    """Why the cluster cannot be asked."""

    @property
    def open(self) -> bool:
        """Whether the bot still has to see to it."""
        return self.stage.open
