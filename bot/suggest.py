"""What was meant, among what there is."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from difflib import get_close_matches


def suggest(word: str, candidates: Iterable[str], most: int = 3) -> tuple[str, ...]:
    """Return the candidates that look like the word, best first, at most `most`.

    A path is also known by its last part, so `llama3p1_2b` finds `pretrain/llama3p1_2b_pt.py`.
    """
    names = list(dict.fromkeys(candidates))
    lowered = {name.lower(): name for name in reversed(names)}
    target = word.lower()[:200]
    found = [lowered[near] for near in get_close_matches(target, lowered, n=most, cutoff=0.6)]
    last = posixpath.basename(target.rstrip("/"))
    stem = last.rsplit(".", 1)[0]
    tails: dict[str, list[str]] = {}
    for name in names:
        tails.setdefault(posixpath.basename(name).lower(), []).append(name)
    for near in get_close_matches(last, tails, n=most, cutoff=0.6):
        found += tails[near]
    if len(stem) >= _LONG_ENOUGH:
        found += [name for name in names if stem in name.lower()]
    return tuple(dict.fromkeys(found))[:most]


_LONG_ENOUGH = 3


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """Return the question as a sentence, or nothing."""
    found = suggest(word, candidates)
    return f"Did you mean {' or '.join(f'`{name}`' for name in found)}?" if found else ""
