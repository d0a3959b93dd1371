"""SqlStore: the store over SQLite (`sqlite:///PATH`) or PostgreSQL (`postgresql://…`)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeVar

from sqlalchemy import Connection, Select, make_url
from sqlalchemy.exc import ArgumentError

from bot.blame import Blame, blames_of
from bot.card import Card
from bot.errand import Errand
from bot.errors import ConfigError
from bot.job import Job
from bot.model import Act, Caller, Request, Stage, Value
from bot.ports import Entry, Posted, Wanted
from bot.store import blames, errands, messages, migrations, statements
from bot.store.database import database

T = TypeVar("T")
V = TypeVar("V", bound=Value)

READ_AT_ONCE = 200
"""Bodies parsed before others get a turn; about 3 ms."""


def _as_it_is(card: Card) -> Card:
    return card


def _now() -> datetime:
    return datetime.now(UTC)


class SqlStore:
    """Everything the bot remembers, in one database that this process alone uses.

    `patience` is how long (seconds) it waits for a lock: of another program on the file, or of a
    bot that is still stopping. `clean` takes secrets out of cards before they are kept.
    """

    def __init__(
        self,
        url: str,
        *,
        clock: Callable[[], datetime] = _now,
        patience: float = 5.0,
        clean: Callable[[Card], Card] = _as_it_is,
    ) -> None:
        try:
            self._database = database(make_url(url), patience=patience)
        except ArgumentError as error:
            # The text itself may hold a password.
            raise ConfigError("the database's URL is not one; use sqlite:///PATH") from error
        self._clock = clock
        self._clean = clean

    async def open(self) -> None:
        """Connect and bring the tables up to date.

        Raises ConfigError when the database cannot be the bot's, StoreFailed when it is away.
        """
        try:
            for migration in await self._database.open(migrations.missing):
                await self._run(partial(migrations.apply, migration))
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Let go of the database."""
        await self._database.close()

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def _cleaned(self, wanted: Sequence[Wanted]) -> Sequence[Wanted]:
        return [replace(one, card=self._clean(one.card)) for one in wanted]

    async def _run(self, work: Callable[[Connection], T]) -> T:
        return await self._database.run(work)

    # Acts

    async def accept(self, act: Act) -> bool:
        """Keep an act; False when an act of this id is already known."""
        row = {"id": act.id, "body": act.model_dump_json(), "lives": 1}
        return await self._run(lambda c: _changed(c, statements.ADD_ACT[c.dialect.name], row) == 1)

    async def open_acts(self) -> Sequence[Act]:
        """Return acts that are not finished, in the order in which they came."""
        return await self._values(Act, statements.OPEN_ACTS)

    async def begin(self, act_id: str) -> int:
        """Count one more life of an act; return how many it has had."""

        def work(c: Connection) -> int:
            c.execute(statements.BEGIN, {"k": act_id})
            return c.scalar(statements.LIVES, {"k": act_id}) or 0

        return await self._run(work)

    async def set_aside(self, act_id: str) -> None:
        """Take the count of this life back."""
        await self._run(lambda c: _changed(c, statements.SET_ASIDE, {"k": act_id}))

    async def finish(self, act_id: str) -> None:
        """Note that an act needs nothing more."""
        at = self._clock()
        await self._run(lambda c: _changed(c, statements.FINISH, {"k": act_id, "at": at}))

    # Requests

    async def add_request(self, request: Request, *wanted: Wanted) -> Request:
        """Keep a request with its messages, or return the one of this id as it stands."""
        now, cleaned = self._clock(), self._cleaned(wanted)
        row = _request_row(request)

        def work(c: Connection) -> str | None:
            if _changed(c, statements.ADD_REQUEST[c.dialect.name], row):
                messages.want(c, cleaned, now)
                return None
            return c.scalar(statements.REQUEST, {"k": request.id})

        stands = await self._run(work)
        return request if stands is None else Request.model_validate_json(stands)

    async def request(self, request_id: str) -> Request | None:
        """Return a request."""
        return _first(await self._values(Request, statements.REQUEST, k=request_id))

    async def requests(self, *stages: Stage) -> Sequence[Request]:
        """Return requests at these stages (all without any), oldest first."""
        if not stages:
            return await self._values(Request, statements.REQUESTS)
        return await self._values(Request, statements.REQUESTS_AT, stages=[*stages])

    async def save_request(
        self, request: Request, *wanted: Wanted, jobs: Sequence[Job] = (), was: Stage
    ) -> bool:
        """Replace a request that is still at `was`, with its new jobs and its messages."""
        now, cleaned = self._clock(), self._cleaned(wanted)
        move = {
            "k": request.id,
            "was": was.value,
            "to": request.stage.value,
            "new": request.model_dump_json(),
        }

        def work(c: Connection) -> bool:
            if not _changed(c, statements.MOVE, move):
                return False
            if jobs:
                c.execute(statements.ADD_JOB[c.dialect.name], [_job_row(job) for job in jobs])
            messages.want(c, cleaned, now)
            return True

        return await self._run(work)

    # Jobs

    async def save_jobs(
        self,
        jobs: Sequence[Job],
        wanted: Sequence[Wanted] = (),
        *,
        requests: Sequence[Request] = (),
    ) -> None:
        """Replace jobs, say what their messages shall show, and add what comes after them."""
        now, cleaned = self._clock(), self._cleaned(wanted)

        def work(c: Connection) -> None:
            if jobs:
                c.execute(statements.PUT_JOB[c.dialect.name], [_job_row(job) for job in jobs])
                blames.add(c, [blame for job in jobs for blame in blames_of(job, now)])
            for request in requests:
                c.execute(statements.ADD_REQUEST[c.dialect.name], _request_row(request))
            messages.want(c, cleaned, now)

        await self._run(work)

    async def job(self, cluster: str, job_id: str) -> Job | None:
        """Return a job."""
        return _first(await self._values(Job, statements.JOB, cluster=cluster, id=job_id))

    async def jobs_of(self, request_id: str) -> Sequence[Job]:
        """Return the jobs a request gave, oldest first."""
        return await self._values(Job, statements.JOBS_OF, request=request_id)

    async def open_jobs(self, cluster: str) -> Sequence[Job]:
        """Return jobs that the bot must still look at or explain, oldest first."""
        return await self._values(Job, statements.OPEN_JOBS, cluster=cluster)

    async def recent_jobs(self, cluster: str, limit: int = 50) -> Sequence[Job]:
        """Return jobs in whatever state, newest first."""
        return await self._values(Job, statements.RECENT_JOBS, cluster=cluster, n=limit)

    async def find_jobs(self, cluster: str, name: str) -> Sequence[Job]:
        """Return jobs of this name, newest first, at most 50."""
        return await self._values(Job, statements.NAMED_JOBS, cluster=cluster, name=_column(name))

    async def blames(self, cluster: str, since: datetime) -> Sequence[Blame]:
        """Return which nodes were to blame since then, oldest first."""
        return await self._run(lambda c: blames.since(c, cluster, since))

    # Errands

    async def add_errand(self, errand: Errand, *wanted: Wanted) -> Errand:
        """Keep an errand with its message, or return the one that stands for it already."""
        now, cleaned = self._clock(), self._cleaned(wanted)

        def work(c: Connection) -> Errand:
            stands = errands.add(c, errand)
            if stands is None:
                messages.want(c, cleaned, now)
            return stands or errand

        return await self._run(work)

    async def errand(self, errand_id: str) -> Errand | None:
        """Return an errand."""
        return await self._run(lambda c: errands.one(c, errand_id))

    async def open_errands(self, cluster: str) -> Sequence[Errand]:
        """Return the errands that the bot must still see to, oldest first."""
        return await self._run(lambda c: errands.opened(c, cluster))

    async def save_errand(self, errand: Errand, *wanted: Wanted) -> bool:
        """Replace an errand that is still at this revision, with its messages."""
        now, cleaned = self._clock(), self._cleaned(wanted)

        def work(c: Connection) -> bool:
            if not errands.move(c, errand):
                return False
            messages.want(c, cleaned, now)
            return True

        return await self._run(work)

    # Messages

    async def want(self, *wanted: Wanted) -> None:
        """Say what messages shall show; the same card again changes nothing."""
        now, cleaned = self._clock(), self._cleaned(wanted)
        await self._run(lambda c: messages.want(c, cleaned, now))

    async def due(self, now: datetime) -> Sequence[Posted]:
        """Return messages that Slack does not show as wanted and can be told now."""
        return await self._run(lambda c: messages.due(c, now))

    async def message(self, key: str) -> Posted | None:
        """Return a message."""
        return await self._run(lambda c: messages.message(c, key))

    async def message_at(self, channel: str, ts: str) -> str:
        """Return the key of the message that the bot posted there, or empty."""
        return await self._run(lambda c: messages.message_at(c, channel, ts))

    async def attempting(self, key: str, revision: int, at: datetime) -> None:
        """Note that a first post begins, and what it will show."""
        await self._run(lambda c: messages.attempting(c, key, revision, at))

    async def shown(self, key: str, ts: str, revision: int) -> None:
        """Note what Slack shows."""
        await self._run(lambda c: messages.shown(c, key, ts, revision))

    async def found(self, key: str, ts: str) -> None:
        """Note that the begun post arrived."""
        await self._run(lambda c: messages.found(c, key, ts))

    async def not_shown(self, key: str) -> None:
        """Note that the begun post certainly did not happen."""
        await self._run(lambda c: messages.not_shown(c, key))

    async def refused(self, key: str, revision: int, code: str) -> None:
        """Note that Slack will never take this revision."""
        await self._run(lambda c: messages.refused(c, key, revision, code))

    # The log, and forgetting

    async def record(self, act: Act, *, did: str, job: str = "", request: str = "") -> None:
        """Write a line of the audit log."""
        typed = f"{act.command} {act.text}".strip() or f"{act.action} {act.value}".strip()
        row = {
            "at": self._clock(),
            "act": act.id,
            "caller": act.caller.model_dump_json(),
            "typed": _column(typed),
            "did": _column(did),
            "job": _column(job),
            "request": request,
        }
        await self._run(lambda c: _changed(c, statements.RECORD, row))

    async def audit(self, limit: int = 100) -> Sequence[Entry]:
        """Return the newest lines of the audit log, newest first."""
        rows = await self._run(lambda c: c.execute(statements.AUDIT, {"n": limit}).mappings().all())
        return [
            Entry(
                caller=Caller.model_validate_json(row["caller"]),
                **{n: row[n] for n in ("at", "act", "typed", "did", "job", "request")},
            )
            for row in rows
        ]

    async def prune(self, before: datetime) -> int:
        """Forget acts finished and messages settled before; returns how many."""

        def work(c: Connection) -> int:
            oldest = (c.scalar(query) for query in (*statements.OLDEST_OPEN, errands.OLDEST_OPEN))
            until = min([before, *(moment for moment in oldest if moment is not None)])
            blames.prune(c, before)
            return _changed(c, statements.PRUNE_ACTS, {"before": until}) + messages.prune(c, until)

        return await self._run(work)

    async def _values(self, kind: type[V], query: Select[Any], **values: object) -> list[V]:
        bodies = await self._run(lambda c: c.scalars(query, values).all())
        found: list[V] = []
        for start in range(0, len(bodies), READ_AT_ONCE):
            if start:
                await asyncio.sleep(0)
            found += map(kind.model_validate_json, bodies[start : start + READ_AT_ONCE])
        return found


def _request_row(request: Request) -> dict[str, Any]:
    return {
        "id": request.id,
        "stage": request.stage.value,
        "created": request.created,
        "body": request.model_dump_json(),
    }


def _job_row(job: Job) -> dict[str, Any]:
    return {
        "cluster": job.cluster,
        "id": job.id,
        "request": job.request or None,
        "name": _column(job.seen.name),
        "open": job.open,
        "created": job.created,
        "body": job.model_dump_json(),
    }


def _column(text: str) -> str:
    """PostgreSQL takes no NUL in a text; inside JSON it is escaped."""
    return text.replace("\0", "\ufffd")


def _changed(connection: Connection, statement: Any, row: dict[str, Any]) -> int:
    return connection.execute(statement, row).rowcount


def _first(values: Sequence[T]) -> T | None:
    return values[0] if values else None
