"""How Slurm writes records, times and durations, and how the bot asks for them.

Fields are parted by the unit separator, and each squeue or sinfo record begins with the record
separator, since job names may hold bars, blanks and line breaks.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

UNIT = "\x1f"
RECORD = "\x1e"

_DURATION = re.compile(r"(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?(?:\.\d+)?")
_SACCT_ROW = re.compile(r"\n(?=\d[\d_.+a-z\[\],%-]*\x1f)")


def layout(*fields: str) -> str:
    """Return a squeue or sinfo format of these % letters, for -o."""
    return RECORD + "".join(field + UNIT for field in fields)


def records(text: str) -> list[str]:
    """Split what a `layout` printed into records; lines that are none of ours fall away.

    The last field ends at the last separator, so a `CLUSTER: name` line or a notice that a site
    prints between records is dropped.
    """
    found = []
    for chunk in text.split(RECORD)[1:]:
        end = chunk.rfind(UNIT)
        if end >= 0:
            found.append(chunk[:end])
    return found


def sacct_rows(text: str, fields: int) -> list[list[str]]:
    """Split what `sacct -p` printed into rows of `fields` values, free text last."""
    rows = []
    for chunk in _SACCT_ROW.split("\n" + text)[1:]:
        values = chunk.split(UNIT, fields)
        if len(values) > fields:
            rows.append(values[:fields])
    return rows


def moment(text: str) -> datetime | None:
    """Read `2026-11-30T20:30:14` as UTC; `N/A`, `Unknown`, `None` and the like are None."""
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S").replace(tzinfo=UTC)
    except ValueError:
        return None


def stamp(at: datetime) -> str:
    """Write a time the way Slurm reads it under TZ=UTC."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")


def duration(text: str) -> timedelta | None:
    """Read `1-00:00:00`, `1:00:00`, `5:00` or `30` (minutes).

    None for `UNLIMITED`, `infinite`, `Partition_Limit`, `NOT_SET`, `INVALID`, `n/a`.
    """
    found = _DURATION.fullmatch(text.strip())
    if found is None:
        return None
    days, *rest = found.groups()
    numbers = [int(part) for part in rest if part is not None]
    if days is not None:  # days-hours[:minutes[:seconds]]
        numbers += [0] * (3 - len(numbers))
    elif len(numbers) == 1:  # minutes
        numbers = [0, numbers[0], 0]
    hours, minutes, seconds = ([0] * (3 - len(numbers)) + numbers)[:3]
    return timedelta(days=int(days or 0), hours=hours, minutes=minutes, seconds=seconds)


def number(text: str) -> int:
    """Read the number a text begins with, such as `2-2` or `16?`; 0 when there is none."""
    found = re.match(r"\d+", text)
    return int(found.group()) if found else 0


def gpus(text: str) -> int | None:
    """Count the GPUs in `gres:gpu:8`, `gpu:h100:4(S:0-1),gpu:a100:4`, `cpu=2,gres/gpu=16`.

    None where no GPU is named. In a TRES list the typed entries repeat the plain one.
    """
    plain = re.findall(r"gres/gpu=(\d+)", text)
    if plain:
        return int(plain[0])
    typed = re.findall(r"gres/gpu:[^=,]+=(\d+)", text)
    if typed:
        return sum(map(int, typed))
    found = re.findall(r"\bgpu(?::[A-Za-z_][^:,()=]*)?[:=](\d+)", text)
    return sum(map(int, found)) if found else None


def memory(text: str) -> int:
    """Return the bytes of memory in a TRES list: `cpu=2,mem=8000M,node=1`; 0 where none is."""
    found = re.search(r"\bmem=([\d.]+[KMGTP]?)", text)
    return size(found[1]) if found else 0


def size(text: str) -> int:
    """Return the bytes in `12108K`, `62.5G`; 0 for anything else."""
    found = re.fullmatch(r"([\d.]+)([KMGTP]?)", text)
    return int(float(found[1]) * 1024 ** " KMGTP".index(found[2] or " ")) if found else 0
