"""What the buttons and picks of a card do: action_id → use case."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta

from bot.card import Card
from bot.cards.experiment import CANCEL_ALL, PICK_LOG
from bot.cards.letting_go import FREE, RELEASE
from bot.cards.mend import CHOSEN, PICK_OTHER, PICK_PARTITION, READ_LOG, SEPARATOR
from bot.cards.remedies import REMEDIES, Changes, Remedy
from bot.cards.retry import STOP
from bot.errors import Gone
from bot.job import Job
from bot.login_node import LoginNode
from bot.model import Act, Request, derive
from bot.service import (
    Service,
    admins,
    errands,
    experiments,
    launches,
    letting_go,
    logs,
    mends,
    retries,
    secrets,
    sessions,
    views,
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


async def resume(service: Service, act: Act) -> Card | None:
    """Run the job again from its newest whole checkpoint."""
    node, job = await _job(service, act, act.value)
    return await mends.resume(service, act, node, job, request_id=_again(job, "resume"))


async def read_log(service: Service, act: Act) -> Card:
    """Show the log that was chosen, or the lines of the most telling one that speak of errors."""
    of, _, chosen = act.value.partition(SEPARATOR)
    node, job = await _job(service, act, of)
    return await logs.show(node, job, logs.chosen(chosen))


async def resubmit_partition(service: Service, act: Act) -> Card | None:
    """Run the same on the partition that was chosen; `value` is what, then where."""
    of, _, partition = act.value.rpartition(SEPARATOR)
    return await _rerun(service, act, of, f"partition {partition}", {"partition": partition})


async def resubmit_with(service: Service, act: Act) -> Card | None:
    """Run the same with the option that was chosen; `value` is what, then `name=value`."""
    of, _, choice = act.value.partition(SEPARATOR)
    name, _, value = choice.partition("=")
    if name not in CHOSEN:
        raise Gone("This control belongs to another version of the bot")
    return await _rerun(service, act, of, f"{name} {value}", {name: value})


def mend(remedy: Remedy, changes: Changes) -> ActOn:
    """Return what runs the card's job or request again as a remedy says.

    `value` is what, then the value that the button chose.
    """

    async def act_on(service: Service, act: Act) -> Card | None:
        of, _, chosen = act.value.partition(SEPARATOR)
        request = await _request(service, of)
        name = f"{remedy.action} {chosen}".strip()
        return await _rerun(service, act, of, name, changes(request.options, chosen))

    return act_on


async def _request(service: Service, of: str) -> Request:
    """Return the request of a job's key, or of this id."""
    cluster, _, job_id = of.rpartition(":")
    job = await service.store.job(cluster, job_id) if cluster else None
    request = await service.store.request(job.request if job else of)
    if request is None:
        raise Gone("This launch is no longer known")
    return request


async def _rerun(
    service: Service, act: Act, of: str, name: str, changes: Mapping[str, object]
) -> Card | None:
    """Run it again; a second click of the same name makes the same request.

    The job's own request is in its id, since Slurm uses job ids again.
    """
    if ":" not in of:
        request_id = derive(of, name)
        return await mends.resubmit(service, act, of, changes, request_id=request_id)
    _, job = await _job(service, act, of)
    return await mends.rerun(service, act, job, changes, request_id=_again(job, name))


async def release(service: Service, act: Act) -> Card | None:
    """Release the card's job."""
    node, job = await _job(service, act, act.value)
    return await letting_go.release(service, act, node, job)


async def free_singleton(service: Service, act: Act) -> Card | None:
    """Let the card's job start beside an earlier one of its name."""
    node, job = await _job(service, act, act.value)
    return await letting_go.free(service, act, node, job)


async def check_queue(service: Service, act: Act) -> Card:
    """Show the queue of the card's cluster."""
    request = await _request(service, act.value)
    return await views.jobs(service, act, service.node(act, request.cluster), "all")


async def rerun_with_secret(service: Service, act: Act) -> Card | None:
    """Look whether a secret is there by now; if so, run it again with it."""
    of, _, name = act.value.partition(SEPARATOR)
    request = await _request(service, of)
    await secrets.require(service, service.node(act, request.cluster), name)
    return await _rerun(service, act, of, f"secret {name}", {})


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
    **{one.action: mend(one, one.changes) for one in REMEDIES if one.changes},
    PICK_PARTITION: resubmit_partition,
    PICK_OTHER: resubmit_with,
    "resume": resume,
    READ_LOG: read_log,
    "rerun_with_secret": rerun_with_secret,
    "place_tokenizer": place_tokenizer,
    "check_queue": check_queue,
    "tell_admin": tell_admin,
    RELEASE: release,
    FREE: free_singleton,
}


def _again(job: Job, remedy: str) -> str:
    """Return the id of the request that a remedy makes."""
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
