"""Slurm's lists of nodes: `alice-a3u-[0-1,3],bob-0` is four names."""

from __future__ import annotations

import re
from collections.abc import Iterator

_NAME = re.compile(r"(?:[^,\[\]]|\[[^\]]*\])+")
_RANGES = re.compile(r"\[([^\]]*)\]")
MOST = 100_000
"""Names that a list is read into at most."""


def node_names(text: str) -> tuple[str, ...]:
    """Return the names that a list stands for, in its order, each once."""
    names: dict[str, None] = {}
    for pattern in _NAME.findall(text):
        for name in _expanded(pattern):
            names[name] = None
            if len(names) == MOST:
                return tuple(names)
    return tuple(names)


def _expanded(pattern: str) -> Iterator[str]:
    found = _RANGES.search(pattern)
    if found is None:
        yield pattern
        return
    for number in _numbers(found[1]):
        yield from _expanded(f"{pattern[: found.start()]}{number}{pattern[found.end() :]}")


def _numbers(ranges: str) -> Iterator[str]:
    """`08-10,12` → 08, 09, 10, 12: the width of the first number is kept."""
    for part in ranges.split(","):
        first, dash, last = part.partition("-")
        if dash and first.isdigit() and last.isdigit():
            for number in range(int(first), int(last) + 1):
                yield str(number).zfill(len(first))
        elif part:
            yield part
