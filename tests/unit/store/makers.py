"""Values to keep, with everything filled in that a test does not care about."""

from __future__ import annotations

from datetime import UTC, datetime

from bot.card import Card
from bot.job import Job, Observation, State
from bot.model import Act, ActKind, Caller, Request, Stage
from bot.ports import Wanted

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
CALLER = Caller(team="T1", user="U1", channel="C1")


def act(name: str = "a1", *, user: str = "U1", text: str = "jobs") -> Act:
    """Return an act."""
    caller = CALLER.model_copy(update={"user": user})
    return Act(id=name, kind=ActKind.SLASH, caller=caller, at=NOW, command="/slurm", text=text)


def request(name: str = "r1", stage: Stage = Stage.ACCEPTED) -> Request:
    """Return a request."""
    return Request(
        id=name,
        cluster="alice",
        workload="nemo run",
        options={"recipe": "pretrain/x.py", "nodes": 2},
        typed="/nemo run pretrain/x.py -n 2",
        caller=CALLER,
        created=NOW,
        stage=stage,
    )


def job(
    number: str = "75",
    state: State = State.RUNNING,
    *,
    of: str = "r1",
    name: str = "train",
    cluster: str = "alice",
    settled: bool = False,
) -> Job:
    """Return a job."""
    seen = Observation(id=number, state=state, raw=state.value.upper(), name=name, nodes=2)
    return Job(cluster=cluster, id=number, request=of, seen=seen, created=NOW, settled=settled)


def wanted(
    key: str = "request/r1",
    lead: str = "waits",
    *,
    channel: str = "C1",
    parent: str = "",
    thread: str = "",
    not_before: datetime | None = None,
) -> Wanted:
    """Return a message that shall be shown."""
    return Wanted(
        key=key,
        channel=channel,
        card=Card(lead=(lead,)),
        parent=parent,
        thread=thread,
        not_before=not_before,
    )
