"""How a workload's command becomes a request: the same for each of them."""

from __future__ import annotations

from bot.card import Card
from bot.grammar import Parsed
from bot.model import Act
from bot.service import Service
from bot.service.launches import draft, launch
from handlers.commands.command import typed


async def run(service: Service, act: Act, parsed: Parsed) -> Card | None:
    """Launch what was typed; the act's own id makes a repeated delivery the same request."""
    node = service.node(act, parsed.cluster)
    request = draft(
        act,
        node,
        parsed.subcommand,
        parsed.options,
        request_id=act.id,
        typed=typed(act),
        notes=parsed.notes,
    )
    return await launch(service, act, node, request)
