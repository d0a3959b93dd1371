"""What a message may hold, as Slack checks it."""

from __future__ import annotations

from typing import Any

from bot.demo.slack.errors import SlackError
from bot.demo.slack.model import Json
from bot.demo.slack.validate import surfaces
from bot.demo.slack.validate.shape import Place
from bot.demo.slack.validate.tables import characters

LONGEST_BLOCKS = 12_000  # characters over all blocks; undocumented, seen in the field
LONGEST_MARKDOWN = 12_000
MOST_ATTACHMENTS = 100


def refused(code: str, problems: list[str]) -> SlackError:
    """The error with its reasons where Slack puts them."""
    messages = {"messages": [f"[ERROR] {one}" for one in problems]}
    return SlackError(code, errors=problems, response_metadata=messages)


def blocks(tree: Any, *, total: bool) -> list[Json] | None:
    """Check a message's blocks and complete them; `total` limits the text over all of them.

    Raises invalid_blocks_format, invalid_blocks or msg_blocks_too_long.
    """
    if tree is None:
        return None
    if not isinstance(tree, list) or not all(isinstance(one, dict) for one in tree):
        raise SlackError("invalid_blocks_format")
    place = Place("/blocks")
    surfaces.check(tree, "message", place)
    if place.problems:
        raise refused("invalid_blocks", place.problems)
    if total and characters([one for one in tree if one["type"] != "data_table"]) > LONGEST_BLOCKS:
        raise SlackError("msg_blocks_too_long")
    return surfaces.completed(tree)


def attachments(tree: Any) -> list[Json] | None:
    """Check a message's attachments; raises invalid_attachments or too_many_attachments."""
    if tree is None:
        return None
    if not isinstance(tree, list) or not all(isinstance(one, dict) for one in tree):
        raise SlackError("invalid_attachments")
    if len(tree) > MOST_ATTACHMENTS:
        raise SlackError("too_many_attachments")
    place = Place("/attachments")
    for index, one in enumerate(tree):
        if "blocks" in one:
            surfaces.check(one["blocks"], "message", place.at(index).at("blocks"))
    if place.problems:
        raise refused("invalid_attachments", place.problems)
    return [
        one | {"blocks": surfaces.completed(one["blocks"])} if "blocks" in one else one
        for one in tree
    ]


def from_markdown(markdown: str, *, text: str | None, blocks: list[Json] | None) -> list[Json]:
    """The block that `markdown_text` stands for; raises markdown_text_conflict, msg_too_long."""
    if text is not None or blocks is not None:
        raise SlackError("markdown_text_conflict")
    if not markdown:
        raise SlackError("no_text")
    if len(markdown) > LONGEST_MARKDOWN:
        raise SlackError("msg_too_long")
    return surfaces.completed([{"type": "markdown", "text": markdown}])


def message(tree: Any) -> None:
    """Check a whole message payload."""
    if not isinstance(tree, dict):
        raise SlackError("invalid_blocks_format")
    blocks(tree.get("blocks"), total=True)
    attachments(tree.get("attachments"))
