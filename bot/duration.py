"""Lengths of time as Slurm and people write them."""

from __future__ import annotations

import re
from datetime import timedelta

_SLURM = re.compile(
    r"(?:(?P<days>[0-9]{1,4})-(?P<dh>[0-9]{1,3})(?::(?P<dm>[0-9]{1,2})(?::(?P<ds>[0-9]{1,2}))?)?"
    r"|(?P<h>[0-9]{1,5}):(?P<m>[0-9]{1,2}):(?P<s>[0-9]{1,2})"
    r"|(?P<minutes>[0-9]{1,7})(?::(?P<seconds>[0-9]{1,2}))?)"
)
_SPOKEN = re.compile(
    r"(?:(?P<days>[0-9]{1,4})d)?(?:(?P<h>[0-9]{1,5})h)?(?:(?P<minutes>[0-9]{1,7})m(?:in)?)?"
    r"(?:(?P<seconds>[0-9]{1,7})s)?"
)
_LONGEST = timedelta(days=366)


def duration(text: str) -> timedelta | None:
    """Read `30` (minutes), `90m`, `4h`, `1d12h`, `1:30:00`, `2-00:00:00`.

    None when it is none of these, nothing at all, or longer than a year.
    """
    found = _SLURM.fullmatch(text) or _SPOKEN.fullmatch(text.lower().replace(" ", ""))
    if found is None:
        return None
    part = {name: int(value or 0) for name, value in found.groupdict().items()}
    length = timedelta(
        days=part["days"],
        hours=part.get("dh", 0) + part["h"],
        minutes=part.get("dm", 0) + part.get("m", 0) + part["minutes"],
        seconds=part.get("ds", 0) + part.get("s", 0) + part["seconds"],
    )
    return length if timedelta() < length <= _LONGEST else None


def canonical(text: str) -> str:
    """Return the time as Slurm prints limits, `04:00:00` or `2-00:00:00`; empty when it is none."""
    length = duration(text)
    return "" if length is None else written(length)


def written(length: timedelta) -> str:
    """Return a time as Slurm prints limits: `04:00:00` or `2-00:00:00`."""
    hours, rest = divmod(length.seconds, 3600)
    clock = f"{hours:02}:{rest // 60:02}:{rest % 60:02}"
    return f"{length.days}-{clock}" if length.days else clock
