"""What a shape is: a check of what people type, which refuses in our own words."""

from __future__ import annotations

import re
from collections.abc import Callable

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError


def shown(value: object, longest: int = 60) -> str:
    """Return what was typed, short and on one line, between backticks."""
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in str(value))
    if len(text) > longest:
        text = text[: longest - 1] + "…"
    return f"“{text}”" if "`" in text or not text else f"`{text}`"


def refused(message: str, hint: str = "") -> PydanticCustomError:
    """Return the error by which a shape refuses a value."""
    return PydanticCustomError("refused", "{message}", {"message": message, "hint": hint})


def check(pattern: str, what: str, allowed: str, longest: int) -> Callable[[object], str]:
    """Return a function that returns texts of this pattern, and refuses all else.

    `what` and `allowed` are words for the refusal; `longest` is in characters.
    """
    whole = re.compile(pattern)

    def checked(value: object) -> str:
        if not isinstance(value, str):
            raise refused(f"{shown(value)} is not text", f"Allowed: {allowed}")
        if len(value) > longest:
            raise refused(
                f"{shown(value)} is too long for {what}: {len(value):,} characters",
                f"At most {longest:,} characters",
            )
        if not whole.fullmatch(value):
            raise refused(f"{shown(value)} is not possible as {what}", f"Allowed: {allowed}")
        return value

    return checked


def text(pattern: str, what: str, allowed: str, longest: int = 64) -> BeforeValidator:
    """Accept text of this pattern only; `what` and `allowed` are for people."""
    return BeforeValidator(check(pattern, what, allowed, longest))


def whole_number(lowest: int, highest: int) -> BeforeValidator:
    """Accept a whole number in this range only."""
    span = f"A whole number from {lowest:,} to {highest:,}"

    def check(value: object) -> int:
        digits = str(value).strip().replace(",", "")
        if not re.fullmatch(r"[+-]?[0-9]{1,12}", digits):
            meant = _NUMBER_WORDS.get(digits.lower())
            hint = f"Did you mean {meant}?" if meant else span
            raise refused(f"{shown(value)} is not a whole number", hint)
        number = int(digits)
        if number < lowest:
            raise refused(f"{number:,} is too few", span)
        if number > highest:
            raise refused(f"{number:,} is too many", span)
        return number

    return BeforeValidator(check)


_NUMBER_WORDS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "twelve": 12,
    "sixteen": 16,
}


def one_of(*choices: str) -> BeforeValidator:
    """Accept one of these words only, in any case."""

    def check(value: object) -> str:
        choice = str(value).lower()
        if choice not in choices:
            raise refused(f"{shown(value)} is not possible here", f"One of {', '.join(choices)}")
        return choice

    return BeforeValidator(check)
