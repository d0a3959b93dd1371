"""What matters of log files that may hold gigabytes, looked for where they lie, all at once.

A small file comes whole; of a large one its end, and the lines that hold one of the given words.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from bot.cluster.files import NoFile, Why
from bot.errors import CommandFailed
from bot.ports import Output, Query

MOST = 3 * 1024 * 1024
"""Bytes that all large files together may come to, twice: for their first and their last lines."""
LEAST = 32 * 1024
"""The least of it for one file."""
END = 256 * 1024
"""Bytes of the end of a large file that come as they are; of many files, less of each."""
FILES = 64
"""Files that may be asked for at once, so that the answer stays below what one may hold."""
_PATIENCE = 30
"""Seconds for the ends of files that there was no time for."""
_SLACK = 30.0

_REMOTE = Path(__file__).parent / "remote"
_SIFT = """
read -r sb_me _ </proc/self/stat # of this very shell; $$ is the one that began it
renice -n 10 "$sb_me" >/dev/null 2>&1 || :
ionice -c 2 -n 7 -p "$sb_me" >/dev/null 2>&1 || :
sb_mark=$1 sb_roots=$2 sb_words=$3 sb_steps=$4 sb_until=$(($(date +%s) + $5))
sb_patience=$6 sb_whole=$7 sb_most=$8 sb_near=$9
shift 9
sb_end=$1
shift
for sb_file do (
set -- "$sb_file" "$sb_roots"
printf '\\n%s\\n' "$sb_mark"
{inside}
{one}
) done
exit 0
"""


def _script() -> str:
    parts = {name: (_REMOTE / f"{name}.sh").read_text("utf-8") for name in ("inside", "sift")}
    return _SIFT.replace("{inside}", parts["inside"]).replace("{one}", parts["sift"])


_SCRIPT = _script()


@dataclass(frozen=True)
class Bounds:
    """How much is read."""

    seconds: int = 90
    """For reading all files. What was not reached then is looked at near its end only."""
    whole: int = 256 * 1024
    """Bytes of a file that comes as it is."""
    near: int = 32 * 1024 * 1024
    """Bytes from the end of a file that are near it; of many files, less of each."""


@dataclass(frozen=True)
class Sifted:
    """What matters of one file."""

    path: str
    """With links resolved."""
    size: int
    text: str = ""
    """All of a small file, the end of a large one."""
    whole: bool = True
    """Whether it is a small one."""
    lines: tuple[tuple[int, str], ...] = ()
    """Of a large one the lines that matter, in order, with their numbers; 0 where not known."""
    left_out: int = 0
    """Lines that would have mattered, and were too many."""
    late: bool = False
    """There was no time for all of it: what lies before its end was not, or only partly, read."""


def sift(
    paths: Sequence[str],
    words: str,
    steps: str,
    roots: Sequence[str],
    bounds: Bounds = Bounds(),
) -> Query[tuple[Sifted | NoFile, ...]]:
    """Ask for what holds one of these words (extended regular expressions, one a line).

    Of lines that hold one of `steps` the last are enough. Upper and lower case count as the same.
    The answer is in the order of the paths, of which there are at most `FILES`.
    """
    mark, files = secrets.token_hex(8), max(1, len(paths))
    most, near = max(LEAST, MOST // files), bounds.near // files
    end = min(END, MOST // files)

    def parse(output: Output) -> tuple[Sifted | NoFile, ...]:
        parts = output.stdout.split(f"\n{mark}\n")[1:]
        if len(parts) != len(paths):
            raise CommandFailed("the logs cannot be read", stderr=output.stderr)
        return tuple(_file(path, part, mark) for path, part in zip(paths, parts, strict=True))

    figures = map(str, (bounds.seconds, _PATIENCE, bounds.whole, most, near, end))
    args = (mark, "\n".join(roots), words, steps, *figures, *paths)
    return Query(_SCRIPT, parse, args, timeout=bounds.seconds + _PATIENCE + _SLACK, name="sift")


def _file(path: str, part: str, mark: str) -> Sifted | NoFile:
    verdict, _, rest = part.partition("\n")
    if verdict in set(Why):
        return NoFile(path, Why(verdict))
    figures, _, rest = rest.partition("\n")
    real, _, rest = rest.partition("\0")
    how, _, body = rest.partition("\n")
    if verdict != "ok" or how not in {"whole", "lines"}:
        raise CommandFailed(f"{path} cannot be read", stderr=part[:200])
    size = int(figures.split()[0])
    if how == "whole":
        return Sifted(real, size, body)
    said, _, end = body.partition(f"{mark} end\n")
    return _lines(Sifted(real, size, end, whole=False), said, mark)


_Place: TypeAlias = tuple[int, int]
"""Number of a line, and of its part."""


@dataclass
class _Searches:
    """What one search after another has found, each in its own way of reading the file."""

    found: dict[str, dict[tuple[_Place, str], None]] = field(default_factory=dict)
    """By way; of the last lines alone, counted from the first of them."""
    totals: dict[str, int] = field(default_factory=dict)
    """The number of the line after the last, by way; 0 where it did not get so far."""
    statuses: list[int] = field(default_factory=list)
    left: int = 0

    def end(self, said: str, lines: Sequence[str]) -> None:
        """Take in what a search has found when it has ended."""
        status, left, way, total = said.split(":")
        self.statuses.append(int(status))
        self.left += int(left)
        self.totals[way] = int(total)
        self.found.setdefault(way, {}).update((_line(line), None) for line in lines)

    def ordered(self) -> Iterator[tuple[int, str]]:
        """Yield all lines in their order, those of which the numbers are known first."""
        known, last = self.found.pop(_PLAIN, {}), self.found.pop(_LAST, {})
        if self.totals.get(_LAST):
            before = self.totals[_PLAIN] - self.totals[_LAST]
            known |= {((no + before, part), text): None for (no, part), text in last}
        yield from ((no, text) for (no, _), text in sorted(known, key=_place))
        for found in self.found.values():
            yield from ((0, text) for _, text in sorted(found, key=_place))


def _line(line: str) -> tuple[_Place, str]:
    place, _, text = line.partition(":")
    number, _, part = place.partition(".")
    return (int(number), int(part or 0)), text


def _place(found: tuple[_Place, str]) -> _Place:
    return found[0]


_NO_MEMORY = 2
"""Status of grep where it cannot go on; greater ones mean that it was stopped."""
_PLAIN, _LAST, _NEAR = "plain", "last", "near"
"""Ways of reading: all, the last lines, and what is near the end for want of time."""


def _lines(file: Sifted, body: str, mark: str) -> Sifted:
    searches = _Searches()
    lines: list[str] = []
    for line in body.split("\n")[:-1]:
        if line.startswith(f"{mark}:"):
            searches.end(line.removeprefix(f"{mark}:"), lines)
            lines = []
        else:
            lines.append(line)
    if searches.statuses and all(status == _NO_MEMORY for status in searches.statuses):
        raise CommandFailed(f"{file.path} cannot be searched")
    late = _NEAR in searches.found or not searches.statuses
    found = tuple(searches.ordered())
    return replace(file, lines=found, left_out=searches.left, late=late)
