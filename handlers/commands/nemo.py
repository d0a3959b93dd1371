"""The subcommands of /nemo."""

from __future__ import annotations

from bot.card import Card
from bot.grammar import Parsed
from bot.grammar.commands import Recipes
from bot.model import Act
from bot.service import Service, recipes
from handlers.commands.command import Run, options


async def show_recipes(service: Service, act: Act, parsed: Parsed) -> Card:
    """List the recipes."""
    node = service.node(act, parsed.cluster)
    return await recipes.show(node, options(parsed, Recipes).kind or "")


NEMO: dict[str, Run] = {"nemo recipes": show_recipes}
