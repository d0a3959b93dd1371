"""Numbers among the words that a program is given: found by name, whoever spells it how."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Argument:
    """One number: the name it is given under, which word holds it, and the number."""

    name: str
    index: int
    joined: bool
    """Whether the name stands in the same word."""
    number: float

    def word(self, number: float) -> str:
        """Return the word with another number in it."""
        return f"{self.name}={number:g}" if self.joined else f"{number:g}"


_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")


def argument(words: Sequence[str], *names: str) -> Argument | None:
    """Return the first number that is given under one of these names.

    A name is `micro_batch_size`; as an option with dashes and as the end of a longer key counts
    as well: `--micro-batch-size 4`, `policy.train_micro_batch_size=4`.
    """
    wanted = re.compile(rf"-{{0,2}}(?:[\w.+-]*[._-])?(?:{'|'.join(names)})")
    for index, word in enumerate(words):
        name, equals, value = word.partition("=")
        if not wanted.fullmatch(name.replace("-", "_").replace("__", "--", 1)):
            continue
        if equals and _NUMBER.fullmatch(value):
            return Argument(name, index, joined=True, number=float(value))
        following = words[index + 1] if index + 1 < len(words) else ""
        if not equals and name.startswith("-") and _NUMBER.fullmatch(following):
            return Argument(name, index + 1, joined=False, number=float(following))
    return None


def replaced(words: Sequence[str], index: int, word: str) -> tuple[str, ...]:
    """Return the words with another one in a place."""
    return tuple(word if place == index else one for place, one in enumerate(words))
