"""What one of Slurm's reason codes is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

AGAIN = "Cancel it, and launch it again "
"""How most advice begins."""


class Wait(StrEnum):
    """What must happen before a job starts."""

    TURN = "turn"
    """Others end, or a time comes, as with any job."""
    LIMIT = "limit"
    """Others of the same account, user or QOS end, or a budget is renewed."""
    BLOCKED = "blocked"
    """An administrator brings nodes or a partition back."""
    VAIN = "vain"
    """Somebody acts on the job itself."""


@dataclass(frozen=True)
class Reason:
    """One of Slurm's reason codes: what it means, and what must happen before the job starts."""

    code: str
    """As squeue writes it; matches where the printed reason begins with it."""
    words: str
    """A sentence on the job ("it") without its full stop."""
    wait: Wait = Wait.TURN
    helps: str = ""
    """What can be done, in sentences; `{job}` is its id."""
    alone: str = ""
    """What it means, in such a sentence, where nothing else of the user runs."""
