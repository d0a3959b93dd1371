"""Slack's text: what is stored, what it mentions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from bot.demo.slack.model import Json

_TOKEN = re.compile(
    r"<(?:@[UW][A-Z0-9]+(?:\|[^<>]*)?|#C[A-Z0-9]+(?:\|[^<>]*)?|![^<>\s][^<>]*|(?:https?|mailto|tel|slack):[^<>]+)>"
)
_STRAY_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt);)")
_MENTION = re.compile(
    r"<(@[UW][A-Z0-9]+|!(?:channel|here|everyone)|!subteam\^S[A-Z0-9]+)(?:\|[^<>]*)?>"
)


def stored(text: str) -> str:
    """The text as Slack keeps it: stray `&`, `<`, `>` become entities, control sequences stay."""
    pieces: list[str] = []
    end = 0
    for token in _TOKEN.finditer(text):
        pieces += [_escape(text[end : token.start()]), token.group()]
        end = token.end()
    pieces.append(_escape(text[end:]))
    return "".join(pieces)


def _escape(text: str) -> str:
    return _STRAY_AMPERSAND.sub("&amp;", text).replace("<", "&lt;").replace(">", "&gt;")


def mentions(text: str) -> set[str]:
    """Who is called by mrkdwn text: `U…`, `S…`, `channel`, `here`, `everyone`."""
    return {
        one.group(1).removeprefix("@").removeprefix("!").removeprefix("subteam^")
        for one in _MENTION.finditer(text)
    }


def called(text: str, blocks: list[Json] | None) -> set[str]:
    """Who a message calls, by its text or anywhere in its blocks.

    Code spans count too: Slack reads control sequences before formatting.
    """
    found = mentions(text)
    for node in _nodes(blocks or []):
        match node:
            case {"type": "mrkdwn" | "markdown", "text": str(words)}:
                found |= mentions(words)
            case {"type": "user", "user_id": str(user)}:
                found.add(user)
            case {"type": "usergroup", "usergroup_id": str(group)}:
                found.add(group)
            case {"type": "broadcast", "range": str(reach)}:
                found.add(reach)
            case _:
                pass
    return found


def _nodes(tree: Any) -> Iterator[Json]:
    if isinstance(tree, dict):
        yield tree
        for value in tree.values():
            yield from _nodes(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from _nodes(value)
