"""A card cut down to what Slack takes in one message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from bot.card import (
    Bullets,
    Card,
    Excerpt,
    Fact,
    Mono,
    Paragraph,
    Part,
    Span,
    Strong,
    Table,
    Text,
    plain,
)
from handlers.blocks.text import clip

MESSAGE_TEXT = 9_500
"""Characters over all blocks. Slack refuses near 12,000 (`msg_blocks_too_long`), undocumented.

A table may hold 10,000, so this keeps that limit as well.
"""
EXCERPT_LEAST = 400

T = TypeVar("T")
Size = Callable[[Card], int]


@dataclass(frozen=True)
class Room:
    """How long one piece of text may be, and how many rows, items, facts or choices there are."""

    words: int
    items: int


ROOMS = (
    Room(3_000, 99),
    Room(800, 99),
    Room(200, 99),
    Room(80, 99),
    Room(80, 40),
    Room(40, 20),
    Room(20, 10),
)
"""From the roomiest on: words become shorter before rows are left out."""


def fit(card: Card, size: Size) -> Card:
    """Return a card of at most `MESSAGE_TEXT` characters as `size` counts them.

    Excerpts get what the rest leaves, and lose their beginning; a cut is always visible.
    """
    full = [part.text for part in card.parts if isinstance(part, Excerpt)]
    least = sum(min(EXCERPT_LEAST, len(text)) for text in full)
    bare = _with_excerpts(card, [""] * len(full))
    for room in ROOMS[:-1]:
        cut = _cut(bare, room)
        if size(cut) + least <= MESSAGE_TEXT:
            break
    else:
        cut = _cut(bare, ROOMS[-1])
    return _with_excerpts(cut, _shared(full, MESSAGE_TEXT - size(cut)))


def _with_excerpts(card: Card, texts: Sequence[str]) -> Card:
    """Return a card whose excerpts say this, one after another."""
    left = list(texts)
    parts = tuple(
        part.model_copy(update={"text": left.pop(0)}) if isinstance(part, Excerpt) else part
        for part in card.parts
    )
    return card.model_copy(update={"parts": parts})


def _shared(texts: Sequence[str], spare: int) -> list[str]:
    """Share the characters that are left: each text gets its least, the first ones more."""
    shown: list[str] = []
    for index, text in enumerate(texts):
        later = sum(min(EXCERPT_LEAST, len(other)) for other in texts[index + 1 :])
        shown.append(last(text, max(EXCERPT_LEAST, spare - later)))
        spare -= len(shown[-1])
    return shown


def last(text: str, limit: int) -> str:
    """Return the end of a text in at most `limit` characters, from the start of a line if near."""
    if len(text) <= limit:
        return text
    kept = text[-limit + 40 :]
    start = kept.find("\n") + 1
    kept = kept[start:] if 0 < start <= len(kept) // 2 else f"…{kept}"
    dropped = text.count("\n") - kept.count("\n")
    return f"… {dropped:,} more lines above\n{kept}" if dropped else kept


def _cut(card: Card, room: Room) -> Card:
    pick = card.pick
    if pick is not None:
        pick = pick.model_copy(update={"choices": pick.choices[: room.items]})
    return card.model_copy(
        update={
            "lead": _words(card.lead, room),
            "facts": tuple(
                Fact(label=clip(fact.label, room.words), value=_words(fact.value, room))
                for fact in _first(card.facts, room, _more_facts)
            ),
            "parts": tuple(_part(part, room) for part in card.parts),
            "pick": pick,
            "foot": tuple(_words(line, room) for line in card.foot),
        }
    )


def _part(part: Part, room: Room) -> Part:
    match part:
        case Paragraph(text=text):
            return Paragraph(text=_words(text, room))
        case Excerpt(caption=caption, text=text):
            return Excerpt(caption=_words(caption, room), text=text)
        case Bullets(items=items):
            shown = _first(items, room, _more_items)
            return Bullets(items=tuple(_words(item, room) for item in shown))
        case Table(head=head, rows=rows):
            shown_rows = _first(rows, room, lambda more: (_more(more), *("" for _ in head[1:])))
            return Table(head=head, rows=tuple(_cells(row, room) for row in shown_rows))


def _first(items: tuple[T, ...], room: Room, more: Callable[[int], T]) -> tuple[T, ...]:
    """Return as many as there is room for; the last one says how many are left out."""
    if len(items) <= room.items:
        return items
    kept = room.items - 1
    return (*items[:kept], more(len(items) - kept))


def _more(number: int) -> str:
    return f"… {number:,} more"


def _more_facts(number: int) -> Fact:
    return Fact(label="…", value=(f"{number:,} more",))


def _more_items(number: int) -> Text:
    return (_more(number),)


def _cells(row: tuple[str, ...], room: Room) -> tuple[str, ...]:
    return tuple(clip(cell, room.words) for cell in row)


def _words(text: Text, room: Room) -> Text:
    """Return the first so many characters of a text."""
    kept: list[Span] = []
    left = room.words
    for span in text:
        length = len(plain((span,)))
        if length > left:
            return (*kept, _short(span, left) if left else "…")
        kept.append(span)
        left -= length
    return text


def _short(span: Span, words: int) -> Span:
    match span:
        case str():
            return clip(span, words)
        case Mono(text=text) | Strong(text=text):
            return span.model_copy(update={"text": clip(text, words)})
        case _:
            return "…"
