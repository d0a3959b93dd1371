"""Letting a job go that waits: one that is held, one that waits for another of its name."""

from __future__ import annotations

from datetime import timedelta

from bot.card import Card
from bot.cards import mended
from bot.cluster import slurm
from bot.errors import CommandFailed, Gone, NotAllowed
from bot.job import Job, State
from bot.login_node import LoginNode
from bot.messages import under
from bot.model import Act
from bot.nodelist import node_names
from bot.service.mends import settle
from bot.service.service import Service

_NOT_OURS = "Slurm lets only an administrator, or its owner, release job {job}"
_BEFORE = timedelta(days=1)


async def release(service: Service, act: Act, node: LoginNode, job: Job) -> Card | None:
    """Release a held job; away from the node that could not start it, where that is known."""
    await _may(service, act, node, job)
    (seen,) = await node.run(slurm.details((job.id,))) or (job.seen,)
    if seen.state is not State.PENDING or not slurm.held(seen.reason):
        raise Gone(f"Job {job.id} is not held any more")
    away = await _could_not_start(node, job) if "launch" in seen.reason else ""
    if not await node.run(slurm.release(job.id, away)):
        raise NotAllowed(_NOT_OURS.format(job=job.id))
    return await _said(service, act, job, "release", mended.released(job, act.caller.user, away))


async def free(service: Service, act: Act, node: LoginNode, job: Job) -> Card | None:
    """Let a job start although an earlier one of its name is left."""
    await _may(service, act, node, job)
    (seen,) = await node.run(slurm.details((job.id,))) or (job.seen,)
    if seen.state is not State.PENDING or not slurm.singleton(seen.dependency):
        raise Gone(f"Job {job.id} does not wait for another of its name any more")
    if not await node.run(slurm.free(job.id)):
        raise NotAllowed(_NOT_OURS.format(job=job.id))
    return await _said(service, act, job, "free", mended.freed(job, act.caller.user))


async def _may(service: Service, act: Act, node: LoginNode, job: Job) -> None:
    """Raise NotAllowed unless the person may let this job go."""
    if job.request:
        node.policy.own(act.caller, await service.request_of(job), "release")
    else:
        node.policy.operate(act.caller, job.id)


async def _could_not_start(node: LoginNode, job: Job) -> str:
    """Return the one node of the attempt that was not started; empty where nobody tells."""
    since = (job.seen.submitted or job.created) - _BEFORE
    try:
        attempts = await node.run(slurm.history((job.id,), since))
    except CommandFailed:
        return ""
    if isinstance(attempts, slurm.AccountingOff):
        return ""
    ran = [node_names(one.seen.node_list) for one in attempts if one.seen.node_list]
    return ran[-1][0] if ran and len(ran[-1]) == 1 else ""


async def _said(service: Service, act: Act, job: Job, did: str, card: Card) -> Card | None:
    """Write it down, take the used control away, and say it where the job is told of."""
    await service.store.record(act, did=did, job=job.key, request=job.request)
    service.watch.hurry(job.cluster)
    if not job.request:
        return card
    if not await settle(service, act, card.lead):
        request = await service.request_of(job)
        await service.want(under(request, f"{job.id}/{did}/{act.id}", card))
    return None
