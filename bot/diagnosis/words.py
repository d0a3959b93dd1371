"""What grep looks for in place of a pattern, on machines that have no RE2.

Of each pattern: the rarest of its parts, of which one is in every line that it matches, as extended
regular expressions. Upper and lower case count as the same, and anchors do not count: lines there
still have prefixes. Nothing in a part spans words (`.*`), which would cost grep dearly.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import re2

_RARE = 6
"""Letters from which a part is rare enough to stand for its pattern."""
_ENOUGH = 16
"""Letters beyond which a part gets no rarer."""
_ORDINARY = """\

Training epoch 0, iteration 3/99 | lr: 1e-4 | global_batch_size: 8 | global_step: 3 |
reduced_train_loss: 3.1 | train_step_timing in s: 2.3 | consumed_samples: 32 | val_loss: 3
[2026-01-01 00:00:00] iteration 3/ 99 | consumed samples: 24 | elapsed time per iteration (ms):
2.1 | throughput per GPU (TFLOP/s/GPU): 1.0 | learning rate: 1.0E-4 | global batch size: 8 |
lm loss: 3.1 | loss scale: 1.0 | grad norm: 1.2 | number of skipped iterations: 0 |
number of nan iterations: 0 | num zeros: 1 | params norm: 3
{'loss': 3.1, 'grad_norm': 1.2, 'learning_rate': 1e-4, 'epoch': 0.1, 'train_loss': 2}
train: 46%|### | 33/71 [22:33<25:58, 41.00s/it, loss=3.1] 3.0it/s
node-1:17:17 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] via P2P/CUMEM/read comm 0x7f rank 0
(Worker pid=17, ip=10.0.0.1) INFO 01-01 00:00:00 [engine.py:17] Avg prompt throughput: 1 tokens/s
[NeMo I 2026-01-01 00:00:00 nemo_logging:393] loading checkpoint, world size: 8, GPU memory
[rank0]: 2026-01-01 00:00:00 - root - WARNING - torch.distributed: timeout, retry in 3 s
INFO: torch.cuda - Saved file to /data/x.json; using cache of dataset, tokenizer and config
"""
"""What healthy logs are full of: a part that stands in it would let them pass whole."""


def words(patterns: Iterable[str]) -> tuple[str, ...]:
    """Return extended regular expressions; what a pattern matches, one of them matches too."""
    return tuple(sorted({word for pattern in patterns for word in _rarest(pattern)}))


def _rarest(pattern: str) -> frozenset[str]:
    tree = parse(pattern)
    good = [part for part in tree.parts if part.letters >= _RARE and not part.ordinary]
    return max(good, key=_rarity).words if good else frozenset({tree.ere})


@dataclass(frozen=True)
class Part:
    """Words of which one is in all that a pattern matches."""

    words: frozenset[str]
    letters: int
    """Letters that each of them has at least."""

    @property
    def ordinary(self) -> bool:
        """Whether healthy logs are full of it."""
        return any(re2.search(f"(?i){word}", _ORDINARY) for word in self.words)


def _rarity(part: Part) -> tuple[int, int]:
    return (min(part.letters, _ENOUGH), -len(part.words))


@dataclass(frozen=True)
class Node:
    """A piece of a pattern."""

    ere: str
    """As an extended regular expression."""
    letters: int = 0
    """Letters that it surely has."""
    wide: bool = False
    """Whether it may span words."""
    parts: tuple[Part, ...] = ()
    """Those of its parts that could stand for it, where it is wide."""
    blank: bool = False
    """Whether it is any character, blanks too."""


def parse(pattern: str) -> Node:
    """Read an RE2 pattern; raises ValueError for what is not understood."""
    reader = _Reader(pattern)
    node = reader.either()
    if reader.at < len(pattern):
        raise ValueError(f"{pattern!r} is not understood from {pattern[reader.at :]!r} on")
    return node


class _Reader:
    """Where in a pattern one is."""

    def __init__(self, pattern: str) -> None:
        self._text = pattern
        self.at = 0

    def either(self) -> Node:
        """Read alternatives, up to the end or a closing bracket."""
        options = [self._row()]
        while self._take("|"):
            options.append(self._row())
        return options[0] if len(options) == 1 else _one_of(options)

    def _row(self) -> Node:
        pieces: list[Node] = []
        while self.at < len(self._text) and self._text[self.at] not in "|)":
            piece = self._atom()
            while found := self._match(_TIMES):
                piece = _times(piece, found[1])
            pieces.append(piece)
        return _in_a_row(pieces)

    def _take(self, text: str) -> bool:
        taken = self._text.startswith(text, self.at)
        self.at += len(text) * taken
        return taken

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self._text, self.at)
        self.at = found.end() if found else self.at
        return found

    def _atom(self) -> Node:
        if self._match(_FLAGS):
            return Node("")
        if self._match(_OPEN):
            inner = self.either()
            if not self._take(")"):
                raise ValueError(f"{self._text!r} has a group without an end")
            return replace(inner, ere=f"({inner.ere})")
        if found := self._match(_CLASS):
            return _class(found[1], found[2])
        if found := self._match(_ESCAPE):
            return _escape(found[1])
        char = self._text[self.at]
        self.at += 1
        if char in "*+?{":
            raise ValueError(f"{self._text!r} repeats nothing")
        return _SIGNS.get(char) or _literal(char)


_FLAGS = re.compile(r"\(\?[ismU-]+\)")
_OPEN = re.compile(r"\((?:\?P?<\w+>|\?[ismU-]*:|(?!\?))")
_CLASS = re.compile(r"\[(\^?)((?:\\.|\[:\w+:\]|[^\\])(?:\\.|\[:\w+:\]|[^\]\\])*)\]")
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{2}|.)")
_TIMES = re.compile(r"(\*|\+|\?|\{\d+(?:,\d*)?\})\??")
_SIGNS = {
    ".": Node(".", blank=True),
    "^": Node(""),
    # A carriage return ends a line as well, and blanks at the end do not count.
    "$": Node("([[:space:]]*$|\r)"),
}
_SETS = {"d": "0-9", "w": "A-Za-z0-9_", "s": "[:space:]"}
_CONTROLS = {"t": "\t", "r": "\r", "n": "\n", "f": "\f", "v": "\v", "a": "\a"}


def _escape(char: str) -> Node:
    if char in {"b", "B", "A", "z"}:
        return Node("")
    if char.lower() in _SETS:
        return Node(f"[{'^' if char.isupper() else ''}{_SETS[char.lower()]}]", blank=char in "DW")
    return _literal(_meant(char))


def _meant(escape: str) -> str:
    """Return the character that an escape stands for."""
    if len(escape) > 1:
        return chr(int(escape[1:], 16))
    if escape.isalnum() and escape not in _CONTROLS:
        raise ValueError(f"\\{escape} is not understood")
    return _CONTROLS.get(escape, escape)


def _literal(char: str) -> Node:
    return Node(f"\\{char}" if char in "\\.[]*^$+?{}()|" else char, letters=int(char.isalpha()))


def _class(negated: str, inside: str) -> Node:
    """Return a class of characters."""
    members: list[str] = []
    for item in _MEMBER.finditer(inside):
        if item[0].startswith("[:"):
            members.append(item[0])
        elif item[0][0] == "\\" and item[0][1:] in _SETS:
            members.append(_SETS[item[0][1:]])
        else:
            members.append("-".join(map(_member, _ends(item))))
    last = {"^": 1, "-": 2}
    members.sort(key=lambda member: (member != "]", last.get(member, 0)))
    letters = {member.lower() for member in members}
    one = len(letters) == 1 and letters.pop().isalpha() and not negated
    return Node(f"[{negated}{''.join(members)}]", letters=int(one), blank=bool(negated))


_MEMBER = re.compile(r"\[:\w+:\]|(?P<low>\\?.)-(?P<high>\\?[^\]])|\\x..|\\.|.")


def _ends(item: re.Match[str]) -> tuple[str, ...]:
    return (item["low"], item["high"]) if item["low"] else (item[0],)


def _member(text: str) -> str:
    return _meant(text[1:]) if len(text) > 1 else text


def _in_a_row(pieces: Sequence[Node]) -> Node:
    """Join pieces; what lies between two wide ones can stand for the whole."""
    parts: list[Part] = []
    for wide, run in groupby(pieces, key=lambda piece: piece.wide):
        if wide:
            parts += [part for piece in run for part in piece.parts]
        else:
            together = list(run)
            word = "".join(piece.ere for piece in together)
            parts.append(Part(frozenset({word}), sum(piece.letters for piece in together)))
    return Node(
        "".join(piece.ere for piece in pieces),
        letters=sum(piece.letters for piece in pieces),
        wide=any(piece.wide for piece in pieces),
        parts=tuple(parts),
    )


def _one_of(options: Sequence[Node]) -> Node:
    best = [max(option.parts, key=_rarity, default=None) for option in options]
    known = [part for part in best if part is not None]
    parts: tuple[Part, ...] = ()
    if len(known) == len(options):
        joined = frozenset(word for part in known for word in part.words)
        parts = (Part(joined, min(part.letters for part in known)),)
    return Node(
        "|".join(option.ere for option in options),
        letters=min(option.letters for option in options),
        wide=any(option.wide for option in options),
        parts=parts,
    )


def _times(node: Node, how: str) -> Node:
    """Repeat a piece."""
    single = (len(node.ere) == 1 and node.ere.isascii()) or node.ere[0] in "([\\"
    ere = f"{node.ere}{how}" if single else f"({node.ere}){how}"
    wide = node.wide or (node.blank and how != "?")
    if how[0] in "*?" or how.startswith("{0"):
        return Node(ere, wide=wide)
    return Node(ere, letters=node.letters, wide=wide, parts=node.parts if wide else ())
