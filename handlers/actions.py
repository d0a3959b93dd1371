"""What the buttons and picks of a card do: action_id → use case."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta

from bot.card import Card
from bot.cards.experiment import CANCEL_ALL, PICK_LOG
from bot.cards.mend import SEPARATOR
from bot.cards.retry import STOP
from bot.errors import Gone
from bot.job import Job
from bot.login_node import LoginNode
from bot.model import Act, derive
from bot.service import (
    Service,
    admins,
    errands,
    experiments,
    launches,
    logs,
    mends,
    retries,
    sessions,
)

ActOn = Callable[[Service, Act], Awaitable[Card | None]]


async def show_log(service: Service, act: Act) -> Card:
    """Show the end of the log to whoever clicked."""
    node, job = await _job(service, act, act.value)
    return await logs.show(node, job, logs.Wish())


async def cancel_job(service: Service, act: Act) -> Card:
    """Cancel the job of the card."""
    node, job = await _job(service, act, act.value)
    return await mends.cancel(service, act, node, job)


async def extend_session(service: Service, act: Act) -> None:
    """Extend the stay of the card's interactive job; `value` names the stay that was seen."""
    key, _, stay = act.value.partition(SEPARATOR)
    node, job = await _job(service, act, key)
    seen = timedelta(seconds=int(stay)) if stay.isdigit() else timedelta()
    await sessions.extend(service, act, node, job, seen)


async def tell_admin(service: Service, act: Act) -> Card:
    """Tell the administrators of the card's job or request."""
    if ":" not in act.value:
        return await admins.tell_of_refusal(service, act, act.value)
    node, job = await _job(service, act, act.value)
    return await admins.tell(service, act, node, job)


async def place_tokenizer(service: Service, act: Act) -> Card | None:
    """Put the tokenizer files in place, then run the job again."""
    node, job = await _job(service, act, act.value)
    return await mends.place_files(
        service, act, node, job, request_id=_again(job, "place_tokenizer")
    )


async def resubmit_partition(service: Service, act: Act) -> Card | None:
    """Run the same on the partition that was chosen; `value` is what, then where."""
    of, _, partition = act.value.rpartition(SEPARATOR)
    changes = {"partition": partition}
    if ":" in of:
        _, job = await _job(service, act, of)
        request_id = _again(job, f"partition {partition}")
        return await mends.rerun(service, act, job, changes, request_id=request_id)
    request_id = derive(of, f"partition {partition}")
    return await mends.resubmit(service, act, of, changes, request_id=request_id)


def rerun(name: str, changes: mends.Changes) -> ActOn:
    """Return what runs the card's job or request again, as `changes` says."""

    async def act_on(service: Service, act: Act) -> Card | None:
        if ":" not in act.value:
            request_id = derive(act.value, name)
            return await mends.resubmit(service, act, act.value, {}, request_id=request_id)
        _, job = await _job(service, act, act.value)
        return await mends.rerun(service, act, job, changes(job), request_id=_again(job, name))

    return act_on


ACTIONS: dict[str, ActOn] = {
    "stop_errand": errands.stop,
    "errand_again": errands.again,
    "submit": launches.confirm,
    "withdraw": launches.withdraw,
    "submit_again": launches.submit_again,
    "show_log": show_log,
    PICK_LOG: show_log,
    "cancel_job": cancel_job,
    CANCEL_ALL: experiments.cancel_all,
    STOP: retries.stop,
    "extend_session": extend_session,
    "rerun_same": rerun("rerun_same", mends.nothing),
    "exclude_node": rerun("exclude_node", mends.without_node),
    "without_wandb": rerun("without_wandb", mends.without_wandb),
    "more_time": rerun("more_time", mends.twice_the_time),
    "resubmit_partition": resubmit_partition,
    "place_tokenizer": place_tokenizer,
    "tell_admin": tell_admin,
}


def _again(job: Job, remedy: str) -> str:
    """Return the id of the request that a remedy makes: a second click makes the same one.

    The job's own request is in it, since Slurm uses job ids again.
    """
    return derive(job.request, job.id, remedy)


async def _job(service: Service, act: Act, key: str) -> tuple[LoginNode, Job]:
    cluster, _, job_id = key.partition(":")
    if cluster not in service.nodes:
        raise Gone("This cluster is no longer configured")
    node = service.node(act, cluster)
    job = await service.store.job(cluster, job_id)
    if job is None:
        raise Gone("This job is no longer known")
    return node, job
