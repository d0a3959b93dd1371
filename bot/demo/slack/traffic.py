"""A record of every call the app made."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

from bot.demo.slack.model import Json

_KEPT = 200_000


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call; `at` in seconds since 1970, `status` 0 when the connection was cut."""

    at: float
    ms: float
    method: str
    arguments: Json
    status: int
    answer: Any
    verb: str = "POST"
    fault: str | None = None

    def shown(self) -> Json:
        """As the control interface answers it."""
        return {
            "at": self.at,
            "ms": round(self.ms, 2),
            "method": self.method,
            "verb": self.verb,
            "arguments": self.arguments,
            "status": self.status,
            "answer": self.answer,
            "fault": self.fault,
        }


class Traffic:
    """The newest calls, oldest first."""

    def __init__(self) -> None:
        self._calls: deque[Call] = deque(maxlen=_KEPT)

    def record(self, call: Call) -> None:
        """Keep a call."""
        self._calls.append(call)

    def since(self, at: float, method: str | None = None) -> list[Call]:
        """The calls made after that moment."""
        return [
            one for one in self._calls if one.at > at and (method is None or one.method == method)
        ]
