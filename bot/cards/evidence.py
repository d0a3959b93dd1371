"""The lines that prove a cause: where they stand, who wrote them, and how many say the same."""

from __future__ import annotations

from collections.abc import Sequence

from bot.card import Excerpt, Mono, Span, Text
from bot.diagnosis import Evidence
from bot.words import count

MOST = 6
"""Lines that are quoted."""
ROOM, LONGEST = 700, 300
"""Characters of them all, and of one beside others: more is not read on a phone."""
NAMED = 4
"""Ranks that are named one by one."""


def evidence(lines: Sequence[Evidence]) -> Excerpt | None:
    """Return the quoted lines under a caption that says where they stand; None without any."""
    if not lines:
        return None
    return Excerpt(caption=_caption(lines[0]), text="\n".join(_quoted(lines[:MOST])))


def _quoted(lines: Sequence[Evidence]) -> list[str]:
    """Return the lines as far as they are read: the first whole, as it proves the most."""
    quoted = [lines[0].line[:ROOM]]
    for line in dict.fromkeys(one.line for one in lines[1:]):
        short = line if len(line) <= LONGEST else f"{line[:LONGEST]} …"
        if sum(map(len, quoted)) + len(short) > ROOM:
            break
        quoted.append(short)
    return quoted


def _caption(first: Evidence) -> Text:
    """Return `train.out, line 12 · rank 3 · node a3-1 · 64 ranks (0-63) say this`."""
    if not first.file:
        return ("Slurm says",)
    spans: list[Span] = [Mono(text=first.file)]
    if first.line_no:
        spans.append(f", line {first.line_no:,}")
    if first.rank:
        spans.append(f" · rank {first.rank}")
    if first.node:
        spans += [" · node ", Mono(text=first.node)]
    if len(first.ranks) > 1:
        spans.append(f" · {count(len(first.ranks), 'rank')} say this ({ranks(first.ranks)})")
    return tuple(spans)


def unread(names: Sequence[str]) -> tuple[Text, ...]:
    """Say which files were not read, or their end alone; nothing where all were."""
    if not names:
        return ()
    shown: list[Span] = []
    for name in names[:NAMED]:
        shown += [Mono(text=name), ", "]
    more = len(names) - NAMED
    rest: list[Span] = [f" and {more} more"] if more > 0 else []
    what = f"{count(len(names), 'log file')} could not be read, or only the end of it: "
    return ((what, *shown[:-1], *rest, "."),)


def ranks(names: Sequence[str]) -> str:
    """Return ranks in few words: `0-7`, `0-3, 8 and 12`, `0, 5, 9 and 60 more`."""
    if not all(name.isdigit() for name in names):
        return _cut(list(names))
    runs: list[tuple[int, int]] = []
    for number in sorted({int(name) for name in names}):
        if runs and number == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return _cut([f"{low}-{high}" if high > low else str(low) for low, high in runs])


def _cut(pieces: list[str]) -> str:
    if len(pieces) <= NAMED:
        return ", ".join(pieces)
    return f"{', '.join(pieces[:NAMED])} …"
