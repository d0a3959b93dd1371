"""Numbers and times as people read them."""

from __future__ import annotations

from datetime import timedelta

MINUTE = 60
HOUR = 3600
DAY = 86400


def duration(span: timedelta) -> str:
    """Return a span with its two largest units: `45 s`, `2 min 05 s`, `1 h 30 min`, `2 d 4 h`."""
    seconds = max(0, round(span.total_seconds()))
    if not seconds:
        return "less than 1 s"
    if seconds < MINUTE:
        return f"{seconds} s"
    if seconds < HOUR:
        return _two(seconds // MINUTE, "min", seconds % MINUTE, "s", pad=2)
    if seconds < DAY:
        return _two(seconds // HOUR, "h", seconds % HOUR // MINUTE, "min", pad=2)
    return _two(seconds // DAY, "d", seconds % DAY // HOUR, "h", pad=1)


def rough(span: timedelta) -> str:
    """Return a span that is a minute or more without its seconds: `19 min`, `1 h 30 min`."""
    seconds = span.total_seconds()
    return duration(span if seconds < MINUTE else timedelta(minutes=seconds // MINUTE))


def _two(large: int, unit: str, small: int, lesser: str, *, pad: int) -> str:
    return f"{large} {unit} {small:0{pad}d} {lesser}" if small else f"{large} {unit}"


def count(number: int, noun: str, nouns: str = "") -> str:
    """Return `1 node`, `2 nodes`, `1,000 jobs`; `nouns` where the plural is not just an s."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {nouns or noun + 's'}"


def every(number: int, noun: str) -> str:
    """Return `Both jobs`, `All 3 jobs`."""
    return f"Both {noun}s" if number == BOTH else f"All {count(number, noun)}"


BOTH = 2


def figure(number: float) -> str:
    """Return a figure without needless digits: `0.27`, `3.2`, `16`, `1,024`."""
    if number and abs(number) < 1:
        return f"{number:.2g}"
    shown = f"{number:,.1f}"
    return shown.removesuffix(".0")


LITTLE = 0.1
"""GPU-hours below which the figure says nothing."""


def gpu_hours(hours: float) -> str:
    """Return `16 GPU-hours`, `1 GPU-hour`, `under 0.1 GPU-hours`."""
    if 0 < hours < LITTLE:
        return f"under {LITTLE} GPU-hours"
    shown = figure(hours)
    return f"{shown} GPU-hour" if shown == "1" else f"{shown} GPU-hours"


def listed(words: list[str], last: str = "and") -> str:
    """Return `a`, `a and b`, `a, b and c`."""
    if len(words) < 2:  # noqa: PLR2004  # one word needs no joining
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


_UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")
_THOUSAND = 1000


def storage(size: float) -> str:
    """Return a size given in bytes: `0 bytes`, `1.5 MB`, `17 GB`."""
    unit = 0
    while size >= _THOUSAND and unit < len(_UNITS) - 1:
        size /= _THOUSAND
        unit += 1
    return f"{figure(size) if size < _FEW else f'{size:,.0f}'} {_UNITS[unit]}"


_FEW = 10
