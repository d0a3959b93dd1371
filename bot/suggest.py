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
    target = word.lower()[:200]
    last = posixpath.basename(target.rstrip("/"))
    stem = last.rsplit(".", 1)[0]
    found = [name for name in names if len(target) > _FEW and name.lower().startswith(target)]
    found += _alike(target, {name: name.lower() for name in names}, most)
    found += _alike(last, {name: posixpath.basename(name).lower() for name in names}, most)
    found += [name for name in names if len(stem) > _FEW and stem in name.lower()]
    return tuple(dict.fromkeys(found))[:most]


def _alike(target: str, spelt: dict[str, str], most: int) -> list[str]:
    """Return the names whose spelling is close to the target, closest first."""
    near = get_close_matches(target, set(spelt.values()), n=most, cutoff=0.6)
    return [name for spelling in near for name in spelt if spelt[name] == spelling]


_FEW = 2
"""Letters that say too little."""


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """Return the question as a sentence, or nothing."""
    found = suggest(word, candidates)
    return f"Did you mean {' or '.join(f'`{name}`' for name in found)}?" if found else ""
