"""From validated words to a stored request: check it on the cluster, quote it, ask or go."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from bot.card import Card
from bot.cards import launch as cards
from bot.cards.request import proposed, submitting, withdrawn
from bot.cluster import slurm
from bot.errors import ClusterError, Gone
from bot.launching import QUIET
from bot.login_node import LoginNode
from bot.mending import case_of_request
from bot.messages import living
from bot.model import Act, Request, Stage, derive
from bot.options import Options
from bot.service.checking import checked, placed
from bot.service.service import Service
from bot.workload import Workload
from bot.workloads import WORKLOADS


async def launch(service: Service, act: Act, node: LoginNode, draft: Request) -> Card | None:
    """Check a draft, then submit it or ask first; None when a card in the channel says it all."""
    known = await service.store.request(draft.id)
    if known is not None:
        return cards.already(known)
    workload = WORKLOADS[draft.workload]
    options = workload.model.model_validate(draft.options)
    draft = await checked(node, workload, options, draft)
    wished = [await node.partition(name) for name in draft.resources.partition.split(",")]
    partition = wished[0]
    if partition is None or None in wished:
        return await _no_such_partition(service, node, draft)
    draft = placed(workload, draft, partition)
    if getattr(options, "dry_run", False):
        return await _dry_run(node, workload, draft)
    if node.policy.must_ask(draft.resources, draft.attempts):
        await _propose(service, node, draft)
        return None
    await accept(service, act, draft)
    return None


def draft(  # noqa: PLR0913  # each is a field of the draft
    act: Act,
    node: LoginNode,
    workload: str,
    options: Options,
    *,
    request_id: str,
    typed: str,
    origin: str = "",
    change: str = "",
    notes: tuple[str, ...] = (),
) -> Request:
    """Return an unchecked request."""
    return Request(
        id=request_id,
        cluster=node.name,
        workload=workload,
        options=options.model_dump(mode="json", exclude_unset=True),
        typed=typed,
        caller=act.caller,
        created=datetime.now(UTC),
        title=WORKLOADS[workload].title(options),
        heading=WORKLOADS[workload].heading(options),
        origin=origin,
        change=change,
        notes=notes,
    )


async def accept(service: Service, act: Act, request: Request) -> None:
    """Take a request on: from here the launcher sees to it, whatever happens to this process."""
    now = datetime.now(UTC)
    going = request.model_copy(update={"stage": Stage.ACCEPTED, "accepted": now})
    card = living(going, submitting(going), not_before=now + QUIET)
    kept = await service.store.add_request(going, card)
    await service.store.record(act, did=f"submit {going.workload}", request=going.id)
    if kept.stage is Stage.ACCEPTED:
        service.carrier.start(kept)


async def _propose(service: Service, node: LoginNode, draft: Request) -> None:
    """Ask in the channel before something costly is submitted."""
    asked = await _with_start(node, draft)
    await service.store.add_request(asked, living(asked, proposed(asked)))
    service.wake()


async def confirm(service: Service, act: Act) -> Card | None:
    """Submit a proposed request, on a click."""
    request = await _own(service, act, "submit")
    now = datetime.now(UTC)
    agreed = {"stage": Stage.ACCEPTED, "accepted": now, "confirmed": True}
    going = request.model_copy(update=agreed)
    card = living(going, submitting(going))
    if not await service.store.save_request(going, card, was=Stage.PROPOSED):
        raise Gone("That was settled before")
    await service.store.record(act, did=f"submit {going.workload}", request=going.id)
    service.wake()
    service.carrier.start(going)
    return None


async def withdraw(service: Service, act: Act) -> Card | None:
    """Give up a request that was proposed, or whose submission is not certain."""
    request = await _own(service, act, "cancel")
    gone = request.model_copy(update={"stage": Stage.WITHDRAWN})
    card = living(gone, withdrawn(gone, by=act.caller.user, unsure=request.stage is Stage.UNKNOWN))
    for was in (Stage.PROPOSED, Stage.UNKNOWN):
        if await service.store.save_request(gone, card, was=was):
            await service.store.record(act, did="withdraw", request=gone.id)
            service.wake()
            return None
    raise Gone("That was settled before")


async def submit_again(service: Service, act: Act) -> Card | None:
    """Submit once more what may have been lost, since a person says so."""
    request = await _own(service, act, "submit")
    node = service.nodes[request.cluster]
    again = draft(
        act,
        node,
        request.workload,
        WORKLOADS[request.workload].model.model_validate(request.options),
        request_id=derive(request.id, "again"),
        typed=request.typed,
        origin=request.origin,
        change=request.change,
    )
    closed = request.model_copy(update={"stage": Stage.WITHDRAWN})
    card = living(closed, withdrawn(closed, by=act.caller.user, unsure=True, again=True))
    if not await service.store.save_request(closed, card, was=Stage.UNKNOWN):
        raise Gone("That was settled before")
    kept = ("resources", "quote", "files", "flags", "notes", "confirmed")
    again = again.model_copy(update={name: getattr(request, name) for name in kept})
    await accept(service, act, again)
    service.wake()
    return None


async def _own(service: Service, act: Act, deed: str) -> Request:
    request = await service.store.request(act.value)
    if request is None or request.cluster not in service.nodes:
        raise Gone("This request is no longer known")
    service.nodes[request.cluster].policy.own(act.caller, request, deed)
    return request


async def _with_start(node: LoginNode, draft: Request) -> Request:
    """Return the draft with the start that Slurm expects; no answer is no reason to stop."""
    resources = draft.resources
    if draft.quote.limit_from:
        resources = resources.model_copy(update={"time": None})
    account = str(draft.options.get("account") or "")
    qos = str(draft.options.get("qos") or "")
    try:
        estimate = await node.run(slurm.start_estimate(resources, account, qos))
    except ClusterError as error:
        silent = {"silence": error.sentence}
        return draft.model_copy(update={"quote": draft.quote.model_copy(update=silent)})
    told = {"starts": estimate.start, "note": estimate.refused}
    return draft.model_copy(update={"quote": draft.quote.model_copy(update=told)})


async def _no_such_partition(service: Service, node: LoginNode, draft: Request) -> Card:
    """Keep what was asked, and offer the partitions that there are."""
    kept = draft.model_copy(update={"stage": Stage.REFUSED, "error": "no such partition"})
    await service.store.add_request(kept)
    return cards.no_such_partition(kept, await case_of_request(node, kept))


async def _dry_run(node: LoginNode, workload: Workload[Any], draft: Request) -> Card:
    asked = await _with_start(node, draft)
    spec = await node.spec(workload, asked)
    return cards.dry_run(asked, spec)
