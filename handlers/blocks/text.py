"""Words → the text objects of Block Kit. Nothing untrusted is ever parsed as mrkdwn."""

from __future__ import annotations

from typing import Any

from bot.card import Link, Moment, Mono, Person, Span, Strong, Text

Json = dict[str, Any]

SMALL_PRINT = 400
"""Characters of one piece of small print; five times as many when all are escaped."""


_TURNS = dict.fromkeys(
    (*range(0x202A, 0x202F), *range(0x2066, 0x206A)), "\N{REPLACEMENT CHARACTER}"
)
"""Characters that turn the direction in which all that follows them is read …"""
_CONTROLS = dict.fromkeys(
    code for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n\r"
)
"""… and those that mean nothing in Slack, such as the escapes of a terminal's colours."""


def straight(text: str) -> str:
    """Return text that is read in the order in which it is written; names stay what they are."""
    return text.translate(_TURNS | _CONTROLS)


def escape(text: str) -> str:
    """Return text that Slack's mrkdwn parser takes literally, as far as it can be told to.

    `&`, `<` and `>` are the only characters Slack lets one escape; they carry mentions and links.
    """
    return straight(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def plain_text(text: str, limit: int) -> Json:
    """Return a plain_text object, cut at `limit` characters."""
    return {"type": "plain_text", "text": clip(text, limit), "emoji": False}


def clip(text: str, limit: int) -> str:
    """Return at most `limit` characters; a cut is visible. Never empty, as Slack refuses that."""
    text = straight(text)
    if len(text) > limit:
        return text[: limit - 1] + "…"
    return text or " "


def elements(text: Text, *, bold: bool = False) -> list[Json]:
    """Return the rich_text elements of a text."""
    return [_element(span, bold=bold) for span in text if _says(span)]


def _says(span: Span) -> bool:
    """Whether there is anything to show; Slack refuses an empty text."""
    return bool(span.text if isinstance(span, Mono | Strong | Link) else span)


def _element(span: Span, *, bold: bool) -> Json:
    style: Json = {"bold": True} if bold else {}
    match span:
        case str():
            return _styled(span, style)
        case Strong(text=text):
            return _styled(text, {"bold": True})
        case Mono(text=text):
            return _styled(text, {**style, "code": True})
        case Link(text=text, url=url):
            return {"type": "link", "url": url, "text": straight(text)}
        case Person(user=user):
            return {"type": "user", "user_id": user}
        case Moment(at=at):
            return {
                "type": "date",
                "timestamp": int(at.timestamp()),
                "format": "{date_short_pretty} {time}",
                "fallback": f"{at:%Y-%m-%d %H:%M} UTC",
            }


def _styled(text: str, style: Json) -> Json:
    element: Json = {"type": "text", "text": straight(text)}
    return {**element, "style": style} if style else element


def mrkdwn(text: Text) -> str:
    """Return mrkdwn for the small print, where rich text is not allowed.

    Words are cut before they are escaped, so that no code span or entity is torn apart.
    """
    return "".join(_mrkdwn(span) for span in text if _says(span))


def line(text: Text, limit: int) -> str:
    """Return about `limit` characters for a notification: words as they are, people by name."""
    told, spare = "", limit
    for span in text:
        if isinstance(span, Person | Moment):
            told += _mrkdwn(span)
            continue
        words = span if isinstance(span, str) else span.text
        if len(words) > spare:
            return told + (escape(clip(words, spare)) if spare else "…")
        told += escape(words)
        spare -= len(words)
    return told or " "


def _mrkdwn(span: Span) -> str:
    match span:
        case str():
            return escape(clip(span, SMALL_PRINT))
        case Strong(text=text):
            return f"*{escape(clip(text, SMALL_PRINT))}*"
        case Mono(text=text):
            # A line break or backtick would end the code span, and Slack cannot escape one.
            code = " ".join(clip(text, SMALL_PRINT).splitlines()).replace("`", "´")
            return f"`{escape(code)}`"
        case Link(text=text, url=url):
            return f"<{escape(url)}|{escape(clip(text, SMALL_PRINT))}>"
        case Person(user=user):
            return f"<@{user}>"
        case Moment(at=at):
            fallback = f"{at:%Y-%m-%d %H:%M} UTC"
            return f"<!date^{int(at.timestamp())}^{{date_short_pretty}} {{time}}|{fallback}>"
