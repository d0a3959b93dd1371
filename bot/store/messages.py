"""The rows of the outbox: what each message shall show, and what Slack shows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BindParameter,
    Connection,
    RowMapping,
    and_,
    bindparam,
    case,
    delete,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from bot.card import Card
from bot.ports import Posted, Wanted
from bot.store.tables import Moment, messages, waiting

ABREAST = 50
"""Rows of one channel that `due` hands out at a time, of first posts and of updates each."""

_m = messages.c
_parent = messages.alias("parent")
_KEY: BindParameter[str] = bindparam("k")

_idle = or_(_m.shown >= _m.revision, _m.refused_revision >= _m.revision)


def _want(dialect: str) -> Any:
    """Return the statement that adds a message or changes its card, or else writes nothing."""
    insert = postgresql.insert(messages) if dialect == "postgresql" else sqlite.insert(messages)
    new = insert.excluded
    other_card = _m.card != new.card
    other_time = and_(_m.ts == "", _m.not_before.is_distinct_from(new.not_before))
    return insert.on_conflict_do_update(
        index_elements=[_m.key],
        set_={
            "card": new.card,
            "not_before": new.not_before,
            "revision": _m.revision + case((other_card, 1), else_=0),
            "changed": case((and_(other_card, _idle), new.changed), else_=_m.changed),
        },
        where=or_(other_card, other_time),
    )


WANT = {dialect: _want(dialect) for dialect in ("sqlite", "postgresql")}

_columns = (
    *(_m[name] for name in ("key", "channel", "thread", "parent", "card", "not_before")),
    *(_m[name] for name in ("revision", "shown", "ts", "attempted", "refused", "refused_revision")),
    func.coalesce(_parent.c.ts, "").label("parent_ts"),
)
_with_parent = messages.outerjoin(_parent, and_(_m.parent != "", _parent.c.key == _m.parent))

_ready = or_(
    _m.ts != "",
    and_(
        or_(_m.not_before.is_(None), _m.not_before <= bindparam("now", type_=Moment)),
        or_(
            _m.thread != "",
            _m.parent == "",
            _parent.c.ts != "",
            _parent.c.refused_revision >= _parent.c.revision,
        ),
    ),
)
_ranked = (
    select(
        *_columns,
        _m.changed,
        _m.seq,
        func.row_number()
        .over(partition_by=(_m.channel, _m.ts == ""), order_by=(_m.changed, _m.seq))
        .label("place"),
    )
    .select_from(_with_parent)
    .where(waiting, _ready)
    .subquery()
)
_DUE = select(_ranked).where(_ranked.c.place <= ABREAST).order_by(_ranked.c.changed, _ranked.c.seq)
_ONE = select(*_columns).select_from(_with_parent).where(_m.key == _KEY)
_AT = select(_m.key).where(
    _m.channel == bindparam("channel"), _m.ts == bindparam("ts"), _m.ts != ""
)

_row = update(messages).where(_m.key == _KEY)
_revision: BindParameter[int] = bindparam("r")
# A post that was begun before and may have arrived showed the older card.
_ATTEMPTING = _row.values(
    attempted=bindparam("at"),
    attempted_revision=func.coalesce(_m.attempted_revision, _revision),
)
_over = {"attempted": None, "attempted_revision": None}
_SHOWN = _row.values(
    ts=bindparam("ts"),
    shown=case((_m.shown > _revision, _m.shown), else_=_revision),
    **_over,
)
_FOUND = _row.values(
    ts=bindparam("ts"), shown=func.coalesce(_m.attempted_revision, _m.shown), **_over
)
_NOT_SHOWN = _row.values(**_over)
_REFUSED = _row.where(_m.refused_revision < _revision).values(
    refused=bindparam("code"), refused_revision=_revision
)
_PRUNE = delete(messages).where(
    _m.changed < bindparam("before"),
    _idle,
    ~select(_parent.c.seq).where(_parent.c.parent == _m.key, _parent.c.parent != "").exists(),
)


def want(connection: Connection, wanted: Sequence[Wanted], now: datetime) -> None:
    """Add messages or change their cards, in this order."""
    if wanted:
        rows = [_values(one, now) for one in wanted]
        connection.execute(WANT[connection.dialect.name], rows)


def due(connection: Connection, now: datetime) -> list[Posted]:
    """Return messages that Slack can be told now."""
    return [_posted(row) for row in connection.execute(_DUE, {"now": now}).mappings()]


def message(connection: Connection, key: str) -> Posted | None:
    """Return one message."""
    row = connection.execute(_ONE, {"k": key}).mappings().one_or_none()
    return None if row is None else _posted(row)


def message_at(connection: Connection, channel: str, ts: str) -> str:
    """Return the key of what was posted there."""
    return connection.scalar(_AT, {"channel": channel, "ts": ts}) or ""


def attempting(connection: Connection, key: str, revision: int, at: datetime) -> None:
    """Note that a first post begins."""
    connection.execute(_ATTEMPTING, {"k": key, "r": revision, "at": at})


def shown(connection: Connection, key: str, ts: str, revision: int) -> None:
    """Note what Slack shows."""
    connection.execute(_SHOWN, {"k": key, "ts": ts, "r": revision})


def found(connection: Connection, key: str, ts: str) -> None:
    """Note that the begun post arrived."""
    connection.execute(_FOUND, {"k": key, "ts": ts})


def not_shown(connection: Connection, key: str) -> None:
    """Note that the begun post did not arrive."""
    connection.execute(_NOT_SHOWN, {"k": key})


def refused(connection: Connection, key: str, revision: int, code: str) -> None:
    """Note that Slack will never take this revision."""
    connection.execute(_REFUSED, {"k": key, "r": revision, "code": code})


def prune(connection: Connection, before: datetime) -> int:
    """Forget settled messages that nothing answers."""
    return connection.execute(_PRUNE, {"before": before}).rowcount


def _values(wanted: Wanted, now: datetime) -> dict[str, Any]:
    return {
        "key": wanted.key,
        "channel": wanted.channel,
        "thread": wanted.thread,
        "parent": wanted.parent,
        "card": wanted.card.model_dump_json(),
        "not_before": wanted.not_before,
        "revision": 1,
        "shown": 0,
        "ts": "",
        "refused": "",
        "refused_revision": 0,
        "changed": now,
    }


def _posted(row: RowMapping) -> Posted:
    wanted = Wanted(
        key=row["key"],
        channel=row["channel"],
        card=Card.model_validate_json(row["card"]),
        thread=row["thread"],
        parent=row["parent"],
        not_before=row["not_before"],
    )
    return Posted(
        wanted=wanted,
        revision=row["revision"],
        shown=row["shown"],
        ts=row["ts"],
        attempted=row["attempted"],
        parent_ts=row["parent_ts"],
        refused=row["refused"] if row["refused_revision"] >= row["revision"] else "",
    )
