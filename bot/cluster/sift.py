"""What matters of log files that may hold gigabytes, looked for where they lie, all at once.

A small file comes whole; of a large one its end, and the lines that hold one of the given words.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bot.cluster.files import NoFile, Why
from bot.errors import CommandFailed
from bot.ports import Output, Query

WHOLE = 256 * 1024
"""Bytes of a file that comes whole."""
MOST = 3 * 1024 * 1024
"""Bytes that all large files together may come to, twice: for their first and their last lines."""
LEAST = 32 * 1024
"""The least of it for one file."""
END = 256 * 1024
"""Bytes of the end of a large file that come as they are; of many files, less of each."""
FILES = 64
"""Files that may be asked for at once, so that the answer stays below what one may hold."""
SECONDS = 90
"""For reading all of them. What was not reached then is looked at near its end only."""
NEAR = 32 * 1024 * 1024
"""Bytes from the end of a file that are near it."""
_PATIENCE = 60.0

_REMOTE = Path(__file__).parent / "remote"
_SIFT = """
read -r sb_me _ </proc/self/stat # of this very shell; $$ is the one that began it
renice -n 10 "$sb_me" >/dev/null 2>&1 || :
ionice -c 2 -n 7 -p "$sb_me" >/dev/null 2>&1 || :
sb_mark=$1 sb_roots=$2 sb_words=$3 sb_steps=$4 sb_until=$(($(date +%s) + $5))
sb_whole=$6 sb_most=$7 sb_near=$8 sb_end=$9
shift 9
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
    *,
    seconds: int = SECONDS,
    whole: int = WHOLE,
) -> Query[tuple[Sifted | NoFile, ...]]:
    """Ask for what holds one of these words (extended regular expressions, one a line).

    Of lines that hold one of `steps` the last are enough. Upper and lower case count as the same.
    A file of at most `whole` bytes comes as it is. The answer is in the order of the paths, of
    which there are at most `FILES`.
    """
    mark = secrets.token_hex(8)
    most = max(LEAST, MOST // max(1, len(paths)))
    end = min(END, MOST // max(1, len(paths)))

    def parse(output: Output) -> tuple[Sifted | NoFile, ...]:
        parts = output.stdout.split(f"\n{mark}\n")[1:]
        if len(parts) != len(paths):
            raise CommandFailed("the logs cannot be read", stderr=output.stderr)
        return tuple(_file(path, part, mark) for path, part in zip(paths, parts, strict=True))

    figures = map(str, (seconds, whole, most, NEAR, end))
    args = (mark, "\n".join(roots), words, steps, *figures, *paths)
    return Query(_SCRIPT, parse, args, timeout=seconds + _PATIENCE, name="sift")


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


@dataclass
class _Searches:
    """What one search after another has found, each in its own way of reading the file."""

    found: dict[str, dict[tuple[int, int, str], None]] = field(default_factory=dict)
    """By way: number of the line, number of its part, text."""
    statuses: list[int] = field(default_factory=list)
    left: int = 0

    def end(self, way: str, status: str, left: str, lines: Sequence[str]) -> None:
        """Take in what a search has found when it has ended."""
        self.statuses.append(int(status))
        self.left += int(left)
        found = self.found.setdefault(way, {})
        for line in lines:
            place, _, text = line.partition(":")
            number, _, part = place.partition(".")
            found[int(number), int(part or 0), text] = None


_NO_MEMORY = 2
"""Status of grep where it cannot go on; greater ones mean that it was stopped."""
_PLAIN, _NEAR = "plain", "near"
"""Ways of reading: from the beginning, which tells the numbers of lines, and only the end."""


def _lines(file: Sifted, body: str, mark: str) -> Sifted:
    searches = _Searches()
    lines: list[str] = []
    for line in body.split("\n")[:-1]:
        if line.startswith(f"{mark}:"):
            _, status, left, way = line.split(":")
            searches.end(way, status, left, lines)
            lines = []
        else:
            lines.append(line)
    if all(status == _NO_MEMORY for status in searches.statuses):
        raise CommandFailed(f"{file.path} cannot be searched")
    ordered = (
        (number * (way == _PLAIN), text)
        for way, found in searches.found.items()
        for number, _, text in sorted(found, key=lambda place: place[:2])
    )
    late = _NEAR in searches.found
    return replace(file, lines=tuple(ordered), left_out=searches.left, late=late)
