"""Attempts after the first: begun when they are due, as far as all still allows it, or called off.

Level, not edge: what is due follows from what is kept and the clock, so a restart neither forgets
nor repeats an attempt.
"""

from __future__ import annotations

import logging
import posixpath
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from bot.card import Card, Text
from bot.cards import retry as cards
from bot.cards.request import request_card, submitting
from bot.cluster import slurm
from bot.cluster.checkpoints import Checkpoint
from bot.errors import ClusterError, CommandFailed, Gone, NotAllowed, UserError
from bot.job import Job, State
from bot.login_node import LoginNode
from bot.messages import attempt_line, living, under
from bot.model import Act, ActKind, Request, Stage, attempt_id, derive
from bot.ports import Wanted
from bot.rerun import difference
from bot.service.checking import checked, placed
from bot.service.checkpoints import newest
from bot.service.service import Service
from bot.workload import Workload
from bot.workloads import WORKLOADS

logger = logging.getLogger(__name__)

LOOK_EVERY, SOON = 5.0, 0.2
"""Seconds between two looks at what waits, at most and at least."""


async def begin_due(service: Service, node: LoginNode) -> float:
    """Begin each attempt on this cluster whose time has come; return seconds until the next look.

    One that is no longer possible is given up; while the cluster is silent, it waits.
    """
    waits = [LOOK_EVERY]
    for retry in await service.store.requests(Stage.WAITING):
        if retry.cluster != node.name or retry.retry is None:
            continue
        left = (retry.retry.due - datetime.now(UTC)).total_seconds()
        if left > 0:
            waits.append(left)
        else:
            await _begin(service, node, retry)
    return max(SOON, min(waits))


async def _begin(service: Service, node: LoginNode, retry: Request) -> None:
    try:
        ready = await _checked(service, node, retry)
    except ClusterError as error:
        await _wait(service, retry, error)
    except UserError as error:
        await _give_up(service, retry, error.sentence)
    else:
        await _accept(service, ready)


async def _checked(service: Service, node: LoginNode, retry: Request) -> Request:
    """Return the attempt as it would be launched by its person now.

    Raises UserError where that is no longer possible, ClusterError where nobody can say.
    """
    node.policy.admit(retry.caller)
    jobs = await _before(service, retry)
    if len(jobs) != 1:
        raise UserError("Its launch became several jobs")
    for seen in await node.run(slurm.details((retry.origin,))):
        if seen.state in {State.PENDING, State.RUNNING, State.SUSPENDED}:
            raise UserError(f"Slurm itself runs job {retry.origin} again")
    workload = WORKLOADS[retry.workload]
    retry = await _resuming(node, workload, retry, jobs[0])
    options = workload.model.model_validate(retry.options)
    draft = await checked(node, workload, options, retry)
    name = draft.resources.partition.partition(",")[0]
    partition = await node.partition(name)
    if partition is None:
        raise UserError(f"There is no partition {name} any more")
    draft = placed(workload, draft, partition)
    if node.policy.must_ask(draft.resources, draft.attempts) and not draft.confirmed:
        raise NotAllowed("It costs more than is submitted unasked, and nobody has confirmed that")
    return draft


async def _resuming(node: LoginNode, workload: Workload[Any], retry: Request, job: Job) -> Request:
    """Return the attempt so that it goes on from what the job before has saved, if it can."""
    saved = await _newest(node, job) if workload.resume else None
    if retry.retry is None or workload.resume is None or saved is None:
        return retry
    options = workload.model.model_validate(retry.options)
    resumed = workload.resume(options, posixpath.dirname(saved.path))
    if resumed is None:
        return retry
    added = difference(options, resumed)
    return retry.model_copy(
        update={
            "options": resumed.model_dump(mode="json"),
            "change": ", ".join(filter(None, (retry.change, added))),
            "retry": retry.retry.model_copy(update={"step": saved.step}),
        }
    )


async def _newest(node: LoginNode, job: Job) -> Checkpoint | None:
    """Return the newest whole checkpoint; one that cannot be looked for is no reason to wait."""
    try:
        return await newest(node, job)
    except CommandFailed as error:
        logger.warning(
            "another attempt begins anew: %s",
            error.sentence,
            extra={"action": "retry_anew", "job": job.key},
        )
        return None


async def _accept(service: Service, ready: Request) -> None:
    """Hand the attempt to the launcher, unless somebody called it off meanwhile."""
    now = datetime.now(UTC)
    going = ready.model_copy(update={"stage": Stage.ACCEPTED, "accepted": now})
    shown = (living(going, submitting(going)), attempt_line(going, cards.line(going)))
    if not await service.store.save_request(going, *shown, was=Stage.WAITING):
        return
    logger.info(
        "another attempt begins",
        extra={"action": "retry_begun", "request": going.id, "attempt": going.nth},
    )
    await service.store.record(_due(going, now), did=f"submit {going.workload}", request=going.id)
    service.wake()
    service.carrier.start(going)


def _due(retry: Request, now: datetime) -> Act:
    """Return the act of the clock that begins an attempt."""
    return Act(
        id=derive(retry.id, "due"),
        kind=ActKind.CLOCK,
        caller=retry.caller.model_copy(update={"user": ""}),
        at=now,
        text=f"attempt {retry.nth} of {retry.attempts} was due",
    )


async def _wait(service: Service, retry: Request, error: ClusterError) -> None:
    """Say that it is due and waits for the cluster."""
    logger.warning(
        "another attempt waits for the cluster: %s",
        error.sentence,
        extra={"action": "retry_waits", "request": retry.id},
    )
    trouble = f"{error.sentence.rstrip('.')}."
    card = cards.waiting(await _job_card(service, retry), retry, trouble)
    await service.want(living(retry, card))


async def _give_up(service: Service, retry: Request, reason: str) -> None:
    why = f"{reason.rstrip('.')}."
    gone = retry.model_copy(update={"stage": Stage.WITHDRAWN, "error": why})
    notice = under(gone, "given-up", cards.not_submitted(gone, why))
    if await _called_off(service, gone, (why,), notice):
        logger.info(
            "another attempt is given up",
            extra={"action": "retry_given_up", "request": retry.id},
        )


# Called off by people


async def stop(service: Service, act: Act) -> Card | None:
    """Call an attempt off that waits, on a click."""
    retry = await service.store.request(act.value)
    if retry is None or retry.cluster not in service.nodes:
        raise Gone("This attempt is no longer known")
    service.nodes[retry.cluster].policy.own(act.caller, retry, "stop")
    if await call_off(service, act, retry) is None:
        raise Gone("This attempt no longer waits; if it runs, cancel its job")
    return None


async def call_off(
    service: Service, act: Act, retry: Request, *, again: bool = False
) -> Request | None:
    """Call an attempt off, and return it; `again` when the person has run it again instead.

    None, and nothing changed, when it no longer waits.
    """
    why = cards.stopped_by(act.caller.user, again=again)
    gone = retry.model_copy(update={"stage": Stage.WITHDRAWN})
    if not await _called_off(service, gone, why):
        return None
    await service.store.record(act, did="stop retrying", request=retry.id)
    return gone


async def _called_off(service: Service, gone: Request, why: Text, *notices: Wanted) -> bool:
    root = cards.without(await _job_card(service, gone), gone, why)
    shown = (living(gone, root), attempt_line(gone, cards.called_off(gone, why)), *notices)
    if not await service.store.save_request(gone, *shown, was=Stage.WAITING):
        return False
    service.wake()
    return True


async def waiting(service: Service, job: Job) -> Request | None:
    """Return the attempt that waits since this job failed, if there is one."""
    request = await service.store.request(job.request)
    if request is None:
        return None
    after = await service.store.request(attempt_id(request.root, request.nth + 1))
    return after if after is not None and after.stage is Stage.WAITING else None


async def went_on(service: Service, request: Request) -> bool:
    """Whether a later attempt than this has begun, of which the living message tells."""
    after = await service.store.request(attempt_id(request.root, request.nth + 1))
    return after is not None and after.stage not in {Stage.WAITING, Stage.WITHDRAWN}


async def live_job(service: Service, job: Job) -> Job | None:
    """Return the job of a later attempt of the same launch that has not ended."""
    request = await service.store.request(job.request)
    found = await service.jobs_of_newest(request.root) if request else ()
    return next((one for one in found if not one.seen.state.ended), None)


async def _before(service: Service, retry: Request) -> Sequence[Job]:
    """Return the jobs of the attempt before."""
    return await service.store.jobs_of(attempt_id(retry.root, retry.nth - 1))


async def _job_card(service: Service, retry: Request) -> Card:
    """Return how the attempt before is told without this one."""
    before = await service.store.request(attempt_id(retry.root, retry.nth - 1))
    if before is None:
        raise Gone("What was launched is no longer known")
    return request_card(before, await _before(service, retry))
