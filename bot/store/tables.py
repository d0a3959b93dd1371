"""The tables as the newest migration leaves them.

A value is kept whole, as JSON in `body` or `card`; the other columns are those that are asked for.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    and_,
)
from sqlalchemy.types import TypeEngine
from typing_extensions import override


class Moment(TypeDecorator[datetime]):
    """A point in time: aware on our side, UTC on the database's."""

    impl: TypeEngine[Any] | type[TypeEngine[Any]] = DateTime(timezone=True)
    cache_ok: bool | None = True

    @override
    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    @override
    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        # SQLite has no zones.
        return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value


metadata = MetaData()


def _serial() -> Column[int]:
    """Return the column that says which row came first."""
    return Column(
        "seq", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True
    )


def _text(name: str, *, unique: bool = False) -> Column[str]:
    return Column(name, Text, nullable=False, unique=unique)


def _time(name: str, *, nullable: bool = True) -> Column[datetime]:
    return Column(name, Moment, nullable=nullable)


acts = Table(
    "acts",
    metadata,
    _serial(),
    _text("id", unique=True),
    _text("body"),
    Column("lives", Integer, nullable=False),
    _time("finished"),
)
unfinished = acts.c.finished.is_(None)
Index("acts_open", acts.c.seq, sqlite_where=unfinished, postgresql_where=unfinished)

requests = Table(
    "requests",
    metadata,
    _serial(),
    _text("id", unique=True),
    _text("stage"),
    _time("created", nullable=False),
    _text("body"),
)
Index("requests_stage", requests.c.stage, requests.c.seq)

jobs = Table(
    "jobs",
    metadata,
    _serial(),
    _text("cluster"),
    _text("id"),
    Column("request", Text, ForeignKey("requests.id"), nullable=True),
    _text("name"),
    Column("open", Boolean, nullable=False),
    _time("created", nullable=False),
    _text("body"),
)
Index("jobs_key", jobs.c.cluster, jobs.c.id, unique=True)
Index("jobs_open", jobs.c.cluster, jobs.c.open, jobs.c.seq)
Index("jobs_name", jobs.c.cluster, jobs.c.name, jobs.c.seq)
Index("jobs_request", jobs.c.request)

blames = Table(
    "blames",
    metadata,
    _serial(),
    _text("cluster"),
    _text("request"),
    _text("job"),
    Column("attempt", Integer, nullable=False),
    _text("node"),
    _time("at", nullable=False),
    _text("body"),
)
Index(
    "blames_key",
    *(blames.c[name] for name in ("cluster", "request", "job", "attempt", "node")),
    unique=True,
)
Index("blames_at", blames.c.cluster, blames.c.at)

errands = Table(
    "errands",
    metadata,
    _serial(),
    _text("id", unique=True),
    _text("cluster"),
    _text("kind"),
    _text("target"),
    Column("open", Boolean, nullable=False),
    Column("revision", Integer, nullable=False),
    _time("created", nullable=False),
    _text("body"),
)
_at_work = errands.c.open
Index(
    "errands_alike",
    errands.c.cluster,
    errands.c.kind,
    errands.c.target,
    unique=True,
    sqlite_where=_at_work,
    postgresql_where=_at_work,
)
"""Two that make the same thing at the same time are one."""

messages = Table(
    "messages",
    metadata,
    _serial(),
    _text("key", unique=True),
    _text("channel"),
    _text("thread"),
    _text("parent"),
    _text("card"),
    _time("not_before"),
    Column("revision", Integer, nullable=False),
    Column("shown", Integer, nullable=False),
    _text("ts"),
    _time("attempted"),
    Column("attempted_revision", Integer, nullable=True),
    _text("refused"),
    Column("refused_revision", Integer, nullable=False),
    _time("changed", nullable=False),
)
waiting = and_(
    messages.c.shown < messages.c.revision, messages.c.refused_revision < messages.c.revision
)
"""Messages about which Slack must still be told something."""
Index("messages_waiting", messages.c.seq, sqlite_where=waiting, postgresql_where=waiting)
_answering = messages.c.parent != ""
Index(
    "messages_parent",
    messages.c.parent,
    sqlite_where=_answering,
    postgresql_where=_answering,
)
Index("messages_place", messages.c.channel, messages.c.ts)

audit = Table(
    "audit",
    metadata,
    _serial(),
    _time("at", nullable=False),
    _text("act"),
    _text("caller"),
    _text("typed"),
    _text("did"),
    _text("job"),
    _text("request"),
)
