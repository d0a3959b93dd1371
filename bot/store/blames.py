"""What is asked of the nodes that were to blame."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, select
from sqlalchemy.dialects import postgresql, sqlite

from bot.blame import Blame
from bot.store.tables import Moment, blames

_b = blames.c
_ADD = {
    "sqlite": sqlite.insert(blames).on_conflict_do_nothing(),
    "postgresql": postgresql.insert(blames).on_conflict_do_nothing(),
}
_SINCE = (
    select(_b.body)
    .where(_b.cluster == bindparam("cluster"), _b.at >= bindparam("since", type_=Moment))
    .order_by(_b.at, _b.seq)
)
_PRUNE = delete(blames).where(_b.at < bindparam("before", type_=Moment))


def add(connection: Connection, found: Sequence[Blame]) -> None:
    """Keep them; what is known of an attempt and a node stays as it was first seen."""
    if found:
        rows = [
            {
                **{name: getattr(one, name) for name in _KEY},
                "at": one.at,
                "body": one.model_dump_json(),
            }
            for one in found
        ]
        connection.execute(_ADD[connection.dialect.name], rows)


_KEY = ("cluster", "request", "job", "attempt", "node")


def since(connection: Connection, cluster: str, moment: datetime) -> Sequence[Blame]:
    """Return those of a cluster since then, oldest first."""
    bodies = connection.scalars(_SINCE, {"cluster": cluster, "since": moment})
    return [Blame.model_validate_json(body) for body in bodies]


def prune(connection: Connection, before: datetime) -> None:
    """Forget those that are older."""
    connection.execute(_PRUNE, {"before": before})
