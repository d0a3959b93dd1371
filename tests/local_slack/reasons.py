"""Why Slack refuses a value, in its words."""

from __future__ import annotations


def at_most(count: int) -> str:
    """A text is too long."""
    return f"must be less than {count + 1} characters"


def items(count: int) -> str:
    """A list is too long."""
    return f"no more than {count} items allowed"


def kind(name: str) -> str:
    """Such a thing is not allowed there."""
    return f"unsupported type: {name}"


def extra(name: str) -> str:
    """A field that is not known."""
    return f"invalid additional property: {name}"


def missing(name: str) -> str:
    """A field that is not there."""
    return f"missing required field: {name}"
