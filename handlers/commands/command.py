"""What a subcommand is: a coroutine from a validated request to the answer, if it needs one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from bot.card import Card
from bot.grammar import Parsed
from bot.grammar.words import as_seen
from bot.model import Act
from bot.options import Options
from bot.service import Service

M = TypeVar("M", bound=Options)

Run = Callable[[Service, Act, Parsed], Awaitable[Card | None]]
"""None when a message in the channel is the answer."""


def typed(act: Act) -> str:
    """Return what the person typed, as they would recognise it."""
    return f"{act.command} {as_seen(act.text)}".strip()


def options(parsed: Parsed, model: type[M]) -> M:
    """Return the options of a command, which the grammar made of this model."""
    if not isinstance(parsed.options, model):
        raise TypeError(f"{parsed.subcommand} is not read into {model.__name__}")
    return parsed.options
