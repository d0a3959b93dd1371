"""What Slurm took: a job as its receipt names it, or as it is found when the receipt was lost."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from bot.cluster import slurm, spool
from bot.cluster.launch import look
from bot.job import Job, Observation, Session, State
from bot.login_node import LoginNode
from bot.model import Request
from bot.ports import Store
from bot.workloads import WORKLOADS


def new_job(request: Request, job_id: str, seen: Observation | None = None) -> Job:
    """Return a job as it is known from its receipt alone, or from where it was found."""
    resources = request.resources
    first = seen or Observation(
        id=job_id,
        state=State.PENDING,
        raw="PENDING",
        name=request.title,
        partition=resources.partition,
        nodes=resources.nodes,
        gpus=resources.gpus,
        time_limit=resources.time,
    )
    return Job(
        cluster=request.cluster,
        id=job_id,
        request=request.id,
        channel=request.caller.channel,
        caller=request.caller.user,
        seen=first,
        session=_session(request),
        nth=request.nth,
        of=request.attempts,
        created=datetime.now(UTC),
    )


def _session(request: Request) -> Session | None:
    """Return what is known at the start of an interactive job; None for any other."""
    workload = WORKLOADS[request.workload]
    stay = workload.stay(workload.model.model_validate(request.options))
    return Session(stay=stay) if stay is not None else None


async def unsigned(node: LoginNode, store: Store, request: Request) -> Sequence[Observation]:
    """Return the one job that fits a lost call and is nobody's, where a site drops comments."""
    spools = await node.run(look((request.id,)))
    found = spools.get(request.id)
    outcome = spool.outcome(found) if found else None
    calls = outcome.calls if isinstance(outcome, spool.Unknown) else ()
    since = (request.accepted or request.created) - timedelta(minutes=1)
    fitting: dict[str, Observation] = {}
    for call in calls:
        sighting = await node.run(slurm.find_by_name(call.name, call.cwd, since))
        for seen in sighting.jobs:
            if not slurm.signatures(seen.comment) and not await store.job(
                request.cluster, seen.job
            ):
                fitting[seen.job] = seen
    return tuple(fitting.values()) if len(fitting) == 1 else ()
