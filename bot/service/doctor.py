"""A cluster looked at from top to bottom, and what to do about what is wrong."""

from __future__ import annotations

from bot.card import Card
from bot.cards.doctor import doctor_card, looking
from bot.check import Check
from bot.checks import examine
from bot.checks.reach import host, one_host, reached, unreached
from bot.errors import ClusterError
from bot.login_node import LoginNode
from bot.model import Act
from bot.ports import Wanted
from bot.service.service import Service


async def show(service: Service, act: Act, node: LoginNode) -> None:
    """Tell the channel that the cluster is being looked at, and there what came of it."""

    def wanted(card: Card) -> Wanted:
        thread = act.caller.thread or act.message_ts
        return Wanted(key=f"doctor/{act.id}", channel=act.caller.channel, card=card, thread=thread)

    await service.want(wanted(looking(node.name)))
    checks = await _checks(node)
    await service.want(wanted(doctor_card(node.name, checks)))


async def _checks(node: LoginNode) -> tuple[Check, ...]:
    try:
        checks, seen = await examine(node.name, node.settings, node, node.secrets)
        one = await _one_host(node, seen.host)
    except ClusterError as error:
        return (unreached(node.name, node.settings, error),)
    return (reached(node.name, node.settings, seen.host), *one, *checks)


async def _one_host(node: LoginNode, first: str) -> tuple[Check, ...]:
    """See whether another connection arrives at the same host."""
    if node.again is None:
        return ()
    async with node.again() as other:
        return (one_host(node.name, first, await other.run(host())),)
