"""The first way: Slack's Python models read a payload, check it, and write the same again."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from slack_sdk.errors import SlackObjectFormationError
from slack_sdk.models.blocks import Block

from tests.payloads.recorder import Json

UNKNOWN = {
    "data_table": "slack_sdk 3.48 has no model of it; the TypeScript types have",
    "data_visualization": "Slack documents it; neither slack_sdk nor the TypeScript types have it",
}
"""Types of blocks that the models cannot judge, and why: each is left to the other ways."""


def problems(payload: Json) -> list[str]:
    """Return what the models find wrong with the blocks of a payload, or silently drop."""
    found = []
    for index, block in enumerate(payload["arguments"].get("blocks") or ()):
        if isinstance(block, dict) and block.get("type") in UNKNOWN:
            continue
        found += [f"/blocks/{index}: {problem}" for problem in _of_block(block)]
    return found


def _of_block(block: Any) -> list[str]:
    try:
        # Parsing takes pieces out of what it is given.
        parsed = Block.parse(deepcopy(block))
        if parsed is None:
            return ["no model of this type"]
        parsed.validate_json()
        again = parsed.to_dict()
    except (SlackObjectFormationError, TypeError, KeyError, AttributeError) as error:
        return [f"{type(error).__name__}: {error}"]
    return [] if again == block else [f"comes back as {again}"]
