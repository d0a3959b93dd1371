"""How long the parts of a step take."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Timer:
    """Adds up seconds by name, for one step."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def time(self, name: str) -> Iterator[None]:
        """Count the time that the body takes."""
        started = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - started

    def show(self) -> None:
        """Print them, the whole step first."""
        total = self.seconds["total_step_time"]
        print("\n⏱️  Timing:")
        print(f"  • Total step time: {total:.2f}s")
        for name, seconds in sorted(self.seconds.items(), key=lambda item: -item[1]):
            if name != "total_step_time":
                print(f"  • {name}: {seconds:.2f}s ({seconds / total * 100:.1f}%)")
