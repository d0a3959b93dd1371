"""Bad payloads: a sound one with one thing wrong, and the ways that must notice it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.payloads.recorder import Json

SOUND: Json = {
    "channel": "C0TRAINING1",
    "text": "It failed",
    "metadata": {"event_type": "sbatchat_message", "event_payload": {"key": "request/1"}},
}
UNFURL = {"unfurl_links": False, "unfurl_media": False}


@dataclass(frozen=True)
class Planted:
    """What is wrong, where it stands, and who notices: everybody who is named and nobody else."""

    about: str
    ways: frozenset[str]
    blocks: tuple[Any, ...] = ()
    changes: tuple[tuple[str, Any], ...] = ()
    method: str = "chat.postMessage"

    @property
    def payload(self) -> Json:
        """The payload that carries it."""
        sound = SOUND | (UNFURL if self.method == "chat.postMessage" else {"ts": "1.0"})
        arguments = {**sound, "blocks": list(self.blocks), **dict(self.changes)}
        return {"method": self.method, "arguments": arguments}


def plain(text: str) -> Json:
    """A plain_text object."""
    return {"type": "plain_text", "text": text}


def button(action_id: str = "go", **more: Any) -> Json:
    """A button."""
    return {"type": "button", "action_id": action_id, "text": plain("Go"), **more}


def actions(*elements: Json) -> Json:
    """An actions block."""
    return {"type": "actions", "elements": list(elements)}


def select(*options: Json) -> Json:
    """A static select."""
    return {"type": "static_select", "action_id": "pick", "options": list(options)}


def option(value: str, label: str = "a") -> Json:
    """An option of a select."""
    return {"text": plain(label), "value": value}


def asking(**changes: Any) -> Json:
    """A button with a confirm dialog."""
    words = {"title": "Sure?", "text": "It ends.", "confirm": "End", "deny": "Back"}
    dialog = {name: plain(text) for name, text in words.items()}
    return actions(button(style="danger", confirm={**dialog, **changes}))


def rich(text: str) -> Json:
    """A rich_text block of one piece."""
    section = {"type": "rich_text_section", "elements": [{"type": "text", "text": text}]}
    return {"type": "rich_text", "elements": [section]}


def small(text: str, **more: Any) -> Json:
    """Small print."""
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": text, **more}]}


def table(rows: int, columns: int = 1, text: str = "x") -> Json:
    """A table of equal cells."""
    cell = {"type": "raw_text", "text": text}
    return {"type": "table", "rows": [[cell] * columns] * rows}


def _by(*ways: str) -> frozenset[str]:
    return frozenset(ways)


PLANTED = (
    Planted("nothing wrong", _by(), (rich("words"), actions(button()), table(2), small("x"))),
    Planted("an unknown block", _by("models", "types", "limits", "slack"), ({"type": "nonsense"},)),
    Planted("a misspelt key", _by("models", "types", "slack"), ({**rich("x"), "block": "b"},)),
    Planted("a key too many", _by("models", "types", "slack"), (small("x", emoji=True),)),
    Planted("no text in a header", _by("models", "types", "slack"), ({"type": "header"},)),
    Planted("a wrong style", _by("models", "types", "slack"), (actions(button(style="big")),)),
    Planted(
        "mrkdwn in a header",
        _by("types", "slack"),
        ({"type": "header", "text": {"type": "mrkdwn", "text": "x"}},),
    ),
    Planted(
        "a misspelt argument",
        _by("types"),
        (rich("x"),),
        (("reply_brodcast", True),),
    ),
    Planted(
        "null in the metadata",
        _by("types", "slack"),
        (rich("x"),),
        (("metadata", {"event_type": "x", "event_payload": {"key": None}}),),
    ),
    Planted("no fallback", _by("limits"), (rich("x"),), (("text", ""),)),
    Planted("a shout in the fallback", _by("limits"), (rich("x"),), (("text", "<!channel> x"),)),
    Planted("a shout in small print", _by("limits"), (small("job <!channel>"),)),
    Planted("a link in small print", _by("limits"), (small("<https://example.org|log>"),)),
    Planted(
        "a long fallback in an update",
        _by("limits", "slack"),
        (rich("x"),),
        (("text", "x" * 4_001),),
        "chat.update",
    ),
    Planted(
        "an alert in a message",
        _by("limits", "slack"),
        ({"type": "alert", "text": plain("x"), "level": "error"},),
    ),
    Planted("51 blocks", _by("limits", "slack"), (rich("x"),) * 51),
    Planted("12,001 characters", _by("limits", "slack"), (rich("x" * 6_000), rich("y" * 6_001))),
    Planted("an empty text", _by("models", "limits", "slack"), (rich(""),)),
    Planted("two tables", _by("limits", "slack"), (table(1), table(1))),
    Planted("101 rows", _by("limits", "slack"), (table(101),)),
    Planted("21 columns", _by("limits", "slack"), (table(1, 21),)),
    Planted("10,001 characters in a table", _by("limits", "slack"), (table(1, 1, "x" * 10_001),)),
    Planted(
        "a long button value",
        _by("models", "limits", "slack"),
        (actions(button(value="x" * 2_001)),),
    ),
    Planted("a long option value", _by("limits", "slack"), (actions(select(option("x" * 151))),)),
    Planted("a long option", _by("limits", "slack"), (actions(select(option("x", "y" * 76))),)),
    Planted("no options", _by("models", "limits", "slack"), (actions(select()),)),
    Planted(
        "101 options", _by("models", "limits", "slack"), (actions(select(*map(option, "x" * 101))),)
    ),
    Planted("a long question", _by("models", "limits", "slack"), (asking(text=plain("x" * 301)),)),
    Planted("a long answer", _by("models", "limits", "slack"), (asking(confirm=plain("x" * 31)),)),
    Planted(
        "a long header",
        _by("models", "limits", "slack"),
        ({"type": "header", "text": plain("x" * 151)},),
    ),
    Planted(
        "26 buttons",
        _by("models", "limits", "slack"),
        (actions(*map(button, map(str, range(26)))),),
    ),
    Planted("an action id twice", _by("limits", "slack"), (actions(button(), button()),)),
    Planted(
        "two emphasised buttons",
        _by("limits"),
        (actions(button("a", style="primary"), button("b", style="primary")),),
    ),
    Planted("a danger that does not ask", _by("limits"), (actions(button(style="danger")),)),
)
