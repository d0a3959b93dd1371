"""What was meant, among what there is."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from difflib import SequenceMatcher

from bot.words import listed


def suggest(word: str, candidates: Iterable[str], most: int = 3) -> tuple[str, ...]:
    """Return the candidates that look like the word, best first, at most `most`.

    A path is also known by its last part, so `llama3p1_2b` finds `pretrain/llama3p1_2b_pt.py`.
    """
    names = {name: name.lower().lstrip("-") for name in candidates}
    target = word.lower().lstrip("-")[:_LONGEST]
    last = posixpath.basename(target.rstrip("/"))
    stem = last.rsplit(".", 1)[0]
    found = [name for name in names if posixpath.basename(names[name]) == last]
    found += [name for name in names if len(target) > _FEW and names[name].startswith(target)]
    found += _alike(target, names)
    found += _alike(last, {name: posixpath.basename(names[name]) for name in names})
    found += [name for name in names if len(stem) > _FEW and stem in names[name]]
    return tuple(dict.fromkeys(found))[:most]


def _alike(target: str, names: dict[str, str]) -> list[str]:
    """Return the names whose spelling is close to the target, closest first."""
    matcher = SequenceMatcher(b=target)
    scores: list[tuple[float, int, str]] = []
    for name, spelling in names.items():
        matcher.set_seq1(spelling[:_LONGEST])
        if matcher.quick_ratio() > _CLOSE and matcher.ratio() > _CLOSE:
            scores.append((-matcher.ratio(), len(scores), name))
    return [name for _, _, name in sorted(scores)]


_CLOSE = 0.6
_LONGEST = 200
_FEW = 2
"""Letters that say too little."""


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """Return the question as a sentence, or nothing."""
    found = suggest(word, candidates)
    return f"Did you mean {listed([f'`{name}`' for name in found], 'or')}?" if found else ""


def misspelt(word: str, candidates: Iterable[str], most: int = 2) -> tuple[str, ...]:
    """Return the candidates that the word begins, or is within so many edits of, closest first.

    A short word is near to much: it may have one edit only.
    """
    allowed = most if len(word.lstrip("-")) > _SHORT else 1
    found = [(edits(word, name, allowed), name) for name in candidates]
    near = [name for number, name in sorted(found) if number <= allowed]
    begun = [name for _, name in found if len(word.lstrip("-")) > _FEW and name.startswith(word)]
    return tuple(dict.fromkeys([*near, *begun]))


_SHORT = 4


def edits(one: str, other: str, most: int) -> int:
    """Return how many letters must be put in, taken out or changed; above `most`, `most + 1`."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, its in enumerate(other, 1):
            before, row[j] = (
                row[j],
                min(row[j] + 1, row[j - 1] + 1, before + (letter != its)),
            )
    return min(row[-1], most + 1)
