"""What went wrong with what was typed or clicked, what is possible, what to type instead."""

from __future__ import annotations

import re

from bot.card import Bullets, Card, Excerpt, Mono, Text, Tone
from bot.errors import FieldError, InputRefused, SbatchatError


def refused_input(error: InputRefused, typed: str) -> Card:
    """Show every field that is wrong beside what was typed."""
    return Card(
        tone=Tone.TROUBLE,
        lead=("That was not run. ", Mono(text=typed)) if typed else ("That was not run.",),
        parts=(Bullets(items=tuple(_item(e) for e in error.errors)),),
        foot=(("Usage: ", Mono(text=error.usage)),) if error.usage else (),
    )


def _item(error: FieldError) -> Text:
    said = sentences(error.message, error.hint)
    return (Mono(text=error.field), "  ", *said) if error.field else said


def sentences(*parts: str) -> Text:
    """Return sentences, each with its full stop; what stands in `backticks` is set as such.

    A backtick without a second one is itself.
    """
    whole = [part if part.endswith((".", "?", "!")) else f"{part}." for part in parts if part]
    pieces = re.split("`([^`]*)`", " ".join(whole))
    return tuple(Mono(text=p) if i % 2 else p for i, p in enumerate(pieces) if p)


def refused(error: SbatchatError, *, nothing_changed: str = "Nothing was changed.") -> Card:
    """Show an error of the bot's own, in its own sentence."""
    return Card(tone=Tone.TROUBLE, lead=sentences(error.sentence, nothing_changed))


def said(sentence: str, tone: Tone = Tone.PLAIN) -> Card:
    """Say one sentence."""
    return Card(tone=tone, lead=(sentence,))


def broke(error_id: str) -> Card:
    """Own up to a fault of the bot."""
    return Card(
        tone=Tone.TROUBLE,
        lead=(
            "Something in the bot broke on this. Its administrators can find it under ",
            Mono(text=error_id),
            ".",
        ),
    )


def help_card(title: str, lines: tuple[tuple[str, str], ...], usage: str = "") -> Card:
    """Show commands, each with what it does."""
    return Card(
        lead=(title,),
        parts=(
            *((Excerpt(text=usage),) if usage else ()),
            *((Bullets(items=tuple((Mono(text=c), f"  {w}") for c, w in lines)),) if lines else ()),
        ),
    )
