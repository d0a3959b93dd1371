"""Pages of a list, with Slack's cursors."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import TypeVar

from bot.demo.slack.arguments import Arguments
from bot.demo.slack.errors import SlackError

T = TypeVar("T")


def page(
    items: Sequence[T], arguments: Arguments, *, default: int = 100, most: int = 1000
) -> tuple[Sequence[T], str]:
    """The page that `limit` and `cursor` name, and the cursor of the next ("" at the end)."""
    limit = arguments.number("limit", default)
    if not 1 <= limit <= most:
        raise SlackError("invalid_limit")
    start = _start(arguments.text("cursor"))
    end = start + limit
    following = base64.b64encode(f"next:{end}".encode()).decode() if end < len(items) else ""
    return items[start:end], following


def _start(cursor: str | None) -> int:
    if not cursor:
        return 0
    try:
        word, _, number = base64.b64decode(cursor, validate=True).decode().partition(":")
        if word != "next":
            raise SlackError("invalid_cursor")
        return int(number)
    except (binascii.Error, ValueError):
        raise SlackError("invalid_cursor") from None
