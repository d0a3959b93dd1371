"""NeMo-Run's experiments, by the ids and titles that `nemo experiment` takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.card import Card
from bot.cards.experiment import status_card
from bot.cards.mended import cancelled_all
from bot.cluster.experiments import experiment as listed_there
from bot.errors import FieldError, Gone, InputRefused, UnknownJob
from bot.experiment import title_of
from bot.job import Job
from bot.login_node import LoginNode
from bot.model import Act, Experiment
from bot.service import logs, mends, views
from bot.service.service import RECENT, Service
from bot.suggest import did_you_mean
from bot.words import listed


@dataclass(frozen=True)
class Found:
    """An experiment and its jobs, in the order of its tasks."""

    experiment: Experiment
    jobs: Sequence[Job]


async def find(service: Service, act: Act, node: LoginNode, ref: str) -> Found:
    """Return the experiment of this id, or the newest of this title; raises UnknownJob.

    One that was not launched from here is looked up in NeMo-Run's own list on the cluster.
    """
    known = await _known(service, node)
    for found in known:
        if ref in {found.experiment.id, title_of(found.experiment.id)}:
            return found
    site = await node.site()
    there = await node.run(listed_there(site.path(site.nemo_dir), ref))
    if there is None:
        near = did_you_mean(ref, [title_of(found.experiment.id) for found in known])
        near = near or "`/slurm jobs` lists your jobs; each card names its experiment."
        raise UnknownJob(f"{node.name} knows no experiment `{ref}`. {near}")
    jobs = [await views.any_job(service, act, node, task.job) for task in there.tasks]
    return Found(there, jobs)


async def _known(service: Service, node: LoginNode) -> list[Found]:
    """Return the experiments that were launched from here lately, newest first."""
    recent = await service.store.recent_jobs(node.name, RECENT)
    found: list[Found] = []
    for request_id in dict.fromkeys(job.request for job in recent if job.request):
        request = await service.store.request(request_id)
        if request is not None and request.experiment is not None:
            found.append(Found(request.experiment, await service.store.jobs_of(request_id)))
    return found


async def status(service: Service, act: Act, node: LoginNode, ref: str) -> Card:
    """Say how an experiment and its jobs are."""
    found = await find(service, act, node, ref)
    if not found.jobs:
        raise UnknownJob(f"The experiment {found.experiment.id} has no job")
    return status_card(node.name, found.experiment, found.jobs)


async def show_log(
    service: Service, act: Act, node: LoginNode, ref: str, index: int, wish: logs.Wish
) -> Card:
    """Show the log of one of an experiment's jobs."""
    found = await find(service, act, node, ref)
    return await logs.show(node, _of(found, index), wish)


async def cancel(
    service: Service, act: Act, node: LoginNode, ref: str, index: int | None, *, whole: bool
) -> Card:
    """Cancel one job of an experiment, or all; of several it must be said which."""
    found = await find(service, act, node, ref)
    if index is not None:
        return await mends.cancel(service, act, node, _of(found, index))
    if len(found.jobs) == 1:
        return await mends.cancel(service, act, node, found.jobs[0])
    if not whole:
        there = listed([f"{n}: job {job.id}" for n, job in enumerate(found.jobs)])
        hint = f"Add its number ({there}), or `--all`"
        raise InputRefused((FieldError("command", "Which of its jobs?", hint),))
    return await _cancel(service, act, node, found.jobs)


async def cancel_all(service: Service, act: Act) -> Card:
    """Cancel all jobs of the card's request that have not ended."""
    request = await service.store.request(act.value)
    if request is None or request.cluster not in service.nodes:
        raise Gone("This request is no longer known")
    node = service.node(act, request.cluster)
    return await _cancel(service, act, node, await service.store.jobs_of(request.id))


async def _cancel(service: Service, act: Act, node: LoginNode, jobs: Sequence[Job]) -> Card:
    """Cancel jobs, what waits for another one first, so that none is left to wait in vain."""
    live = [job for job in jobs if not job.seen.state.ended]
    outcomes = [
        (job, await mends.stop(service, act, node, job))
        for job in sorted(live, key=lambda job: -int(job.id))
    ]
    return cancelled_all(outcomes[::-1])


def _of(found: Found, index: int) -> Job:
    """Return the job of the task with this number."""
    tasks = found.experiment.tasks
    wanted = tasks[index].job if index < len(tasks) else ""
    by_task = next((job for job in found.jobs if job.id == wanted), None)
    by_place = found.jobs[index] if index < len(found.jobs) else None
    job = by_task or by_place
    if job is None:
        hint = f"It has {listed([str(n) for n in range(len(found.jobs))], 'or')}"
        message = f"{found.experiment.id} has no job number {index}"
        raise InputRefused((FieldError("command", message, hint),))
    return job
