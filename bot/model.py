"""The values the bot speaks of: acts of people, requests, launches."""

from __future__ import annotations

from datetime import timedelta
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


class Attached(Value):
    """A file of a message, as Slack tells of it."""

    name: str
    url: str = ""
    """Where its bytes are for who may read them; empty for a file of another workspace."""
    mimetype: str = ""
    size: int = 0
    """Bytes; 0 where Slack does not say."""


class ActKind(StrEnum):
    """How a person reached the bot."""

    SLASH = "slash"
    MENTION = "mention"
    BUTTON = "button"
    SELECT = "select"
    SHORTCUT = "shortcut"
    """An entry of a message's menu."""
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
    """The action_id of the button or select, or the callback_id of the shortcut."""
    value: str = ""
    files: tuple[Attached, ...] = ()
    """Those of the message."""
    message_ts: str = ""
    ephemeral: bool = False
    """Whether that message is seen by its person alone, and changed on its reply URL alone."""


class Stage(StrEnum):
    """How far a request has come on its way to Slurm."""

    PROPOSED = "proposed"
    WAITING = "waiting"
    """It is another attempt, whose time has not come."""
    ACCEPTED = "accepted"
    SUBMITTED = "submitted"
    REFUSED = "refused"
    UNKNOWN = "unknown"
    WITHDRAWN = "withdrawn"

    @property
    def open(self) -> bool:
        """Whether the bot still has to do something about it by itself."""
        return self in {Stage.WAITING, Stage.ACCEPTED, Stage.UNKNOWN}


class Resources(Value):
    """What a request asks of the cluster; None where only the cluster can know."""

    partition: str = ""
    nodes: int = 1
    gpus_per_node: int | None = None
    time: timedelta | None = None
    """Slurm's time limit."""
    stay: timedelta | None = None
    """After which the bot ends it, where that comes before the time limit."""
    exclude: str = ""
    """The nodes that it keeps away from, as Slurm writes lists of them."""

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


class Failure(Value):
    """How one attempt of a launch failed."""

    job: str
    """Its Slurm id."""
    label: str
    cause: str
    """The diagnosis as a sentence."""
    blamed: tuple[str, ...] = ()
    """The nodes that were to blame."""


class Retry(Value):
    """What makes a request another attempt of a launch, after those before it failed."""

    of: str
    """The id of the request that a person made."""
    number: int
    """2 is the first one after that."""
    due: AwareDatetime
    """Not submitted earlier."""
    failures: tuple[Failure, ...]
    """Of the attempts before it, oldest first."""
    left: tuple[str, ...] = ()
    """The nodes that it does not keep away from though they are to blame: too few others."""
    step: int | None = None
    """The step of the checkpoint that it goes on from; None where it begins anew."""


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
    confirmed: bool = False
    """Whether a person has agreed to what it costs."""
    retry: Retry | None = None

    @property
    def root(self) -> str:
        """The id of the launch's first request, whose message tells of every attempt."""
        return self.retry.of if self.retry else self.id

    @property
    def nth(self) -> int:
        """Which attempt of its launch it is."""
        return self.retry.number if self.retry else 1

    @property
    def attempts(self) -> int:
        """How many attempts there may be in all."""
        return 1 + int(self.options.get("retries") or 0)


def attempt_id(root: str, number: int) -> str:
    """Return the id of an attempt of a launch: whoever makes it again makes the same."""
    return root if number == 1 else derive(root, f"attempt {number}")


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
