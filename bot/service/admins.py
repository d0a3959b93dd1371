"""Telling the administrators of a cluster what a person cannot mend."""

from __future__ import annotations

from bot.card import Card
from bot.cards import admins as cards
from bot.diagnosis import diagnose
from bot.errors import Gone, UserError
from bot.explaining import earlier_labels, explanation_of
from bot.job import Job
from bot.login_node import LoginNode
from bot.model import Act, derive
from bot.ports import Wanted
from bot.service.service import Service

NOWHERE = (
    "It is not configured where the administrators read, so please write to them; they can set "
    "`channel` under `[admins]`"
)


async def tell(service: Service, act: Act, node: LoginNode, job: Job) -> Card:
    """Tell them of a job that failed; a second click is the same message."""
    channel = _channel(node)
    request = await service.store.request(job.request)
    earlier = await earlier_labels(service.store, job)
    finding = (await explanation_of(node, job, earlier, request)).finding
    if finding is None or finding.healthy:
        raise UserError(f"Nothing of job {job.id} failed that the administrators could mend")
    key = derive(job.request or job.key, job.id, str(job.attempt))
    card = cards.report(job, finding, act.caller.user)
    await service.store.record(act, did="tell administrators", job=job.key, request=job.request)
    await service.want(Wanted(key=f"admins/{key}", channel=channel, card=card))
    return cards.told(f"job {job.id}")


async def tell_of_refusal(service: Service, act: Act, request_id: str) -> Card:
    """Tell them of a launch that came to nothing."""
    request = await service.store.request(request_id)
    if request is None:
        raise Gone("This request is no longer known")
    node = service.node(act, request.cluster)
    channel = _channel(node)
    finding = diagnose({"launcher": request.error})
    card = cards.refusal_report(request, finding, act.caller.user)
    await service.store.record(act, did="tell administrators", request=request.id)
    await service.want(Wanted(key=f"admins/{request.id}", channel=channel, card=card))
    return cards.told("it")


def _channel(node: LoginNode) -> str:
    if not node.admin_channel:
        raise UserError(NOWHERE)
    return node.admin_channel
