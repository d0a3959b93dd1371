"""What the Web API knows of a method before it runs it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from bot.demo.slack.arguments import Arguments
from bot.demo.slack.model import Json
from bot.demo.slack.platform import Platform


@dataclass(frozen=True, kw_only=True)
class Method:
    """A method; any one of `scopes` opens it, `tier` says how often."""

    name: str
    call: Callable[[Platform, Arguments], Json]
    scopes: tuple[str, ...] = ()
    tier: int = 3
    token: Literal["bot", "app", "none"] = "bot"  # noqa: S105 - a kind of token
