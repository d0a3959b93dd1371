"""Time as Slack writes it: message timestamps that never repeat."""

from __future__ import annotations

import time


class Clock:
    """Hands out `seconds.micros` strings, each greater than the last."""

    def __init__(self) -> None:
        self._last = 0

    def ts(self) -> str:
        """The next timestamp."""
        self._last = max(time.time_ns() // 1000, self._last + 1)
        return f"{self._last // 1_000_000}.{self._last % 1_000_000:06d}"

    @staticmethod
    def seconds() -> int:
        """Whole seconds since 1970."""
        return int(time.time())
