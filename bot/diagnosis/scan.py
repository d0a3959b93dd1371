"""Finds the lines of a log that say something, in one pass whose time is linear in the log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bot.diagnosis.clean import Line, line, lines
from bot.diagnosis.patterns import groups, pattern_set, sieve
from bot.diagnosis.places import PLACES, Places
from bot.diagnosis.rule import Mark, Rule, Strength

_BLOCK = 1 << 20
_BEFORE, _AFTER = 1500, 2000
"""Bytes of an overlong line that are looked at around what the sieve found."""
_QUOTED = 400
_MOST_ALIKE = 4096
"""Signs of one rule that are kept while nothing else happens: as many as there are ranks."""
_MOST_KNOWN = 4096
_STEPS_NOTED = 3
_PATH = (
    r"(?:['\"`]|\xe2\x80\x98|: |^|(?:prefix|path|file|directory|folder) )"
    r"(?P<path>/[^\s'\"`:\x80-\xff]{1,200})(?:['\"`]|\xe2\x80\x99|: |\.?$)"
)
_PORT = r"(?:[Pp]ort[ :=]+|:)(?P<port>[1-9]\d{3,4})\b"
"""What a line names besides the groups of its rule."""


@dataclass(frozen=True)
class Sign:
    """One line that a rule knows."""

    rule: Rule
    line: Line
    line_no: int
    """From 1, as an editor counts."""
    order: int
    """Position among the signs and marks of its log."""

    @property
    def text(self) -> str:
        """The line as it is quoted: without colours and prefix, an overlong one cut."""
        return self.line.text[:_QUOTED].decode("utf-8", "replace")

    def groups(self) -> dict[str, str]:
        """Return the named groups of the first pattern that matches, and what it names anyhow."""
        named: dict[str, str] = {}
        for text in (_PATH, _PORT):
            named |= groups(text, self.line.bare) or {}
        for text in self.rule.patterns:
            found = groups(text, self.line.bare)
            if found is not None:
                return named | found
        return named


@dataclass
class Scan:
    """What one log holds, in order."""

    signs: list[Sign] = field(default_factory=list)
    marks: dict[Mark, list[int]] = field(default_factory=lambda: {mark: [] for mark in Mark})
    """Orders at which the run went on; of steps, at most three between two signs."""
    places: Places = field(default_factory=Places)
    size: int = 0
    """Bytes read."""


class _Place:
    """What a line is that tells where a rank runs."""


@dataclass(frozen=True)
class _Verdict:
    """What a clean line can be, the preferred rule first."""

    rules: tuple[Rule, ...] = ()
    mark: Mark | None = None
    frames: frozenset[str] = frozenset()
    traceback: bool = False
    place: bool = False


class Scanner:
    """A catalogue compiled once: a sieve over whole blocks, then exact sets on single lines."""

    def __init__(
        self,
        rules: Sequence[Rule],
        *,
        marks: Mapping[Mark, Sequence[str]],
        warnings: Sequence[str],
    ) -> None:
        frames = sorted({rule.within for rule in rules if rule.within})
        telling = [text for rule in rules if _telling(rule) for text in rule.patterns]
        kinds = [(mark, text) for mark in Mark if mark is not Mark.STEP for text in marks[mark]]
        self._place = {id(rule): i for i, rule in enumerate(rules)}
        self._meanings: list[Rule | Mark | str | _Place] = [
            *(rule for rule in rules for _ in rule.patterns),
            *(mark for mark, _ in kinds),
            *frames,
            *(_PLACE for _ in PLACES),
        ]
        self._set = pattern_set(
            [
                *(text for rule in rules for text in rule.patterns),
                *(text for _, text in kinds),
                *frames,
                *PLACES,
            ]
        )
        self._warnings = pattern_set(warnings)
        self._steps, self._step = sieve(marks[Mark.STEP]), pattern_set(marks[Mark.STEP])
        signs = [*telling, *(text for _, text in kinds), *frames, *PLACES, _TRACEBACK]
        self._sieve = sieve(signs)
        self.signs = tuple(signs)
        """All patterns of lines that matter; other lines may be left out, except …"""
        self.steps = tuple(marks[Mark.STEP])
        """… of those that match one of these: the last ones."""
        self._known: dict[bytes, _Verdict] = {}

    def scan(
        self,
        chunks: Iterable[bytes],
        picked: Iterable[tuple[int, bytes]] = (),
        *,
        node: str = "",
    ) -> Scan:
        """Read a log to its end, or only lines picked from it, with their numbers.

        `node` is where it was written, for lines that do not say so.
        """
        found = Scan()
        walk = _Walk(found, node)
        for number, raw in picked:
            found.size += len(raw)
            self._meet(number, lines(raw), walk)
        for block in _blocks(chunks, found):
            pos = 0
            while (hit := self._sieve.search(block, pos)) is not None:
                raw, after = _line_at(block, hit.start(), pos, len(block))
                clean = line(raw)
                start = block.rfind(b"\n", pos, hit.start()) + 1 or pos
                self._pass(block, pos, start, walk)
                walk.meet(self._judge(clean.bare), clean)
                walk.count(block, start, after)
                pos = after
                if pos == len(block):
                    break
            self._pass(block, pos, len(block), walk)
        return found

    def _meet(self, number: int, text: bytes, walk: _Walk) -> None:
        """Take in one picked line."""
        walk.line_no = number
        hit = self._sieve.search(text)
        if hit is None:
            self._pass(text, 0, len(text), walk)
            return
        clean = line(_line_at(text, hit.start(), 0, len(text))[0])
        walk.meet(self._judge(clean.bare), clean)

    def _pass(self, block: bytes, start: int, end: int, walk: _Walk) -> None:
        """Pass over text without signs: count its lines, look whether the run went on."""
        if start >= end:
            return
        pos, noted = start, 0
        while noted < _STEPS_NOTED and (hit := self._steps.search(block, pos, end)) is not None:
            raw, pos = _line_at(block, hit.start(), start, end)
            if self._step.Match(raw) or self._step.Match(line(raw).bare):
                walk.mark(Mark.STEP)
                noted += 1
        walk.count(block, start, end)

    def _judge(self, text: bytes) -> _Verdict:
        """Say what a clean line can be; ranks repeat lines, so remember."""
        verdict = self._known.get(text)
        if verdict is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            verdict = self._known[text] = self._choose(text)
        return verdict

    def _choose(self, text: bytes) -> _Verdict:
        meanings = [self._meanings[i] for i in self._set.Match(text) or ()]
        rules = [meaning for meaning in meanings if isinstance(meaning, Rule)]
        mark = next((meaning for meaning in meanings if isinstance(meaning, Mark)), None)
        place = any(meaning is _PLACE for meaning in meanings)
        if mark is not None or any(not _telling(rule) for rule in rules):
            return _Verdict(mark=mark, place=place)
        if rules and self._warnings.Match(text):
            rules = [rule for rule in rules if rule.quiet]
        if any(not rule.last_resort and not rule.within for rule in rules):
            rules = [rule for rule in rules if not rule.last_resort]
        return _Verdict(
            rules=tuple(sorted(rules, key=self._rank)),
            frames=frozenset(m for m in meanings if isinstance(m, str)),
            traceback=b"Traceback (most recent call last)" in text,
            place=place,
        )

    def _rank(self, rule: Rule) -> tuple[bool, bool, int, int]:
        """What to try first on one line: what knows its traceback, then the stronger."""
        return rule.last_resort, not rule.within, -rule.strength, self._place[id(rule)]


_PLACE = _Place()
_SUMMED = b"exitcode  :"
"""How torchrun's summary tells how a rank ended."""
_TRACEBACK = "Traceback .most recent call last"


class _Walk:
    """Where the scan is in its log, and what it has met."""

    def __init__(self, found: Scan, node: str) -> None:
        self._found = found
        self._node = node
        self._order = 0
        self.line_no = 1
        self._alike: Counter[int] = Counter()
        self._frames: dict[str, set[str]] = {}
        self._ignoring: set[str] = set()

    def count(self, block: bytes, start: int, end: int) -> None:
        """Count the line ends of a stretch."""
        self.line_no += block.count(b"\n", start, end) - block.count(b"\r\n", start, end)

    def meet(self, verdict: _Verdict, clean: Line) -> None:
        """Take in one line."""
        clean = clean if clean.node else replace(clean, node=self._node)
        if verdict.place:
            self._found.places.meet(clean)
        if verdict.mark is Mark.IGNORED:
            self._ignoring.add(clean.rank)
        elif verdict.mark is not None:
            self.mark(verdict.mark)
        rule = self._known_by(verdict, clean.rank)
        if rule is None:
            return
        if clean.bare.startswith(_SUMMED):
            clean = self._found.places.summed(clean)
        if clean.rank not in self._ignoring:
            self._sign(rule, clean)
        elif not verdict.traceback:
            self._ignoring.discard(clean.rank)  # the exception's own line ends it

    def _known_by(self, verdict: _Verdict, rank: str) -> Rule | None:
        """Return the first rule that fits the traceback which this rank is in."""
        if verdict.traceback:
            self._frames[rank] = set()
        if verdict.frames:
            self._frames.setdefault(rank, set()).update(verdict.frames)
        frames = self._frames.get(rank, ())
        return next((r for r in verdict.rules if not r.within or r.within in frames), None)

    def mark(self, mark: Mark) -> None:
        """Note that the run went on here."""
        self._order += 1
        self._found.marks[mark].append(self._order)
        self._alike.clear()

    def _sign(self, rule: Rule, clean: Line) -> None:
        """Keep a sign, unless there are enough like it."""
        self._order += 1
        self._alike[id(rule)] += 1
        if self._alike[id(rule)] <= _MOST_ALIKE:
            self._found.signs.append(Sign(rule, clean, self.line_no, self._order))


def _line_at(block: bytes, at: int, low: int, high: int) -> tuple[bytes, int]:
    """Return the line around a position, an overlong one cut, and where the next begins."""
    start = block.rfind(b"\n", low, at) + 1 or low
    end = block.find(b"\n", at, high)
    end = high if end < 0 else end
    return block[max(start, at - _BEFORE) : min(end, at + _AFTER)], min(end + 1, high)


def _telling(rule: Rule) -> bool:
    return rule.strength is not Strength.NOISE


def _blocks(chunks: Iterable[bytes], found: Scan) -> Iterator[bytes]:
    """Yield clean blocks of whole lines; a line longer than a block is cut."""
    rest = b""
    for chunk in chunks:
        found.size += len(chunk)
        for at in range(0, len(chunk), _BLOCK):
            rest += chunk[at : at + _BLOCK]
            cut = max(rest.rfind(b"\n"), rest.rfind(b"\r", 0, len(rest) - 1)) + 1
            if cut == 0 and len(rest) >= _BLOCK:
                cut = len(rest)
            if cut:
                yield lines(rest[:cut])
                rest = rest[cut:]
    if rest:
        yield lines(rest)
