"""Logs made to be hard to read: whether twice the length costs twice the time, and no more."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from bot.bench.figures import Figure
from bot.bench.reading import LINEAR, pace

SMALL, LARGE = 2, 8
"""MB."""
RUNS = 3
_MEGA = 1 << 20
_LINE = 10 * _MEGA
CAUSE = "cuda-device-assert"
_SAID = b"\nRuntimeError: CUDA error: device-side assert triggered\n"


@dataclass(frozen=True)
class Shape:
    """One way to be hard to read."""

    name: str
    make: Callable[[int], bytes]
    """Returns about so many bytes."""


def repeated(unit: bytes) -> Callable[[int], bytes]:
    """Return the maker of a log that says one thing again and again."""
    return lambda size: (unit * (size // len(unit) + 1))[:size]


def _long_lines(size: int) -> bytes:
    return b"\n".join([b"x" * _LINE] * (size // _LINE + 1))[:size]


def _errors(size: int) -> bytes:
    one = b"RuntimeError: shard %08d cannot be read\n"
    return b"".join(one % number for number in range(size // len(one % 0) + 1))[:size]


def _binary(size: int) -> bytes:
    return random.Random(0).randbytes(size)  # noqa: S311 - the same on every run


_BAIT = (
    b"[rank0]: [rank0]: 3: 4: " + b"a" * 60 + b"!" + b" " * 60 + b"(" * 40 + b"Error: " * 12
    + b"1.1.1." * 10 + b'File "' * 20 + b"\n"
)  # fmt: skip

SHAPES = (
    Shape("lines of 10 MB", _long_lines),
    Shape("no line end", repeated(b"iteration 5 | grad norm: 0.9 | Error: none so far; ")),
    Shape("a bar in one line", repeated("\rEpoch 0:  5%|██   | 5/100 [00:01<00:19]".encode())),
    Shape("bait for nested quantifiers", repeated(_BAIT)),
    Shape("colours only", repeated(b"\x1b[31m\x1b[0m\x1b[\x1b]0;")),
    Shape("binary", _binary),
    Shape("no UTF-8", repeated(b"\xff\xfe RuntimeError: \xc3\x28 \xe2\x82 \x80\x80\n")),
    Shape("errors only, all different", _errors),
    Shape("tracebacks without end", repeated(b'Traceback (most recent call last):\n  File "a"\n')),
)


def hostile() -> list[Figure]:
    """Measure each shape at two lengths; the cause at its end must be found."""
    return [_figure(shape) for shape in SHAPES]


def _figure(shape: Shape) -> Figure:
    short, long = (shape.make(size * _MEGA) + _SAID for size in (SMALL, LARGE))
    least, most = (median(pace(log, CAUSE) for _ in range(RUNS)) for log in (short, long))
    name = f"hostile log, {shape.name}: {LARGE} MB against {SMALL} MB"
    return Figure(name, most * 1000, "ms/MB", least * 1000, LINEAR)
