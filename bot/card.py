"""A message in neutral terms. All text in it is plain and untrusted; a surface renders it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from bot.model import Value


class Mono(Value):
    """A name, path, number or command, set in a fixed-width face."""

    kind: Literal["mono"] = "mono"
    text: str


class Strong(Value):
    """Words that matter most."""

    kind: Literal["strong"] = "strong"
    text: str


class Moment(Value):
    """A time, shown in the reader's own zone."""

    kind: Literal["moment"] = "moment"
    at: AwareDatetime


class Person(Value):
    """A Slack user, named without being notified more than Slack does."""

    kind: Literal["person"] = "person"
    user: str


class Link(Value):
    """A place in Slack that one can go to."""

    kind: Literal["link"] = "link"
    text: str
    url: str


Span = str | Annotated[Mono | Strong | Link | Moment | Person, Field(discriminator="kind")]
Text = tuple[Span, ...]


class Tone(StrEnum):
    """What a card is about, for the sign in front of its lead."""

    ASKING = "asking"
    WAITING = "waiting"
    WORKING = "working"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    TROUBLE = "trouble"
    PLAIN = "plain"


class Fact(Value):
    """A label and its value, on one line."""

    label: str
    value: Text


class Paragraph(Value):
    """Some sentences."""

    kind: Literal["paragraph"] = "paragraph"
    text: Text


class Excerpt(Value):
    """Lines of a log or file, exactly as they are."""

    kind: Literal["excerpt"] = "excerpt"
    caption: Text = ()
    text: str


class Bullets(Value):
    """A list."""

    kind: Literal["bullets"] = "bullets"
    items: tuple[Text, ...]


class Table(Value):
    """At most 5 columns; the first names the row."""

    kind: Literal["table"] = "table"
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Part = Annotated[Paragraph | Excerpt | Bullets | Table, Field(discriminator="kind")]


class Button(Value):
    """Something the reader can do; `value` says to what."""

    action: str
    label: str
    value: str
    style: Literal["", "primary", "danger"] = ""
    confirm: str = ""
    """The question asked before it hurts; empty asks nothing."""


class Choice(Value):
    """One entry of a pick."""

    label: str
    value: str


class Pick(Value):
    """A select; choosing acts at once."""

    action: str
    placeholder: str
    choices: tuple[Choice, ...]


class Card(Value):
    """One message: the point first, then facts, parts, controls, and small print."""

    lead: Text
    tone: Tone = Tone.PLAIN
    title: str = ""
    facts: tuple[Fact, ...] = ()
    parts: tuple[Part, ...] = ()
    buttons: tuple[Button, ...] = ()
    pick: Pick | None = None
    foot: tuple[Text, ...] = ()


def plain(text: Text) -> str:
    """Return the words of a text without their looks; moments in UTC."""
    return "".join(_word(span) for span in text)


def _word(span: Span) -> str:
    match span:
        case str():
            return span
        case Mono(text=text) | Strong(text=text) | Link(text=text):
            return text
        case Moment(at=at):
            return f"{at:%Y-%m-%d %H:%M} UTC"
        case Person(user=user):
            return f"@{user}"
