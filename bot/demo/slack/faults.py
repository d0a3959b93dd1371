"""Faults on order: a Web API call that fails, an envelope that comes twice."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal, get_args

from bot.demo.slack.errors import Refused
from bot.demo.slack.model import Json

Action = Literal[
    "429",  # refused, with Retry-After
    "500",  # refused
    "delay",  # done, `seconds` later
    "drop_before",  # the connection is cut, nothing is done
    "hang",  # the same after `seconds`
    "accept_then_drop",  # done, but the connection is cut before the answer
    "accept_then_hang",  # the same after `seconds`
    "accept_then_500",  # done, and yet answered 500
]


@dataclass(kw_only=True)
class Rule:
    """What happens to the calls of a method (a name, or a pattern such as `chat.*`).

    The first `after` calls pass, then `times` calls are hit (-1: all of them).
    """

    method: str
    action: Action
    seconds: float = 1
    times: int = 1
    after: int = 0

    def hits(self, method: str) -> bool:
        """Count this call; whether the fault strikes it."""
        if self.times == 0 or not fnmatchcase(method, self.method):
            return False
        if self.after > 0:
            self.after -= 1
            return False
        if self.times > 0:
            self.times -= 1
        return True


class Faults:
    """The faults in force."""

    def __init__(self) -> None:
        self.rules: list[Rule] = []
        self.duplicates = 0

    def clear(self) -> None:
        """Behave again."""
        self.rules.clear()
        self.duplicates = 0

    def add(self, raw: Json) -> None:
        """Put a rule in force; raises Refused when it makes no sense."""
        try:
            rule = Rule(**raw)
        except TypeError as wrong:
            raise Refused("bad_rule", str(wrong)) from None
        if rule.action not in get_args(Action):
            raise Refused("bad_rule", f"action is one of {', '.join(get_args(Action))}")
        self.rules.append(rule)

    def strike(self, method: str) -> Rule | None:
        """The fault that hits this call, if any."""
        return next((rule for rule in self.rules if rule.hits(method)), None)

    def doubled(self) -> bool:
        """Whether the next envelope comes twice; counts down."""
        if self.duplicates <= 0:
            return False
        self.duplicates -= 1
        return True
