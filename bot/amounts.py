"""How much to ask for instead, and how people call it. Pure."""

from __future__ import annotations

import re
from datetime import timedelta

_GIB = 2**30
_UNITS = {"K": 2**10, "M": 2**20, "G": _GIB, "T": 2**40}
_MOST_HOURS = 48


def memory(text: str) -> int:
    """Return the bytes of Slurm's `64G`; without a unit they are megabytes, `0` is unknown."""
    found = re.fullmatch(r"([0-9]+)([KMGT]?)", text)
    return int(found[1]) * _UNITS[found[2] or "M"] if found else 0


def more_memory(had: int, most: int) -> int:
    """Return half as much again, in whole GB, as far as a node has it; 0 where there is no more."""
    wanted = -(-3 * had // (2 * _GIB))
    there = most // _GIB
    chosen = min(wanted, there) if there else wanted
    return chosen if chosen * _GIB > had else 0


def more_time(had: timedelta, longest: timedelta | None) -> timedelta | None:
    """Return twice the time, as far as the partition allows it; None where there is no more."""
    wanted = 2 * had if longest is None else min(2 * had, longest)
    return wanted if wanted > had else None


def minutes(span: timedelta) -> str:
    """Return a time limit as it is passed to Slurm."""
    return str(max(1, int(span.total_seconds() // 60)))


def length(span: timedelta) -> str:
    """Return a time limit as it stands on a button: `90 Minutes`, `2 Hours`, `3 Days`."""
    total = int(minutes(span))
    days, hours = divmod(total, 24 * 60), divmod(total, 60)
    if not days[1] and days[0] * 24 > _MOST_HOURS:
        return f"{days[0]} Days"
    if not hours[1]:
        return f"{hours[0]} {'Hour' if hours[0] == 1 else 'Hours'}"
    return f"{total} {'Minute' if total == 1 else 'Minutes'}"
