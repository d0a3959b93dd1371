"""Errands as people wish them: begun once, stopped, tried again."""

from __future__ import annotations

from bot.card import Card, Person
from bot.cards import parts
from bot.cards.errand import errand_card, running_already
from bot.errand import Errand
from bot.errors import Gone
from bot.login_node import LoginNode
from bot.messages import errand_message
from bot.model import Act, derive
from bot.service.plans import options_of, plan
from bot.service.service import Service

TRIES = 5
"""How often a wish is written again when the errand moved on at the same moment."""


async def begin(service: Service, act: Act, node: LoginNode, errand: Errand) -> Card | None:
    """Keep an errand, which is seen to from then on; who comes second joins the first."""
    kept = await service.store.add_errand(errand, errand_message(errand, errand_card(errand)))
    if kept.id != errand.id:
        return running_already(kept, act.caller.channel)
    await service.store.record(act, did=f"begin {errand.kind}", request=errand.id)
    service.wake()
    service.watch.see_to_errands(node.name)
    return None


async def stop(service: Service, act: Act) -> Card | None:
    """Stop the errand of the card; its message tells when it has stopped."""
    for _ in range(TRIES):
        errand, node = await _of(service, act)
        node.policy.started(act.caller, errand.caller.user, "stop")
        if not errand.open or errand.stopper:
            raise Gone("It has ended already" if not errand.open else "It is being stopped already")
        stopping = errand.model_copy(update={"stopper": act.caller.user})
        card = errand_message(stopping, errand_card(stopping))
        if await service.store.save_errand(stopping, card):
            await service.store.record(act, did=f"stop {errand.kind}", request=errand.id)
            service.wake()
            service.watch.see_to_errands(node.name)
            return None
    raise Gone("It changes too fast just now; click again")


async def again(service: Service, act: Act) -> Card | None:
    """Do once more what did not come to its end; the old card says so and loses its controls."""
    errand, node = await _of(service, act)
    node.policy.admit(act.caller)
    if errand.open:
        raise Gone("It is still at work")
    fresh = await plan(
        act,
        node,
        errand.kind,
        options_of(errand),
        errand_id=derive(errand.id, "again"),
        typed=errand.typed,
    )
    answer = await begin(service, act, node, fresh)
    note = parts.fill("{who} had it tried again.", who=Person(user=act.caller.user))
    card = errand_card(errand)
    spent = card.model_copy(update={"buttons": (), "foot": (*card.foot, note)})
    await service.want(errand_message(errand, spent))
    return answer


async def _of(service: Service, act: Act) -> tuple[Errand, LoginNode]:
    errand = await service.store.errand(act.value)
    if errand is None or errand.cluster not in service.nodes:
        raise Gone("This is no longer known")
    return errand, service.nodes[errand.cluster]
