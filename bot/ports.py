"""What the core needs of the world: a cluster that runs queries, a store, a chat."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Generic, Protocol, TypeVar

from pydantic import SecretStr

from bot.blame import Blame
from bot.card import Card
from bot.errand import Errand
from bot.job import Job
from bot.model import Act, Caller, Request, Stage

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Output:
    """What a remote script left: text decoded with replacement, status None when it was killed."""

    stdout: str
    stderr: str
    status: int | None


@dataclass(frozen=True)
class Query(Generic[T_co]):
    """One remote question: a constant shell script, its arguments, and how to read the answer.

    `script` is POSIX sh written by us and never contains a value; values are `args`, which the
    door quotes in one place and the script reads as "$1", "$2", … `parse` may raise ClusterError.
    """

    script: str
    parse: Callable[[Output], T_co]
    args: tuple[str, ...] = ()
    timeout: float = 30.0
    """Seconds."""
    name: str = field(default="", compare=False)
    """For the log and for counting calls, such as `squeue`."""
    leads_on: bool = False
    """The next question follows at once: what it needs may be opened meanwhile."""


class Cluster(Protocol):
    """One cluster behind a login node."""

    @property
    def name(self) -> str: ...

    async def run(self, query: Query[T]) -> T:
        """Ask; raises ClusterUnreachable, AccessRefused or what `parse` raises."""
        ...

    async def rewrite(self, path: str, change: Callable[[bytes], bytes]) -> bool:
        """Give a file that only the login account may read what `change` makes of its content.

        No file counts as empty, and none is left when nothing is to be in it. False when all was
        so already. Raises ClusterError, and leaves a file alone that is a link or somebody else's.
        """
        ...


class Verdict(StrEnum):
    """What a service says of a secret."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    NOT_REACHED = "not reached"
    NOT_ASKED = "not asked"
    """Nobody is known who could say."""


Vouch = Callable[[str, SecretStr], Awaitable[Verdict]]
"""Asks the service that a secret of this name is for; never raises."""


@dataclass(frozen=True)
class Wanted:
    """What a message shall show: the outbox makes Slack agree, in its own time."""

    key: str
    """Unique for ever, such as `request/ID` or `request/ID/failed/1`."""
    channel: str
    card: Card
    thread: str = ""
    """A Slack ts to answer under."""
    parent: str = ""
    """Key of the message to answer under, when its ts is not known yet."""
    not_before: datetime | None = None
    """Do not post earlier (a newer `card` may replace this one until then)."""


@dataclass(frozen=True)
class Posted:
    """A row of the outbox."""

    wanted: Wanted
    revision: int
    """Grows with each change of the card."""
    shown: int
    """Revision that Slack shows; 0 before the first post."""
    ts: str
    """Slack's id of the message; empty before the first post."""
    attempted: datetime | None
    """When a post was begun whose outcome is not stored."""
    parent_ts: str
    """ts of the parent's message, if it has one by now."""
    refused: str = ""
    """Slack's error code, when Slack will never take it."""


@dataclass(frozen=True)
class Entry:
    """A line of the audit log."""

    at: datetime
    act: str
    caller: Caller
    typed: str
    """The words, or `action value` of a button."""
    did: str
    job: str
    request: str


class Store(Protocol):
    """Everything the bot must remember. Each call is one transaction, durable when it returns.

    Each may raise StoreFailed (nothing of the call was kept).
    """

    async def accept(self, act: Act) -> bool:
        """Keep an act; False when an act of this id is already known."""
        ...

    async def open_acts(self) -> Sequence[Act]:
        """Acts that are not finished, in the order in which they came."""
        ...

    async def begin(self, act_id: str) -> int:
        """Count one more life in which an act is tried; its first is 1 from the start."""
        ...

    async def set_aside(self, act_id: str) -> None:
        """Do not count this life: the act is left for the next one on purpose."""
        ...

    async def finish(self, act_id: str) -> None: ...

    async def add_request(self, request: Request, *wanted: Wanted) -> Request:
        """Keep a request, or return the one of this id as it already stands."""
        ...

    async def request(self, request_id: str) -> Request | None: ...
    async def requests(self, *stages: Stage) -> Sequence[Request]:
        """Requests at these stages (all without any), oldest first."""
        ...

    async def save_request(
        self, request: Request, *wanted: Wanted, jobs: Sequence[Job] = (), was: Stage
    ) -> bool:
        """Replace a request that is still at stage `was`; with it, jobs and messages.

        False, and nothing changed, when it has moved on. Jobs that exist already stay as they are.
        """
        ...

    async def save_jobs(
        self,
        jobs: Sequence[Job],
        wanted: Sequence[Wanted] = (),
        *,
        requests: Sequence[Request] = (),
    ) -> None:
        """Replace jobs, say what their messages shall show, and add what comes after them.

        Requests that exist already stay as they are.
        """
        ...

    async def job(self, cluster: str, job_id: str) -> Job | None: ...
    async def jobs_of(self, request_id: str) -> Sequence[Job]: ...
    async def open_jobs(self, cluster: str) -> Sequence[Job]:
        """Jobs that the bot must still look at or explain (`Job.open`), oldest first."""
        ...

    async def recent_jobs(self, cluster: str, limit: int = 50) -> Sequence[Job]:
        """Newest first, whatever their state."""
        ...

    async def find_jobs(self, cluster: str, name: str) -> Sequence[Job]:
        """Jobs of this name, newest first, at most 50."""
        ...

    async def blames(self, cluster: str, since: datetime) -> Sequence[Blame]:
        """Return which nodes were to blame for which failure since then, oldest first.

        `save_jobs` keeps them, with the jobs that say so.
        """
        ...

    async def add_errand(self, errand: Errand, *wanted: Wanted) -> Errand:
        """Keep an errand, or return the one of this id, or the open one that makes the same."""
        ...

    async def errand(self, errand_id: str) -> Errand | None: ...
    async def open_errands(self, cluster: str) -> Sequence[Errand]:
        """Errands that the bot must still see to, oldest first."""
        ...

    async def save_errand(self, errand: Errand, *wanted: Wanted) -> bool:
        """Replace an errand that is still at this revision, which becomes the next one.

        False, and nothing changed, when it has moved on.
        """
        ...

    async def want(self, *wanted: Wanted) -> None:
        """Say what messages shall show; the same card again changes nothing."""
        ...

    async def due(self, now: datetime) -> Sequence[Posted]:
        """Messages that Slack does not show as wanted, oldest first, refused ones left out.

        At most 50 first posts and 50 updates of each channel. An answer is left out until its
        parent is posted; it comes without `parent_ts` when the parent was refused.
        """
        ...

    async def message(self, key: str) -> Posted | None: ...
    async def attempting(self, key: str, revision: int, at: datetime) -> None:
        """Write down that a first post begins, and what it will show."""
        ...

    async def shown(self, key: str, ts: str, revision: int) -> None: ...
    async def found(self, key: str, ts: str) -> None:
        """Write down that the begun post did arrive, showing what it showed when it began."""
        ...

    async def not_shown(self, key: str) -> None:
        """Write down that the begun post certainly did not happen."""
        ...

    async def refused(self, key: str, revision: int, code: str) -> None: ...
    async def message_at(self, channel: str, ts: str) -> str:
        """Key of the message the bot has posted there, or empty."""
        ...

    async def record(self, act: Act, *, did: str, job: str = "", request: str = "") -> None:
        """Write a line of the audit log: who, what was typed, what was done, about which job."""
        ...

    async def audit(self, limit: int = 100) -> Sequence[Entry]:
        """Return the newest lines of the audit log, newest first."""
        ...

    async def prune(self, before: datetime) -> int:
        """Forget acts finished and messages settled before; returns how many.

        Never reaches past the oldest request or job that is still open.
        """
        ...


class Chat(Protocol):
    """A place where people read cards."""

    async def post(self, channel: str, thread: str, card: Card, key: str) -> str:
        """Post and return the ts. The key travels in the message's metadata.

        Raises ChatUnreachable (outcome unknown), ChatRateLimited, MessageRefused.
        """
        ...

    async def update(self, channel: str, ts: str, card: Card, key: str) -> None: ...
    async def find(self, channel: str, thread: str, key: str, since: datetime) -> str:
        """Return the ts of the message that carries this key, or empty."""
        ...
