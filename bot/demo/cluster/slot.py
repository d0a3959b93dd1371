"""A folder of one's own among several, free again when its owner is gone, however it went."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path


@contextmanager
def claim(parent: Path) -> Iterator[Path]:
    """Give the first folder *parent*/1, *parent*/2 … that no living process holds."""
    parent.mkdir(parents=True, exist_ok=True)
    for number in count(1):
        with (parent / f"{number}.lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            yield parent / str(number)
            return
