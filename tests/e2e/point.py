"""A kill point: what a person asks for, what goes wrong meanwhile, and what must come of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from typing_extensions import override

from tests.e2e.harm import Harm
from tests.e2e.journal_kill import Death

Fault = Mapping[str, Any]

PLAIN = "/slurm submit jobs/sleep.sh -J {name} -- 2"
"""Runs at once; lives through pending, running and completed."""
ASKS = "/slurm submit jobs/sleep.sh -J {name} -G 1 --time 5 -- 2"
"""Costs GPU-hours, so that a card asks first."""
NEMO = "/nemo run cpt/llama3p1_2b_cpt.py -p a3u --time 5 --experiment-name {name}"
"""Asks as well, and goes through run.py and the shim."""

FLAKY = "/slurm submit jobs/flaky.sh -J {name} --retries 1 -- 1 port"
"""Fails in a way that passes; the second attempt completes."""


@dataclass(frozen=True, kw_only=True)
class Point:
    """One way in which it may go wrong; the whole of it happens while one request is in flight."""

    id: str
    typed: str = PLAIN
    deaths: tuple[Death | float, ...] = ()
    """How the lives of the bot end, one after the other: at a step, or after seconds."""
    cuts: tuple[float, ...] = ()
    """Seconds after the typing at which the bot's SSH connection is cut."""
    harm: Harm | None = None
    """What is done on the login node."""
    faults: tuple[Fault, ...] = ()
    """What Slack is told to do before anybody types."""
    later: tuple[Fault, ...] = ()
    """The same, after the typing; where a card asks, before the click."""
    clicks: int = 1
    """How many times *Submit* is pressed at the same moment, where a card asks."""
    also: str = ""
    """Another line typed once the first has been carried out."""
    undecided: bool | None = False
    """Whether nobody can know if Slurm took it, so that a person decides; None is perhaps."""
    ends: str = "Completed"
    jobs: int = 1

    @property
    def name(self) -> str:
        """The job's name, which no other point uses."""
        return "k-" + "".join(c if c.isalnum() or c in "._" else "-" for c in self.id)[:60]

    @property
    def timed(self) -> bool:
        """Whether all deaths come by the clock, and so for certain."""
        return all(isinstance(death, float) for death in self.deaths)

    @property
    def slow(self) -> bool:
        """Whether it takes minutes: Slurm is searched for a job, or NeMo-Run launches."""
        return self.undecided is not False or self.typed == NEMO

    @property
    def line(self) -> str:
        """What is typed."""
        return self.typed.format(name=self.name)

    @property
    def asks(self) -> bool:
        """Whether a card asks before anything is submitted."""
        return self.typed in {ASKS, NEMO}

    @override
    def __str__(self) -> str:
        return self.id


@dataclass
class Outcome:
    """What came of a point."""

    retyped: int = 0
    """How often the person had to type again."""
    deaths: int = 0
    """How many lives ended as they should."""
    steps: list[str] = field(default_factory=list)
