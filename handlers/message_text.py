"""A Slack message → its words: what people paste, and what other bots say in blocks. Pure."""

from __future__ import annotations

import html
import re
from typing import Any

Json = dict[str, Any]

LONGEST = 200_000
"""Characters of one message that are kept; Slack itself cuts a text at 40,000."""

_REFERENCE = re.compile(r"<([^<>|]+)(?:\|([^<>]*))?>")
_FENCE = "```"


def words(message: Json) -> str:
    """Return what a message says: its blocks, else its text, and what is attached to it."""
    said = _blocks(message.get("blocks") or []) or plain(message.get("text") or "")
    attached = [_attachment(one) for one in message.get("attachments") or []]
    return "\n".join(part for part in (said, *attached) if part.strip())[:LONGEST]


def plain(mrkdwn: str) -> str:
    """Return mrkdwn without what Slack's markup adds to a text that was pasted."""
    bare = _REFERENCE.sub(lambda found: found[2] or found[1], mrkdwn)
    return html.unescape(bare.replace(_FENCE, "\n")).strip("\n")


def _attachment(one: Json) -> str:
    fields = [
        f"{field.get('title', '')}: {field.get('value', '')}" for field in _list(one, "fields")
    ]
    parts = [str(one.get(name) or "") for name in ("pretext", "title", "text")]
    said = "\n".join(plain(part) for part in (*parts, *fields) if part)
    inner = _blocks(_list(one, "blocks"))
    return "\n".join(filter(None, (said, inner))) or plain(str(one.get("fallback") or ""))


def _blocks(blocks: list[Json]) -> str:
    return "\n".join(filter(None, map(_block, blocks)))


def _block(block: Json) -> str:
    match block.get("type"):
        case "rich_text":
            return "\n".join(_rich(part) for part in _list(block, "elements"))
        case "table":
            return "\n".join(
                " ".join(_block(cell) or _text(cell) for cell in row)
                for row in _list(block, "rows")
            )
        case _:
            texts = [block.get("text"), *_list(block, "fields"), *_list(block, "elements")]
            return "\n".join(filter(None, map(_text, texts)))


def _rich(part: Json) -> str:
    """Return a section, quote, list or block of code: the spans of a line have no breaks."""
    return ("\n" if part.get("type") == "rich_text_list" else "").join(
        _rich(span) if "elements" in span else _span(span) for span in _list(part, "elements")
    )


def _span(span: Json) -> str:
    match span.get("type"):
        case "link":
            return str(span.get("text") or span.get("url") or "")
        case "emoji":
            return f":{span.get('name', '')}:"
        case "date":
            return str(span.get("fallback") or "")
        case "user" | "usergroup" | "channel" | "broadcast":
            named = (span.get(name) for name in ("user_id", "usergroup_id", "channel_id", "range"))
            return f"@{next(filter(None, named), '')}"
        case _:
            return str(span.get("text") or "")


def _text(value: Any) -> str:
    """Return the words of a text object; a control's label is none."""
    match value:
        case {"type": "mrkdwn", "text": str(text)}:
            return plain(text)
        case {"type": "plain_text" | "raw_text", "text": str(text)}:
            return text
        case str():  # a markdown block's
            return plain(value)
        case _:
            return ""


def _list(value: Json, name: str) -> list[Any]:
    found = value.get(name)
    return found if isinstance(found, list) else []
