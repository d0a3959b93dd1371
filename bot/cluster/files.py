"""Files on the cluster, below the allowed roots only: tails, what is new, what matches."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from bot.errors import CommandFailed
from bot.ports import Output, Query

T = TypeVar("T")

MOST = 1024 * 1024
"""Bytes that a tail or a chunk holds at most."""
_GREP_SECONDS = 20

_INSIDE = (Path(__file__).parent / "remote" / "inside.sh").read_text(encoding="utf-8")
_TAIL = _INSIDE + 'tail -c "$4" <&3 | tail -n "$3"\n'
_FROM = _INSIDE + 'tail -c "+$(($3 + 1))" <&3 | head -c "$4" | base64 -w 0\n'
_GREP = (
    _INSIDE
    + r"""
{ timeout "$5" grep -a -n -E -e "$4" <&3; printf '%s' $? >&2; } | tail -n "$3" | tail -c "$6"
"""
)


class Why(StrEnum):
    """Why a file is not shown."""

    MISSING = "missing"
    FORBIDDEN = "forbidden"
    OUTSIDE = "outside"
    """It lies, perhaps through a link, below none of the allowed roots."""
    ODD = "odd"
    """It is a folder, a pipe or a device."""


@dataclass(frozen=True)
class NoFile:
    """A file that is not shown."""

    path: str
    why: Why


@dataclass(frozen=True)
class Excerpt:
    """Some lines of a file."""

    path: str
    """With links resolved."""
    size: int
    changed: datetime
    text: str


@dataclass(frozen=True)
class Chunk:
    """What a file holds from an offset on: whole lines, unless one is longer than the limit."""

    path: str
    size: int
    inode: int
    """Another one means that the file was replaced: begin again at 0."""
    text: str
    next: int
    """Offset to go on from; before `size` when there is more."""


@dataclass(frozen=True)
class Matches:
    """Lines that match, the last ones if there are many."""

    path: str
    lines: tuple[tuple[int, str], ...]
    """Number and text."""
    late: bool
    """The search was stopped before the end of the file."""


@dataclass(frozen=True)
class BadPattern:
    """A pattern that grep refuses."""

    why: str


def tail(path: str, lines: int, roots: Sequence[str]) -> Query[Excerpt | NoFile]:
    """Ask for the last lines of a file, at most `MOST` bytes of it."""

    def parse(head: _Head, body: str, _: Output) -> Excerpt:
        return Excerpt(head.path, head.size, head.changed, body)

    return _reading(_TAIL, path, roots, parse, str(lines), str(MOST), name="tail")


def read_from(
    path: str, offset: int, roots: Sequence[str], limit: int = MOST
) -> Query[Chunk | NoFile]:
    """Ask for what a file holds from `offset` on; empty when it is not longer than that."""

    def parse(head: _Head, body: str, _: Output) -> Chunk:
        data = base64.b64decode(body)
        # A line that is still being written comes whole with the next chunk.
        end = data.rfind(b"\n") + 1 or (len(data) if len(data) == limit else 0)
        text = data[:end].decode("utf-8", "replace")
        return Chunk(head.path, head.size, head.inode, text, offset + end)

    return _reading(_FROM, path, roots, parse, str(offset), str(limit), name="read")


def grep(
    path: str, pattern: str, roots: Sequence[str], lines: int = 50
) -> Query[Matches | BadPattern | NoFile]:
    """Ask for the last lines that match an extended regular expression.

    Back-references, the one construct that takes more than linear time, are refused.
    """

    def parse(head: _Head, body: str, output: Output) -> Matches | BadPattern:
        said = re.fullmatch(r"(.*?)(\d+)", output.stderr, re.DOTALL)
        status = int(said[2]) if said else -1
        if status == _GREP_REFUSES:
            why = said[1].strip().removeprefix("grep: ") if said else ""
            return BadPattern(why or "grep does not understand it")
        found = (re.fullmatch(r"(\d+):(.*)", line) for line in body.split("\n"))
        matches = tuple((int(m[1]), m[2]) for m in found if m)
        return Matches(head.path, matches, late=status == _TIMED_OUT)

    if re.search(r"(?<!\\)(?:\\\\)*\\[1-9]", pattern):
        pattern = "\\"  # grep refuses it in its own words
    args = (str(lines), pattern, str(_GREP_SECONDS), str(MOST))
    return _reading(_GREP, path, roots, parse, *args, name="grep")


_GREP_REFUSES, _TIMED_OUT = 2, 124


@dataclass(frozen=True)
class _Head:
    path: str
    size: int
    inode: int
    changed: datetime


def _reading(
    script: str,
    path: str,
    roots: Sequence[str],
    parse: Callable[[_Head, str, Output], T],
    *args: str,
    name: str,
) -> Query[T | NoFile]:
    def answer(output: Output) -> T | NoFile:
        verdict, _, rest = output.stdout.partition("\n")
        if verdict in set(Why):
            return NoFile(path, Why(verdict))
        figures, _, rest = rest.partition("\n")
        real, _, body = rest.partition("\0")
        if verdict != "ok" or not re.fullmatch(r"\d+ \d+ \d+", figures):
            raise CommandFailed(f"{path} cannot be read", stderr=output.stderr)
        size, inode, changed = map(int, figures.split())
        head = _Head(real, size, inode, datetime.fromtimestamp(changed, UTC))
        return parse(head, body, output)

    return Query(script, answer, (path, "\n".join(roots), *args), name=name)
