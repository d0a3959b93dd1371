"""What is asked of acts, requests, jobs and the audit log.

Statements are built once, so that SQLAlchemy compiles each once.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Table, bindparam, delete, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from bot.model import Stage
from bot.store.tables import Moment, acts, audit, jobs, requests

FOUND_AT_MOST = 50


def _add(table: Table) -> dict[str, Any]:
    """Return, by dialect, the statement that adds a row unless its name is taken."""
    return {
        "sqlite": sqlite.insert(table).on_conflict_do_nothing(),
        "postgresql": postgresql.insert(table).on_conflict_do_nothing(),
    }


def _put_job(dialect: str, *, another: bool = False) -> Any:
    """Keep or replace a job; with `another`, only one of another request, as ids are used again."""
    new: Any = postgresql.insert(jobs) if dialect == "postgresql" else sqlite.insert(jobs)
    changing = ("request", "name", "open", "body", "created")
    return new.on_conflict_do_update(
        index_elements=[jobs.c.cluster, jobs.c.id],
        set_={name: new.excluded[name] for name in changing},
        where=jobs.c.request != new.excluded.request if another else None,
    )


ADD_ACT = _add(acts)
ADD_REQUEST = _add(requests)
ADD_JOB = {name: _put_job(name, another=True) for name in ("sqlite", "postgresql")}
PUT_JOB = {name: _put_job(name) for name in ("sqlite", "postgresql")}

OPEN_ACTS = select(acts.c.body).where(acts.c.finished.is_(None)).order_by(acts.c.seq)
_act = update(acts).where(acts.c.id == bindparam("k"))
BEGIN = _act.values(lives=acts.c.lives + 1)
LIVES = select(acts.c.lives).where(acts.c.id == bindparam("k"))
SET_ASIDE = _act.values(lives=acts.c.lives - 1)
FINISH = _act.where(acts.c.finished.is_(None)).values(finished=bindparam("at"))

REQUEST = select(requests.c.body).where(requests.c.id == bindparam("k"))
REQUESTS = select(requests.c.body).order_by(requests.c.seq)
REQUESTS_AT = REQUESTS.where(requests.c.stage.in_(bindparam("stages", expanding=True)))
MOVE = (
    update(requests)
    .where(requests.c.id == bindparam("k"), requests.c.stage == bindparam("was"))
    .values(stage=bindparam("to"), body=bindparam("new"))
)

_jobs = select(jobs.c.body).where(jobs.c.cluster == bindparam("cluster"))
JOB = _jobs.where(jobs.c.id == bindparam("id"))
OPEN_JOBS = _jobs.where(jobs.c.open).order_by(jobs.c.seq)
RECENT_JOBS = _jobs.order_by(jobs.c.seq.desc()).limit(bindparam("n"))
NAMED_JOBS = (
    _jobs.where(jobs.c.name == bindparam("name")).order_by(jobs.c.seq.desc()).limit(FOUND_AT_MOST)
)
JOBS_OF = select(jobs.c.body).where(jobs.c.request == bindparam("request")).order_by(jobs.c.seq)

OLDEST_OPEN = (
    select(func.min(requests.c.created)).where(
        requests.c.stage.in_([stage.value for stage in Stage if stage.open])
    ),
    select(func.min(jobs.c.created)).where(jobs.c.open),
)
PRUNE_ACTS = delete(acts).where(acts.c.finished < bindparam("before", type_=Moment))

RECORD = insert(audit)
AUDIT = select(audit).order_by(audit.c.seq.desc()).limit(bindparam("n"))
