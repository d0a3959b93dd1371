"""Slack's text: what is stored, what it mentions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from bot.demo.slack.model import Json

_TOKEN = re.compile(
    r"<(?:@[UW][A-Z0-9]+(?:\|[^<>]*)?|#C[A-Z0-9]+(?:\|[^<>]*)?|![^<>\s][^<>]*"
    r"|(?:https?|mailto|tel|slack):[^<>]+)>"
)
_GIVEN = re.compile(r"<(?:@[UW][A-Z0-9]+|#C[A-Z0-9]+)(?:\|[^<>]*)?>")
_REACHES = frozenset({"channel", "here", "everyone"})
_DOMAIN = re.compile(
    r"[a-z0-9][a-z0-9-]*(\.[a-z0-9-]+)*\.(com|org|net|io|dev|ai|py|sh)(/[^\s<>]*)?"
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


def typed(text: str, users: Mapping[str, str], channels: Mapping[str, str]) -> str:
    """What a person typed, as Slack sends it on: names become ids, addresses links.

    A word such as `run.py` is an address to Slack, since `.py` and `.sh` are domains.
    """
    words = re.split(r"(\s+)", text)
    return "".join(_word(word, users, channels) for word in words)


def _word(word: str, users: Mapping[str, str], channels: Mapping[str, str]) -> str:
    if _GIVEN.fullmatch(word):  # already in Slack's form
        return word
    if found := re.fullmatch(r"([@#])([a-z0-9._-]*[a-z0-9])(\W*)", word):
        sign, name, rest = found.groups()
        if sign == "@" and name in _REACHES:
            return f"<!{name}>{_literal(rest)}"
        known = users if sign == "@" else channels
        if name in known:
            return f"<{sign}{known[name]}|{name}>{_literal(rest)}"
    if re.fullmatch(r"https?://[^\s<>]+", word):
        return f"<{_literal(word)}>"
    if _DOMAIN.fullmatch(word):
        return f"<http://{_literal(word)}|{_literal(word)}>"
    return _literal(word)


def _literal(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


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
