"""Text to token numbers: by character, or with GPT-2's byte pairs."""

from __future__ import annotations

import json
import re
import string
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Protocol

_WORDS = re.compile(r"'(?:s|t|re|ve|m|ll|d)| ?[^\W\d_]+| ?\d+| ?[^\s\w]+|\s+(?!\S)|\s+|_")
_LETTERS = string.printable
_NUMBERS = {letter: number for number, letter in enumerate(_LETTERS)}


class Tokenizer(Protocol):
    """Turns text into numbers below its size."""

    size: int

    def encode(self, text: str) -> list[int]:
        """The numbers of the tokens."""


class Characters:
    """One token for each character that ASCII can print, and one for all others."""

    size = len(_LETTERS) + 1

    def encode(self, text: str) -> list[int]:
        """The numbers of the characters."""
        return [_NUMBERS.get(letter, len(_LETTERS)) for letter in text]


class BytePairs:
    """GPT-2's tokenizer, from its vocabulary and its merges."""

    def __init__(self, vocabulary: Path, merges: Path) -> None:
        """Read the two files in the form in which GPT-2 publishes them."""
        self._numbers: dict[str, int] = json.loads(vocabulary.read_text(encoding="utf-8"))
        lines = merges.read_text(encoding="utf-8").splitlines()
        pairs = [tuple(line.split()) for line in lines if line and not line.startswith("#version")]
        self._ranks = {pair: rank for rank, pair in enumerate(pairs)}
        self.size = len(self._numbers)

    def encode(self, text: str) -> list[int]:
        """The numbers of the merged byte pairs."""
        words = _WORDS.findall(text)
        return [self._numbers[part] for word in words for part in self._merge(word)]

    def _merge(self, word: str) -> list[str]:
        parts = [byte_letters()[byte] for byte in word.encode()]
        while len(parts) > 1:
            pairs = list(pairwise(parts))
            best = min(pairs, key=lambda pair: self._ranks.get(pair, len(self._ranks)))
            if best not in self._ranks:
                break
            where = pairs.index(best)
            parts[where : where + 2] = ["".join(best)]
        return parts


@cache
def byte_letters() -> list[str]:
    """The printable letter by which GPT-2's files write each byte."""
    printable = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = iter(range(256, 512))
    return [chr(byte if byte in printable else next(others)) for byte in range(256)]
