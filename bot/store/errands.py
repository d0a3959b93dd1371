"""What is asked of errands."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, func, select, update
from sqlalchemy.dialects import postgresql, sqlite

from bot.errand import Errand
from bot.store.tables import errands

_e = errands.c
_ADD = {
    "sqlite": sqlite.insert(errands).on_conflict_do_nothing(),
    "postgresql": postgresql.insert(errands).on_conflict_do_nothing(),
}
_ONE = select(_e.body).where(_e.id == bindparam("id"))
_ALIKE = select(_e.body).where(
    _e.open, *(_e[name] == bindparam(name) for name in ("cluster", "kind", "target"))
)
_OPEN = select(_e.body).where(_e.cluster == bindparam("cluster"), _e.open).order_by(_e.seq)
_MOVE = (
    update(errands)
    .where(_e.id == bindparam("k"), _e.revision == bindparam("was"))
    .values(open=bindparam("still"), body=bindparam("new"), revision=_e.revision + 1)
)
OLDEST_OPEN = select(func.min(_e.created)).where(_e.open)


def add(connection: Connection, errand: Errand) -> Errand | None:
    """Keep an errand; return the one of its id, or the open one alike, when there is such."""
    named = {name: getattr(errand, name) for name in ("id", "cluster", "kind", "target")}
    row = {
        **named,
        "open": errand.open,
        "created": errand.created,
        "revision": errand.revision,
        "body": errand.model_dump_json(),
    }
    if connection.execute(_ADD[connection.dialect.name], row).rowcount:
        return None
    return one(connection, errand.id) or _read(connection.scalar(_ALIKE, named))


def one(connection: Connection, errand_id: str) -> Errand | None:
    """Return an errand."""
    return _read(connection.scalar(_ONE, {"id": errand_id}))


def opened(connection: Connection, cluster: str) -> Sequence[Errand]:
    """Return the open errands of a cluster, oldest first."""
    bodies = connection.scalars(_OPEN, {"cluster": cluster})
    return [Errand.model_validate_json(body) for body in bodies]


def move(connection: Connection, errand: Errand) -> bool:
    """Replace an errand that is still at this revision, by the next one."""
    after = errand.model_copy(update={"revision": errand.revision + 1})
    row = {
        "k": errand.id,
        "was": errand.revision,
        "still": errand.open,
        "new": after.model_dump_json(),
    }
    return bool(connection.execute(_MOVE, row).rowcount)


def _read(body: str | None) -> Errand | None:
    return None if body is None else Errand.model_validate_json(body)
