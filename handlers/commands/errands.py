"""The subcommands that run long steps on a login node, and what they make."""

from __future__ import annotations

from bot.card import Card
from bot.grammar import Parsed
from bot.model import Act
from bot.service import Service, errands, images
from bot.service.plans import plan
from handlers.commands.command import Run, typed


async def begin(service: Service, act: Act, parsed: Parsed) -> Card | None:
    """Begin what was typed; the act's own id makes a repeated delivery the same errand."""
    node = service.node(act, parsed.cluster)
    kind, options = parsed.subcommand, parsed.options
    errand = await plan(act, node, kind, options, errand_id=act.id, typed=typed(act))
    return await errands.begin(service, act, node, errand)


async def list_images(service: Service, act: Act, parsed: Parsed) -> Card:
    """List the images on the cluster."""
    return await images.show(service.node(act, parsed.cluster))


ERRANDS: dict[str, Run] = {
    "nemo image list": list_images,
    "nemo image pull": begin,
    "nemo setup": begin,
    "nemo-rl setup": begin,
}
