"""All blocks of a message, a modal or a Home tab: checked, then completed as Slack does."""

from __future__ import annotations

import copy
import secrets
import string
from typing import Any

from bot.demo.slack.model import Json
from bot.demo.slack.validate.blocks import Surface, block
from bot.demo.slack.validate.elements import INTERACTIVE
from bot.demo.slack.validate.rules import RULES
from bot.demo.slack.validate.shape import Check, Place, array

MOST_BLOCKS: dict[Surface, int] = {"message": 50, "modal": 100, "home": 100}
_LETTERS = string.ascii_letters + string.digits

_CHECKS: dict[Surface, Check] = {
    surface: array(block(surface), 0, most) for surface, most in MOST_BLOCKS.items()
}


def check(blocks: Any, surface: Surface, place: Place) -> None:
    """Note every problem; the rules over all blocks only once each block is sound."""
    before = len(place.problems)
    _CHECKS[surface](blocks, place)
    if len(place.problems) == before:
        for rule in RULES:
            rule(blocks, surface, place)


def completed(blocks: list[Json]) -> list[Json]:
    """A copy with the ids and flags that Slack adds."""
    done = copy.deepcopy(blocks)
    for one in done:
        if one["type"] == "markdown":
            one.pop("block_id", None)  # Slack makes its own
        one.setdefault("block_id", _random_id())
        _complete(one)
    return done


def _complete(node: Any) -> None:
    if isinstance(node, list):
        for one in node:
            _complete(one)
    elif isinstance(node, dict):
        _fill(node)
        for child in node.get("child_blocks", []):
            child.setdefault("block_id", _random_id())
        for value in node.values():
            _complete(value)


def _fill(node: Json) -> None:
    kind = node.get("type")
    if kind == "plain_text":
        node.setdefault("emoji", True)
    elif kind == "mrkdwn":
        node.setdefault("verbatim", False)
    elif kind in INTERACTIVE:
        node.setdefault("action_id", _random_id())
    elif kind in {"rich_text", "card", "task_card"}:
        node.setdefault("block_id", _random_id())


def _random_id() -> str:
    return "".join(secrets.choice(_LETTERS) for _ in range(5))
