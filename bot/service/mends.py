"""Acting on jobs: cancel, run again with a change, put files in place."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.card import Card, Text
from bot.cards import mended
from bot.cards.request import request_card
from bot.cluster import slurm
from bot.cluster.tokenizer import NotPlaced, place_tokenizer
from bot.errors import Gone, UserError
from bot.job import Job
from bot.login_node import LoginNode
from bot.messages import answer_key, is_living, living, living_key, under, why_of
from bot.model import Act, Request, Stage
from bot.rerun import changed, difference
from bot.service import checkpoints, launches, retries
from bot.service.service import Service
from bot.workloads import WORKLOADS


async def cancel(service: Service, act: Act, node: LoginNode, job: Job) -> Card:
    """Cancel a job and say what came of it; the living message follows by itself."""
    if job.seen.state.ended:
        await _may_cancel(service, act, node, job)
        waits = await retries.waiting(service, job)
        gone = await retries.call_off(service, act, waits) if waits is not None else None
        if gone is not None:
            return mended.stopped_retrying(job, gone)
        return mended.nothing_to_cancel(job, await retries.live_job(service, job))
    outcome = await stop(service, act, node, job)
    if not job.request:
        return mended.cancelled(job, outcome)
    others = [j for j in await service.store.jobs_of(job.request) if j.id != job.id]
    left = [other for other in others if not other.seen.state.ended]
    return mended.cancelled(job, outcome, await service.request_of(job), left)


async def stop(service: Service, act: Act, node: LoginNode, job: Job) -> slurm.Cancellation:
    """Cancel a job that has not ended, if the person may; what the channel shows follows."""
    await _may_cancel(service, act, node, job)
    await service.store.record(act, did="cancel", job=job.key, request=job.request)
    await service.watch.stopping(job, act.caller.user)
    outcome = await node.run(slurm.cancel(job.id))
    service.watch.hurry(node.name)
    return outcome


async def _may_cancel(service: Service, act: Act, node: LoginNode, job: Job) -> None:
    """Raise NotAllowed unless the person may end this job."""
    if job.request:
        node.policy.own(act.caller, await service.request_of(job), "cancel")
    else:
        node.policy.operate(act.caller, job.id)


async def rerun(
    service: Service,
    act: Act,
    job: Job,
    changes: Mapping[str, object],
    *,
    request_id: str,
    dry_run: bool = False,
) -> Card | None:
    """Submit a job's request again, with changes; the old thread says where it went."""
    request = await service.request_of(job)
    if dry_run:
        changes = {**changes, "dry_run": True}
    answer = await _again(service, act, request, changes, request_id=request_id, origin=job.id)
    if not dry_run and await _told(service, act, request, request_id):
        waits = await retries.waiting(service, job)
        if waits is not None:
            await retries.call_off(service, act, waits, again=True)
    return answer


async def resubmit(
    service: Service, act: Act, of: str, changes: Mapping[str, object], *, request_id: str
) -> Card | None:
    """Submit a request that came to nothing again, with changes."""
    request = await service.store.request(of)
    if request is None:
        raise Gone("This request is no longer known")
    answer = await _again(
        service, act, request, changes, request_id=request_id, origin=request.origin
    )
    await _told(service, act, request, request_id)
    return answer


async def _told(service: Service, act: Act, request: Request, again_id: str) -> bool:
    """Say where it went: on the clicked card, whose remedies are spent, else in the thread.

    False when it went nowhere.
    """
    again = await service.store.request(again_id)
    if again is None or again.stage is Stage.REFUSED:
        return False
    note = mended.rerun(again)
    spent = await _spend(service, request)
    told = await settle(service, act, note) or await _settle(service, spent, note)
    if not told and await service.store.message(living_key(request)):
        await service.want(under(request, f"rerun/{again_id}", Card(lead=note)))
    return True


async def settle(service: Service, act: Act, note: Text) -> bool:
    """Say on the clicked card what was done, in the place of its controls.

    False where that is no answer of ours: a living message says how things are now.
    """
    key = await service.store.message_at(act.caller.channel, act.message_ts) if act.action else ""
    return await _settle(service, [key], note)


async def _settle(service: Service, keys: Sequence[str], note: Text) -> bool:
    done = False
    for key in keys:
        message = await service.store.message(key) if key and not is_living(key) else None
        if message is None:
            continue
        done = True
        if note not in message.wanted.card.foot:
            card = mended.settled(message.wanted.card, note)
            await service.want(replace(message.wanted, card=card))
    return done


async def _spend(service: Service, request: Request) -> list[str]:
    """Take the remedy off the living message; return the names of its jobs' diagnoses."""
    jobs = await service.store.jobs_of(request.id)
    offered = [job for job in jobs if job.mend]
    if offered:
        kept = [job.model_copy(update={"mend": None}) for job in offered]
        newest = {job.id: job for job in (*jobs, *kept)}
        card = request_card(request, sorted(newest.values(), key=lambda job: int(job.id)))
        shown = [] if await retries.went_on(service, request) else [living(request, card)]
        await service.store.save_jobs(kept, shown)
        service.wake()
    return [answer_key(request.id, why_of(job)) for job in offered]


async def _again(
    service: Service,
    act: Act,
    request: Request,
    changes: Mapping[str, object],
    *,
    request_id: str,
    origin: str,
) -> Card | None:
    node = service.node(act, request.cluster)
    node.policy.own(act.caller, request, "run")
    workload = WORKLOADS[request.workload]
    before = workload.model.model_validate(request.options)
    after = changed(workload, before, {"dry_run": False, **changes}, await node.site())
    draft = launches.draft(
        act,
        node,
        request.workload,
        after,
        request_id=request_id,
        typed=request.typed,
        origin=origin,
        change=difference(before, after),
    )
    return await launches.launch(service, act, node, draft)


async def resume(
    service: Service, act: Act, node: LoginNode, job: Job, *, request_id: str
) -> Card | None:
    """Run a job again from its newest whole checkpoint."""
    request = await service.request_of(job)
    node.policy.own(act.caller, request, "run")
    workload = WORKLOADS[request.workload]
    saved = await checkpoints.newest(node, job)
    if saved is None:
        raise UserError(
            f"Job {job.id} has saved no whole checkpoint, so there is nothing to go on from; "
            f"`/slurm rerun {job.id}` begins anew"
        )
    options = workload.model.model_validate(request.options)
    goes_on = workload.resume(options, posixpath.dirname(saved.path)) if workload.resume else None
    if goes_on is None:
        raise UserError("Its launcher cannot be told where to go on")
    had = options.model_dump()
    changes = {name: new for name, new in goes_on.model_dump().items() if new != had[name]}
    return await rerun(service, act, job, changes, request_id=request_id)


async def place_files(
    service: Service, act: Act, node: LoginNode, job: Job, *, request_id: str
) -> Card | None:
    """Put the two tokenizer files into the job's cache on the cluster, then run it again."""
    request = await service.request_of(job)
    node.policy.own(act.caller, request, "mend")
    cache = str(request.options.get("cache_dir") or "")
    if not cache:
        raise UserError(
            "This job was launched without a cache dir, so there is no place for the files; "
            "rerun it with `--cache-dir DIR`"
        )
    roots = await node.roots()
    source = node.settings.nemo.tokenizer_source
    placed = await node.run(place_tokenizer(cache, source, roots))
    if isinstance(placed, NotPlaced):
        raise UserError(mended.no_tokenizer(placed))
    await service.store.record(act, did="place tokenizer files", job=job.key, request=request.id)
    await service.want(
        under(request, f"tokenizer/{request_id}", mended.tokenizer(placed, act.caller.user))
    )
    return await rerun(service, act, job, {}, request_id=request_id)
