"""Checks that compose: each takes a value and its place, and tells what is wrong there."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Check = Callable[[Any, "Place"], None]


@dataclass(frozen=True)
class Place:
    """A JSON pointer, and the problems found so far in the whole tree."""

    pointer: str
    problems: list[str] = field(default_factory=list)

    def at(self, key: str | int) -> Place:
        """The place one step further down."""
        return Place(f"{self.pointer}/{key}", self.problems)

    def say(self, message: str) -> None:
        """Note a problem here, in Slack's form."""
        self.problems.append(f"{message} [json-pointer:{self.pointer}]")


def anything(_value: Any, _place: Place) -> None:
    """Accept."""


def string(least: int = 0, most: int | None = None) -> Check:
    """A string of so many characters."""

    def check(value: Any, place: Place) -> None:
        if not isinstance(value, str):
            place.say("must provide a string")
        elif len(value) < least:
            place.say(f"must be more than {least - 1} characters")
        elif most is not None and len(value) > most:
            place.say(f"must be less than {most + 1} characters")

    return check


def pattern(expression: str, message: str) -> Check:
    """A string of that form."""
    compiled = re.compile(expression)

    def check(value: Any, place: Place) -> None:
        if not isinstance(value, str) or not compiled.fullmatch(value):
            place.say(message)

    return check


def url(most: int) -> Check:
    """An absolute address."""
    length, form = string(1, most), re.compile(r"(https?|slack|mailto):\S+")

    def check(value: Any, place: Place) -> None:
        length(value, place)
        if isinstance(value, str) and value and not form.match(value):
            place.say("must be a valid url")

    return check


def boolean(value: Any, place: Place) -> None:
    """True or false."""
    if not isinstance(value, bool):
        place.say("must provide a boolean")


def integer(least: int | None = None, most: int | None = None) -> Check:
    """A whole number in a range."""

    def check(value: Any, place: Place) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            place.say("must provide an integer")
        elif least is not None and value < least:
            place.say(f"must be greater than or equal to {least}")
        elif most is not None and value > most:
            place.say(f"must be less than or equal to {most}")

    return check


def number(value: Any, place: Place) -> None:
    """Any number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        place.say("must provide a number")


def one_of(*allowed: Any) -> Check:
    """One of the values."""

    def check(value: Any, place: Place) -> None:
        if isinstance(value, bool) or value not in allowed:
            place.say(f"must be one of: {', '.join(map(str, allowed))}")

    return check


def array(item: Check, least: int = 0, most: int | None = None) -> Check:
    """A list of so many items."""

    def check(value: Any, place: Place) -> None:
        if not isinstance(value, list):
            place.say("must provide an array")
            return
        if len(value) < least:
            place.say(f"no fewer than {least} items allowed")
        if most is not None and len(value) > most:
            place.say(f"no more than {most} items allowed")
        for index, one in enumerate(value):
            item(one, place.at(index))

    return check


def record(required: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> Check:
    """An object with these fields and no others."""
    known = {**required, **(optional or {})}

    def check(value: Any, place: Place) -> None:
        if not isinstance(value, dict):
            place.say("must provide an object")
            return
        for name in required:
            if name not in value:
                place.say(f"missing required field: {name}")
        for name, one in value.items():
            if name in known:
                known[name](one, place.at(name))
            else:
                place.say(f"invalid additional property: {name}")

    return check


def tagged(kinds: Mapping[str, Check]) -> Check:
    """An object whose `type` says which of the checks applies."""

    def check(value: Any, place: Place) -> None:
        if not isinstance(value, dict):
            place.say("must provide an object")
        elif "type" not in value:
            place.say("missing required field: type")
        elif not isinstance(value["type"], str) or value["type"] not in kinds:
            place.at("type").say(f"unsupported type: {value['type']}")
        else:
            kinds[value["type"]](value, place)

    return check


def both(*checks: Check) -> Check:
    """All of the checks."""

    def check(value: Any, place: Place) -> None:
        for one in checks:
            one(value, place)

    return check


def exactly_one(*names: str) -> Check:
    """An object with just one of the fields."""

    def check(value: Any, place: Place) -> None:
        if isinstance(value, dict) and sum(name in value for name in names) != 1:
            place.say(f"must provide exactly one of: {', '.join(names)}")

    return check


def at_least_one(*names: str) -> Check:
    """An object with one of the fields or more."""

    def check(value: Any, place: Place) -> None:
        if isinstance(value, dict) and not any(name in value for name in names):
            place.say(f"missing required field: {' or '.join(names)}")

    return check
