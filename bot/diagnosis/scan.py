"""Finds the lines of a log that say something, in one pass whose time is linear in the log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from bot.diagnosis.clean import Line, line, lines
from bot.diagnosis.patterns import Pattern, pattern, pattern_set, sieve
from bot.diagnosis.rule import Rule, Strength

_BLOCK = 1 << 20
_BEFORE, _AFTER = 1500, 2000
"""Bytes of an overlong line that are looked at around what the sieve found."""
_QUOTED = 400
_MOST_ALIKE = 100
"""Signs of one rule that are kept while nothing else happens: as many as there are ranks."""
_MOST_KNOWN = 4096


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
        """Return the named groups of the first pattern that matches."""
        for text in self.rule.patterns:
            found = pattern(text).search(self.line.text)
            if found is not None:
                pairs = ((k.decode(), v) for k, v in found.groupdict().items() if v)
                return {k: v.decode("utf-8", "replace").strip() for k, v in pairs}
        return {}


@dataclass
class Scan:
    """What one log holds, in order."""

    signs: list[Sign] = field(default_factory=list)
    progress: list[int] = field(default_factory=list)
    """Orders at which the run went on; at most three between two signs."""
    restarts: list[int] = field(default_factory=list)
    """Orders at which a new attempt began."""
    size: int = 0
    """Bytes read."""


class Scanner:
    """A catalogue compiled once: a sieve over whole blocks, then exact sets on single lines."""

    def __init__(
        self,
        rules: Sequence[Rule],
        *,
        progress: Sequence[str],
        restarts: Sequence[str],
        warnings: Sequence[str],
    ) -> None:
        patterns = [text for rule in rules for text in rule.patterns]
        self._owner = [rule for rule in rules for _ in rule.patterns]
        self._index = {id(rule): i for i, rule in enumerate(rules)}
        telling = [rule for rule in rules if rule.strength is not Strength.NOISE]
        self._sieve = sieve([*(text for rule in telling for text in rule.patterns), *restarts])
        self._patterns = pattern_set(patterns)
        self._progress = sieve(progress)
        self._restarts = pattern_set(restarts)
        self._warnings = pattern_set(warnings)
        self._known: dict[bytes, Rule | None] = {}

    def scan(self, chunks: Iterable[bytes]) -> Scan:
        """Read a log to its end."""
        found = Scan()
        walk = _Walk(found, self._progress)
        for block in _blocks(chunks, found):
            pos = 0
            while (hit := self._sieve.search(block, pos)) is not None:
                start = block.rfind(b"\n", pos, hit.start()) + 1 or pos
                end = block.find(b"\n", hit.end())
                end = len(block) if end < 0 else end
                walk.to(block, pos, start)
                self._read(block[max(start, hit.start() - _BEFORE) : hit.start() + _AFTER], walk)
                pos = min(end + 1, len(block))
                walk.skip(block, start, pos)
                if pos == len(block):
                    break
            walk.to(block, pos, len(block))
        return found

    def _read(self, raw: bytes, walk: _Walk) -> None:
        clean = line(raw.split(b"\n", 1)[0])
        rule = self._judge(clean.text)
        if rule is not None:
            walk.sign(rule, clean)
        elif self._restarts.Match(clean.text):
            walk.restart()

    def _judge(self, text: bytes) -> Rule | None:
        """Return the rule that a clean line belongs to; ranks repeat lines, so remember."""
        if text not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[text] = self._choose(text)
        return self._known[text]

    def _choose(self, text: bytes) -> Rule | None:
        rules = [self._owner[i] for i in self._patterns.Match(text) or ()]
        if any(rule.strength is Strength.NOISE for rule in rules):
            return None
        if rules and self._warnings.Match(text):
            rules = [rule for rule in rules if rule.quiet]
        if len(rules) > 1:
            rules = [rule for rule in rules if not rule.last_resort]
        return max(rules, key=lambda r: (r.strength, -self._index[id(r)]), default=None)


class _Walk:
    """Where the scan is in its log, and what it has met."""

    def __init__(self, found: Scan, progress: Pattern) -> None:
        self._found = found
        self._progress = progress
        self._order = 0
        self._line_no = 1
        self._alike: Counter[int] = Counter()

    def to(self, block: bytes, start: int, end: int) -> None:
        """Pass over text without signs: count its lines, look whether the run went on."""
        pos = start
        for _ in range(3):
            mark = self._progress.search(block, pos, end)
            if mark is None:
                break
            self._order += 1
            self._found.progress.append(self._order)
            self._alike.clear()
            pos = mark.end()
        self.skip(block, start, end)

    def skip(self, block: bytes, start: int, end: int) -> None:
        """Count the line ends of a stretch."""
        self._line_no += block.count(b"\n", start, end) - block.count(b"\r\n", start, end)

    def sign(self, rule: Rule, clean: Line) -> None:
        """Keep a sign, unless there are enough like it."""
        self._order += 1
        self._alike[id(rule)] += 1
        if self._alike[id(rule)] <= _MOST_ALIKE:
            self._found.signs.append(Sign(rule, clean, self._line_no, self._order))

    def restart(self) -> None:
        """Note that a new attempt begins here."""
        self._order += 1
        self._found.restarts.append(self._order)
        self._alike.clear()


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
