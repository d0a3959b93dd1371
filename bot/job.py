"""A job: what Slurm says of it, and what the bot knows beyond that."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from enum import StrEnum

from pydantic import AwareDatetime

from bot.card import Button
from bot.course import Course, Worry
from bot.model import Numerous, Value


class State(StrEnum):
    """Where a job is in its life, in the bot's words."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETING = "completing"
    SUSPENDED = "suspended"
    SETTLING = "settling"
    LOST = "lost sight"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    TIMEOUT = "timeout"
    OUT_OF_MEMORY = "out of memory"
    NODE_FAIL = "node fail"
    PREEMPTED = "preempted"
    DEADLINE = "deadline"
    BOOT_FAIL = "boot fail"
    UNKNOWN = "unknown"

    @property
    def ended(self) -> bool:
        """Whether the job will not run again by itself."""
        return self in _ENDED

    @property
    def good(self) -> bool:
        """Whether it ended as wished."""
        return self is State.COMPLETED


_HOLDS = frozenset({State.RUNNING, State.SUSPENDED, State.COMPLETING})
"""States in which a job holds its nodes."""
_ENDED = frozenset(
    {
        State.COMPLETED,
        State.FAILED,
        State.CANCELLED,
        State.TIMEOUT,
        State.OUT_OF_MEMORY,
        State.NODE_FAIL,
        State.PREEMPTED,
        State.DEADLINE,
        State.BOOT_FAIL,
        State.LOST,
    }
)


class Observation(Numerous):
    """What Slurm says of one job now; None or empty where that source does not say."""

    id: str
    """As Slurm prints it: `75`, `202_3`, `123+1`."""
    state: State
    raw: str
    """Slurm's own state word."""
    reason: str = ""
    dependency: str = ""
    """What it waits for, in Slurm's words: `afterok:74(unfulfilled)`, `singleton(unfulfilled)`."""
    name: str = ""
    user: str = ""
    account: str = ""
    partition: str = ""
    qos: str = ""
    nodes: int = 0
    node_list: str = ""
    gpus: int | None = None
    time_limit: timedelta | None = None
    submitted: datetime | None = None
    started: datetime | None = None
    """When it began, or, while pending, when Slurm expects it to."""
    ended: datetime | None = None
    elapsed: timedelta | None = None
    exit_code: str = ""
    """`code:signal`, from scontrol where possible (sacct masks codes with 127)."""
    restarts: int | None = None
    comment: str = ""
    workdir: str = ""
    stdout: str = ""
    stderr: str = ""
    """Empty where it goes to the same file."""
    cancelled_by: str = ""
    """The account that cancelled it, where sacct says so."""

    @property
    def job(self) -> str:
        """The id without array task or component: `202_3` → `202`."""
        return base_id(self.id)


def base_id(slurm_id: str) -> str:
    """Return the number a Slurm id begins with: `202_[2-3%2]` → `202`."""
    found = re.match(r"\d+", slurm_id)
    return found.group() if found else ""


EXTENSION = timedelta(hours=2)
"""By how much one click extends an interactive job's stay."""


class Session(Value):
    """What is known of an interactive job beyond the job: how one gets in, how long it may stay."""

    stay: timedelta
    """How long after its start it is released; extensions included."""
    attempt: int = 0
    """The attempt of the job that `attach` and `told` belong to."""
    attach: str = ""
    """The script that leads into it, an absolute path on the cluster; empty until it is there."""
    told: str = ""
    """The newest telling line of its logs while it came up."""
    idle_since: AwareDatetime | None = None
    """When its GPUs were first seen without work, if they have had none since."""
    expired: bool = False
    """The bot releases it, or has released it, since its time was up."""


class Tally(Value):
    """What accounting adds to how a job ended; empty where it keeps none."""

    steps: tuple[str, ...] = ()
    """Slurm's state words of the steps, in their order."""
    worst: str = ""
    """The worst exit code of a step, `code:signal`; the script may have gone on after it."""
    stopped_by: str = ""
    """The account or uid that cancelled a step."""
    used: int = 0
    """Bytes of memory of the greediest task."""
    asked: int = 0
    """Bytes of memory on each node that the job had."""

    @property
    def failed_step(self) -> str:
        """The exit code with which a step failed by itself; accounting adds up all attempts."""
        code, _, signal = self.worst.partition(":")
        return code if "FAILED" in self.steps and code != "0" and signal == "0" else ""


class Job(Numerous):
    """A job the bot follows: the newest observation of it, and how it got here."""

    cluster: str
    id: str
    """Number of the job; array tasks and components are counted in `tasks`."""
    request: str
    channel: str = ""
    """Where it is told of."""
    caller: str = ""
    """The Slack user who asked for it."""
    seen: Observation
    tasks: tuple[tuple[State, int], ...] = ()
    """Array tasks or components by state; empty for a plain job."""
    nth: int = 1
    """Which attempt of its launch it is; `of` is how many there may be."""
    of: int = 1
    last: bool = False
    """No further attempt follows, though there might have been one."""
    attempt: int = 1
    """Which run of it: Slurm may requeue it."""
    settling_since: AwareDatetime | None = None
    created: AwareDatetime
    settled: bool = False
    """The ending was explained; nothing is left to do."""
    namesakes: tuple[str, ...] = ()
    """Earlier jobs of its name that must end before it starts, where Slurm makes it wait so."""
    stopped_by: str = ""
    """Slack user who cancelled it from here."""
    progress: str = ""
    """How far training has come, in words; empty when the log does not say."""
    course: Course | None = None
    """How its steps follow each other, where its log shows some."""
    waits_since: AwareDatetime | None = None
    """Since when it has waited for what may not come: a limit, a drained partition."""
    told: tuple[str, ...] = ()
    """What its person was warned of, as `ATTEMPT/WARNING`."""
    result: str = ""
    """What it made, in words, when it ended well and its log says so."""
    label: str = ""
    """The diagnosis of the last attempt that failed, by label."""
    cause: str = ""
    """The same as a sentence."""
    transient: bool = False
    """Whether running it again as it is plausibly helps against that."""
    blamed: tuple[str, ...] = ()
    """The nodes that are to blame for it."""
    mend: Button | None = None
    """What most likely mends it, as its own message offers it; None once that was done."""
    session: Session | None = None
    """Only an interactive job has one."""

    @property
    def open(self) -> bool:
        """Whether the bot still has to look at it or to explain it."""
        return not self.settled

    @property
    def key(self) -> str:
        """The name of the job across clusters: `alice:75`."""
        return f"{self.cluster}:{self.id}"

    @property
    def wished(self) -> bool:
        """Whether it was ended from here: by a person, or since its time was up."""
        return bool(self.stopped_by) or (self.session is not None and self.session.expired)

    @property
    def ends(self) -> datetime | None:
        """When its time limit ends it; None before its start, and without a limit."""
        started, limit = self.seen.started, self.seen.time_limit
        return started + limit if started is not None and limit is not None else None

    @property
    def worries(self) -> tuple[Worry, ...]:
        """What is wrong with its training as it runs now; nothing once somebody ends it."""
        runs = self.seen.state is State.RUNNING and not self.wished
        current = self.course is not None and self.course.attempt == self.attempt
        return self.course.worries if self.course is not None and runs and current else ()

    @property
    def attach(self) -> str:
        """The script that leads into the interactive job as it runs now, or empty."""
        current = self.session is not None and self.session.attempt == self.attempt
        return self.session.attach if self.session is not None and current else ""

    @property
    def extension(self) -> timedelta:
        """By how much one click extends its stay; nothing where Slurm's own limit is reached."""
        if self.session is None:
            return timedelta()
        limit = self.seen.time_limit
        room = EXTENSION if limit is None else min(EXTENSION, limit - self.session.stay)
        return max(room, timedelta())

    @property
    def releases(self) -> datetime | None:
        """When a running interactive job is released: by the bot or, if earlier, by Slurm."""
        seen = self.seen
        if self.session is None or seen.started is None or seen.state not in _HOLDS:
            return None
        limits = (self.session.stay, seen.time_limit)
        return seen.started + min(limit for limit in limits if limit is not None)
