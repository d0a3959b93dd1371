"""The recipes on a cluster."""

from __future__ import annotations

from bot.card import Card
from bot.cards.recipes import listing, recipes_card
from bot.cluster.recipes import recipes
from bot.errors import CommandFailed, FieldError, InputRefused, SbatchatError, UserError
from bot.login_node import LoginNode
from bot.model import Act
from bot.service.service import Service
from bot.suggest import did_you_mean


async def show(node: LoginNode, kind: str = "") -> Card:
    """List the recipes of one kind, or of all; raises InputRefused for a kind there is not."""
    site = await node.site()
    folder = site.path(site.nemo_dir)
    try:
        found = await node.run(recipes(folder))
    except CommandFailed as error:
        raise UserError(
            f"`{folder}` cannot be entered on {node.name}. `/nemo setup` puts the recipes in place"
        ) from error
    wished = kind.lower().rstrip("/")
    if wished and wished not in found.by_kind:
        there = f"There is {', '.join(f'`{name}`' for name in found.by_kind) or 'none'}"
        hint = did_you_mean(wished, found.by_kind) or there
        raise InputRefused((FieldError("kind", f"There are no recipes of kind `{kind}`", hint),))
    return recipes_card(node.name, folder, found, wished)


async def with_choice(service: Service, act: Act, card: Card) -> Card:
    """Return the card that misses a recipe, with those that can be launched.

    Whatever stands in the way of that is no news here: the card stays as it is.
    """
    try:
        node = service.node(act)
        site = await node.site()
        found = await node.run(recipes(site.path(site.nemo_dir)))
    except SbatchatError:
        return card
    return card.model_copy(update={"parts": (*card.parts, *listing(found.by_kind))})
