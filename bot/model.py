"""The values the bot speaks of: acts of people, requests, launches, jobs."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache
from hashlib import sha256
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict
from typing_extensions import override


class Value(BaseModel):
    """A frozen value that knows its fields and no others."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Numerous(Value):
    """A value of which ten thousand are held in memory.

    Which fields were given is not remembered one by one: that takes three times the room of the
    values themselves.
    """

    @override
    def model_post_init(self, context: Any, /) -> None:
        object.__setattr__(self, "__pydantic_fields_set__", _all_fields(type(self)))


@cache
def _all_fields(model: type[BaseModel]) -> set[str]:
    return set(model.model_fields)


def derive(*parts: str) -> str:
    """Return the id of an act: the same parts always give the same 20 hex digits."""
    return sha256("\x1f".join(parts).encode()).hexdigest()[:20]


class Caller(Value):
    """Who asks, and where: Slack ids; `thread` is the root message's ts or empty."""

    team: str
    user: str
    channel: str
    thread: str = ""


class ActKind(StrEnum):
    """How a person reached the bot."""

    SLASH = "slash"
    MENTION = "mention"
    BUTTON = "button"
    SELECT = "select"
    CLOCK = "clock"
    """Nobody: the time had come."""


class Act(Value):
    """One thing a person did in Slack, stored before it is acknowledged."""

    id: str
    kind: ActKind
    caller: Caller
    at: AwareDatetime
    command: str = ""
    """`/nemo`, `/nemo-rl`, `/slurm`; empty for a mention."""
    text: str = ""
    leaked: tuple[str, ...] = ()
    """Kinds of secrets that stood in the text and were taken out of it; see `bot.leaks`."""
    reply_url: str = ""
    action: str = ""
    """The action_id of the button or select."""
    value: str = ""
    message_ts: str = ""
    ephemeral: bool = False
    """Whether that message is seen by its person alone, and changed on its reply URL alone."""


class Stage(StrEnum):
    """How far a request has come on its way to Slurm."""

    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    SUBMITTED = "submitted"
    REFUSED = "refused"
    UNKNOWN = "unknown"
    WITHDRAWN = "withdrawn"

    @property
    def open(self) -> bool:
        """Whether the bot still has to do something about it by itself."""
        return self in {Stage.ACCEPTED, Stage.UNKNOWN}


class Resources(Value):
    """What a request asks of the cluster; None where only the cluster can know."""

    partition: str = ""
    nodes: int = 1
    gpus_per_node: int | None = None
    time: timedelta | None = None
    """Slurm's time limit."""
    stay: timedelta | None = None
    """After which the bot ends it, where that comes before the time limit."""

    @property
    def length(self) -> timedelta | None:
        """How long it lasts at most as things stand; None without an end."""
        ends = [end for end in (self.time, self.stay) if end is not None]
        return min(ends, default=None)

    @property
    def gpu_hours(self) -> float | None:
        """nodes × GPUs × hours, or None without an end or a GPU count."""
        if self.length is None or self.gpus_per_node is None:
            return None
        return self.nodes * self.gpus_per_node * self.length.total_seconds() / 3600

    @property
    def gpus(self) -> int | None:
        """GPUs over all nodes."""
        return None if self.gpus_per_node is None else self.nodes * self.gpus_per_node


class Quote(Value):
    """What was known of the cluster when the request was made."""

    free: int | None = None
    """Nodes of the partition that were free."""
    nodes: int | None = None
    """Nodes of the partition in all."""
    starts: AwareDatetime | None = None
    """When `sbatch --test-only` expects the resources to be there."""
    note: str = ""
    """What Slurm said instead of a start: it cannot run so."""
    silence: str = ""
    """Why Slurm said nothing about a start, which is no reason to stop."""
    limit_from: str = ""
    """Where the time limit comes from when it was not asked for: `partition` or nothing."""


class File(Value):
    """A file of ours that a launch needs on the cluster."""

    path: str
    """Absolute."""
    text: str
    of: str = ""
    """The file it is a changed copy of."""
    change: str = ""
    """What differs from that, as `- old` and `+ new` lines."""


class Launch(Value):
    """What runs on the login node: an argument list, its folder and environment.

    `sbatch_options` are those that the launcher has no flag for; the shim adds them to each
    `sbatch` that the launcher calls.
    """

    argv: tuple[str, ...]
    cwd: str
    env: tuple[tuple[str, str], ...] = ()
    sbatch_options: tuple[str, ...] = ()
    files: tuple[File, ...] = ()
    """Laid down before it starts, for the login account's eyes only."""
    folders: tuple[str, ...] = ()
    """Made before it starts where they are not there: containers mount only what is."""
    secrets: bool = False
    """Whether the secrets on the cluster belong into its environment."""
    auth: str = ""
    """Path of a file of shell variables that shall hold them as well: NeMo-RL's `auth.sh`."""


class Task(Value):
    """One task of an experiment of NeMo-Run."""

    name: str
    job: str = ""
    """Its Slurm id; empty when the launcher did not print one."""
    folder: str = ""
    """Where it keeps its scripts and logs: NeMo-Run's `Local Directory`."""


class Experiment(Value):
    """What NeMo-Run calls the jobs of one launch."""

    id: str
    """Its title and a time: `nemo-demo-run_1796059983672474310`."""
    tasks: tuple[Task, ...] = ()

    @property
    def folder(self) -> str:
        """The folder of the experiment, which holds those of its tasks; empty when unknown."""
        known = next((task.folder for task in self.tasks if task.folder), "")
        return known.rstrip("/").rpartition("/")[0]

    def task(self, job: str) -> Task | None:
        """Return the task that a job runs."""
        return next((task for task in self.tasks if task.job == job), None)


class Request(Value):
    """One act's wish to have something submitted, exactly once."""

    id: str
    cluster: str
    workload: str
    """The command that made it: `nemo run`, `slurm submit`."""
    options: dict[str, Any]
    """The validated model's fields, as JSON values."""
    typed: str
    caller: Caller
    created: AwareDatetime
    stage: Stage = Stage.PROPOSED
    title: str = ""
    """What people call it: the recipe or script."""
    heading: str = ""
    """What its card is headed with, where the title alone does not say what it is."""
    resources: Resources = Resources()
    quote: Quote = Quote()
    attempt: int = 1
    """Number of the runner: 2 after a runner that provably died without an intent."""
    origin: str = ""
    """The Slurm id of the job this is a rerun of."""
    change: str = ""
    """What a rerun changed, in words."""
    notes: tuple[str, ...] = ()
    """What of the typed words is not done as it stands."""
    files: tuple[File, ...] = ()
    """What must lie on the cluster before it runs."""
    flags: tuple[str, ...] = ()
    """The options that its launcher had when it was asked; empty where it was not."""
    error: str = ""
    """What Slurm or the launcher said when it refused."""
    experiment: Experiment | None = None
    """What NeMo-Run made of it, where it is one that NeMo-Run launched."""
    accepted: AwareDatetime | None = None


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
    attempt: int = 1
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
    result: str = ""
    """What it made, in words, when it ended well and its log says so."""
    label: str = ""
    """The diagnosis of the last attempt that failed, by label."""
    cause: str = ""
    """The same as a sentence."""
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


class PartitionState(Value):
    """One partition as sinfo shows it."""

    name: str
    up: bool
    default: bool
    nodes: int
    free: int
    """Idle nodes that a job could take now (powered-off `idle~` counts, drained does not)."""
    sleeping: int = 0
    """Those of the free nodes that are powered off and cost a boot."""
    gpus_per_node: int = 0
    max_time: timedelta | None = None
    """None is unlimited."""
    default_time: timedelta | None = None
    states: tuple[tuple[str, int], ...] = ()
    """Nodes by Slurm's state word, flags stripped."""
