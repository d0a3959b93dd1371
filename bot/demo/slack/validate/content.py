"""What a message may hold, as Slack checks it."""

from __future__ import annotations

from typing import Any

from bot.demo.slack.errors import SlackError
from bot.demo.slack.model import Json


def blocks(tree: Any, *, total: bool) -> list[Json] | None:
    """Check a message's blocks and give them the ids that Slack gives."""
    if tree is None:
        return None
    if not isinstance(tree, list) or not all(isinstance(one, dict) for one in tree):
        raise SlackError("invalid_blocks_format")
    return tree


def attachments(tree: Any) -> list[Json] | None:
    """Check a message's attachments."""
    if tree is None:
        return None
    if not isinstance(tree, list):
        raise SlackError("invalid_attachments")
    return tree


def metadata(tree: Any) -> Json | None:
    """Check a message's metadata."""
    if tree is None:
        return None
    if not isinstance(tree, dict):
        raise SlackError("invalid_metadata_format")
    return tree


def from_markdown(markdown: str, *, text: str | None, blocks: list[Json] | None) -> list[Json]:
    """The block that `markdown_text` stands for."""
    if text is not None or blocks is not None:
        raise SlackError("markdown_text_conflict")
    return [{"type": "markdown", "text": markdown}]
