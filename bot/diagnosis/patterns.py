"""RE2 over bytes: linear in the text whatever the pattern, and at ease with invalid UTF-8."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, TypeAlias

import re2

Pattern: TypeAlias = Any
"""RE2's compiled pattern; the package has no types."""
PatternSet: TypeAlias = Any

_MEMORY = 1 << 28
"""Bytes that one automaton may grow to."""


@cache
def pattern(text: str) -> Pattern:
    """Compile one pattern with its groups; group names come back as bytes."""
    return re2.compile(text.encode(), _options())


def groups(text: str, line: bytes) -> dict[str, str] | None:
    """Return the named groups of a pattern that matched something; None without a match."""
    found = pattern(text).search(line)
    if found is None:
        return None
    pairs = ((k.decode(), v) for k, v in found.groupdict().items() if v)
    return {k: v.decode("utf-8", "replace").strip() for k, v in pairs}


def pattern_set(texts: Sequence[str]) -> PatternSet:
    """Compile patterns that are tried together on one line; `Match` gives their indices."""
    compiled = re2.Set.SearchSet(_options())
    for text in texts:
        if compiled.Add(text.encode()) < 0:
            raise ValueError(f"not an RE2 pattern: {text}")
    compiled.Compile()
    return compiled


def sieve(texts: Sequence[str]) -> Pattern:
    """Compile one pattern that meets each line any of them could match, prefix or not."""
    options = _options()
    options.never_capture = True
    loose = (text.removeprefix("^").removesuffix("$") for text in texts)
    return re2.compile("|".join(f"(?:{part})" for part in loose).encode(), options)


def _options() -> Any:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = _MEMORY
    options.never_nl = True
    options.log_errors = False
    return options
