"""Looking without touching: partitions, jobs, the state, log and failure of one job."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from bot.card import Card
from bot.cards import lists, mended
from bot.cards.repeats import with_past
from bot.cards.why import healthy_card, waits_card, why_card
from bot.cluster import slurm
from bot.errors import CommandFailed, UnknownJob
from bot.explaining import earlier_labels, explanation_of, same_before
from bot.following import alone, attempts_before, earlier_of
from bot.job import Job, Observation, State, base_id
from bot.login_node import LoginNode
from bot.mending import case_of
from bot.model import Act, Request, Stage
from bot.service import retries
from bot.service.service import Service

HISTORY = timedelta(days=7)
"""How far back a job that only accounting knows is looked for."""
RECENT = 50


async def partitions(node: LoginNode) -> Card:
    """Return the partitions with what is free now."""
    return lists.partitions_card(node.name, await node.partitions(within=1.0), datetime.now(UTC))


async def jobs(service: Service, act: Act, node: LoginNode, which: str) -> Card:
    """Return the caller's jobs, everybody's, the running ones, or those that failed."""
    recent = await service.store.recent_jobs(node.name, RECENT * 4)
    marks = _marks(recent)
    if which == "all":
        live = await node.run(slurm.queue())
        there = {seen.job for seen in live}
        rows = [lists.Row(seen, mark=marks.get(seen.job, ""), whole=False) for seen in live]
        rows += [_row(job, marks) for job in recent[:RECENT] if job.id not in there]
    else:
        wished = [job for job in recent if _wished(job, which, act.caller.user)]
        rows = [_row(job, marks) for job in wished[:RECENT]]
    coming = [
        request
        for request in await service.store.requests(Stage.WAITING)
        if request.cluster == node.name and which != "running"
        if which != "mine" or request.caller.user == act.caller.user
    ]
    return lists.jobs_card(node.name, which, rows, datetime.now(UTC), coming)


def _row(job: Job, marks: Mapping[str, str]) -> lists.Row:
    return lists.Row(job.seen, job.tasks, marks.get(job.id, ""))


def _wished(job: Job, which: str, user: str) -> bool:
    """Whether a job belongs into a list."""
    match which:
        case "mine":
            return job.caller == user
        case "running":
            return job.seen.state is State.RUNNING
        case _:
            return failed(job.seen.state)


def _marks(jobs: Sequence[Job]) -> dict[str, str]:
    """Return which of its experiment's jobs each is, or which attempt of its launch."""
    together: defaultdict[str, list[str]] = defaultdict(list)
    for job in jobs:
        if job.request:
            together[job.request].append(job.id)
    attempts = {job.id: f"attempt {job.nth} of {job.of}" for job in jobs if job.nth > 1}
    return attempts | {
        job_id: f"{place} of {len(ids)}"
        for ids in together.values()
        if len(ids) > 1
        for place, job_id in enumerate(sorted(ids, key=int), 1)
    }


def failed(state: State) -> bool:
    """Whether a job ended badly, and not because somebody wished it."""
    return state.ended and not state.good and state is not State.CANCELLED


async def status(service: Service, act: Act, node: LoginNode, ref: str | None) -> Card:
    """Return how a job is; a job launched elsewhere is looked up in Slurm."""
    job = await service.job(act, node, ref)
    if job is None:
        job = await stranger(node, ref or "")
    coming = await retries.waiting(service, job)
    return lists.status_card(job, datetime.now(UTC), await _earlier(node, job), coming)


async def _earlier(node: LoginNode, job: Job) -> Sequence[Observation]:
    """Return the attempts before this one, oldest first; nothing while accounting is silent."""
    if job.attempt == 1 or job.tasks:
        return ()
    since = (job.seen.submitted or job.created) - timedelta(days=1)
    try:
        history = await node.run(slurm.history((job.id,), since))
    except CommandFailed:
        return ()
    return attempts_before(history, job)


async def stranger(node: LoginNode, ref: str) -> Job:
    """Return a job that was not launched from here, as Slurm shows it; raises UnknownJob."""
    number = base_id(ref)
    details = await node.run(slurm.details((number,)))
    seen = details[0] if details else None
    if seen is None:
        since = datetime.now(UTC) - HISTORY
        history = await node.run(slurm.history((number,), since))
        if isinstance(history, slurm.AccountingOff) or not history:
            raise UnknownJob(
                f"{node.name} knows no job {ref}, neither in the queue nor in its accounting of "
                f"the last {HISTORY.days} days"
            )
        seen = history[-1].seen
    return Job(
        cluster=node.name,
        id=number,
        request="",
        seen=seen,
        created=datetime.now(UTC),
        settled=True,
        namesakes=await _namesakes(node, seen),
    )


async def _namesakes(node: LoginNode, seen: Observation) -> tuple[str, ...]:
    """Return the earlier jobs of the same name and user, where Slurm makes this one wait so."""
    if not alone(seen):
        return ()
    queue = await node.run(slurm.queue())
    return earlier_of(
        seen.job, [one.job for one in queue if (one.name, one.user) == (seen.name, seen.user)]
    )


async def any_job(service: Service, act: Act, node: LoginNode, ref: str | None) -> Job:
    """Return a job whether or not it was launched from here."""
    return await service.job(act, node, ref) or await stranger(node, ref or "")


async def why(service: Service, node: LoginNode, job: Job) -> Card:
    """Say why a job waits, or read its logs and say why it failed."""
    if job.seen.state is State.PENDING:
        return waits_card(job)
    earlier = await earlier_labels(service.store, job)
    request = await service.store.request(job.request)
    explanation = await explanation_of(node, job, earlier, request)
    if explanation.finding is None or explanation.finding.healthy:
        return healthy_card(job, explanation.progress, explanation.failed_step)
    finding, tail = explanation.finding, explanation.tail
    case = await case_of(node, job, request, finding, log=bool(tail or finding.evidence))
    card = why_card(job, finding, case=case, tail=tail)
    card = with_past(card, await same_before(service.store, job, finding))
    again = await _again(service, job)
    return card if again is None else mended.settled(card, mended.rerun(*again))


async def _again(service: Service, job: Job) -> tuple[Request, Job | None] | None:
    """Return the newest request that runs a job again, with its job once there is one.

    Slurm uses ids again: what was asked for before this job was there is a rerun of another.
    """
    open_ = await service.store.requests(
        Stage.PROPOSED, Stage.WAITING, Stage.ACCEPTED, Stage.UNKNOWN
    )
    jobs = await service.store.recent_jobs(job.cluster, RECENT * 4)
    newer = [other for other in jobs if other.request and other.created > job.created]
    by_request = {other.request: other for other in newer}
    taken = [await service.store.request(request_id) for request_id in by_request]
    later = [
        request
        for request in (*taken, *open_)
        if request
        and (request.cluster, request.origin) == (job.cluster, job.id)
        and request.created > job.created
    ]
    newest = max(later, key=lambda request: request.created, default=None)
    return (newest, by_request.get(newest.id)) if newest else None
