"""From the logs and the scheduler's facts of a job to its one root cause.

1. Facts that decide by themselves (state TIMEOUT, a held job) name it; the text proves it.
2. Otherwise the terminal episode of each log counts: what the run got over, and what an earlier
   attempt died of, is left out. The strongest kind of sign wins, and of that kind the earliest.
3. Then facts that let it be presumed (cancelled by somebody, killed without a word).
4. Only consequences left: `cause-not-in-log`. Nothing left: `none`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from bot.diagnosis.collective import Call, Suspects, compare
from bot.diagnosis.facts import Facts
from bot.diagnosis.finding import HEALTHY, NOT_IN_LOG, Evidence, Finding
from bot.diagnosis.places import Places
from bot.diagnosis.rule import Action, Mark, Rule, Strength
from bot.diagnosis.rules import MARKS, RULES, WARNINGS
from bot.diagnosis.scan import Scan, Scanner, Sign
from bot.diagnosis.words import words
from bot.nodelist import node_names

_SCANNER = Scanner(RULES, marks=MARKS, warnings=WARNINGS)
_DEMOTED = 50
"""Strength that a sign loses when something else had failed before it."""
_NEEDED = {Mark.STEP: 2, Mark.ALIVE: 2}
"""Marks it takes to prove that the run went on, where one could be another rank's last word."""
_MOST_QUOTED = 3


@dataclass(frozen=True)
class Source:
    """One log of a job: what people call it, and its text as it lies on disk."""

    name: str
    chunks: Iterable[bytes] = ()
    picked: Iterable[tuple[int, bytes]] = ()
    """Instead of all of it: its lines that hold what is `sought`, with their numbers."""
    node: str = ""
    """Where it was written, where that is known: said of lines that do not tell."""


@dataclass(frozen=True)
class _Clue:
    """A sign that is still standing: in which log, and how much it counts."""

    file: str
    sign: Sign
    strength: int

    @property
    def rule(self) -> Rule:
        return self.sign.rule

    @property
    def rank(self) -> str:
        """The rank that says so; empty where the line does not tell."""
        return self.sign.line.rank or self.sign.groups().get("rank", "")

    def rank_in(self, facts: Facts) -> str:
        """Return the rank, unless it is one of each node of several."""
        several = facts.nodes is not None and facts.nodes > 1
        return "" if self.sign.line.local and several else self.rank

    def node(self, places: Places) -> str:
        """Return the node it was said on; empty where nothing tells."""
        line = self.sign.line
        named = line.node or self.sign.groups().get("node", "")
        return named or places.node("" if line.local else self.rank, line.task)


class Sought(NamedTuple):
    """Extended regular expressions for `grep -E -i`, one a line."""

    words: str
    """One of them is in each line that matters, …"""
    steps: str
    """… except for steps of training, of which the last ones are enough."""


@cache
def sought() -> Sought:
    """Return what to look for in a log that is too large to be read whole.

    Colours may stand in the middle of a word, so that lines with any are looked at without them.
    """
    signs = (*words(_SCANNER.signs), "\x1b")
    return Sought("\n".join(signs), "\n".join(words(_SCANNER.steps)))


def diagnose(texts: Mapping[str, str] | Sequence[Source], facts: Facts | None = None) -> Finding:
    """Return the root cause of a job from its logs, most telling log first, and its facts."""
    facts = facts or Facts()
    scans = [(source.name, _scan(source)) for source in _sources(texts)]
    clues = [clue for name, scan in scans for clue in _clues(name, scan, facts)]
    places = Places()
    for _, scan in scans:
        places.add(scan.places)
    for rule in RULES:
        if rule.decided is not None and rule.decided(facts):
            proof = [clue for clue in clues if clue.rule.label == rule.label]
            return _finding(rule, proof, facts, places, 0.97)
    causes = [clue for clue in clues if _names(clue, facts)]
    if causes:
        return _strongest(causes, facts, places)
    for rule in RULES:
        if rule.presumed is not None and rule.presumed(facts, not clues):
            return _finding(rule, (), facts, places, 0.8)
    if facts.failed or (clues and not facts.going):
        return _finding(_NOT_IN_LOG, (), facts, places, 0.6)
    return Finding(label=HEALTHY, group="healthy", title="Nothing failed.", confidence=0.9)


def _scan(source: Source) -> Scan:
    return _SCANNER.scan(source.chunks, source.picked, node=source.node)


_NOT_IN_LOG = next(rule for rule in RULES if rule.label == NOT_IN_LOG)


def _sources(texts: Mapping[str, str] | Sequence[Source]) -> Sequence[Source]:
    if isinstance(texts, Mapping):
        return [Source(name, (text.encode(),)) for name, text in texts.items()]
    return texts


def _clues(name: str, scan: Scan, facts: Facts) -> list[_Clue]:
    """Return the signs of the last episode that the run did not get over."""
    begin = max(scan.marks[Mark.RESTART], default=0)
    ended = min(scan.marks[Mark.DONE], default=None)
    standing = [sign for sign in scan.signs if sign.order > begin and not _healed(sign, scan)]
    clues = []
    before = ""
    for sign in standing:
        rule = sign.rule
        if rule.strength is Strength.ECHO:
            continue
        weak = rule.strength <= Strength.SIGNAL
        if weak and ended is not None and sign.order > ended and not facts.failed:
            continue
        demoted = rule.first and before not in {"", rule.label}
        clues.append(_Clue(name, sign, rule.strength - _DEMOTED * demoted))
        if rule.strength is not Strength.OPENING and before in {"", rule.label}:
            before = rule.label
    return clues


def _healed(sign: Sign, scan: Scan) -> bool:
    """Whether the run went on after a sign in a way that its rule accepts."""
    for mark in sign.rule.healed:
        orders = scan.marks[mark]
        needed = _NEEDED.get(mark, 1)
        if len(orders) >= needed and orders[-needed] > sign.order:
            return True
    return False


def _names(clue: _Clue, facts: Facts) -> bool:
    return clue.strength > Strength.CONSEQUENCE and (not facts.going or clue.rule.going)


def _strongest(causes: Sequence[_Clue], facts: Facts, places: Places) -> Finding:
    """Choose the strongest kind of sign, and the earliest of that kind."""
    strength = max(clue.strength for clue in causes)
    best = [clue for clue in causes if clue.strength == strength]
    rule = best[0].rule
    rivals = {clue.rule.label for clue in best} - {rule.label}
    alike = [clue for clue in best if clue.rule.label == rule.label]
    return _finding(rule, alike, facts, places, _sure(strength, len(rivals)))


def _sure(strength: int, rivals: int) -> float:
    """How often an answer of this kind is right."""
    base = 0.95 if strength >= Strength.CAUSE else 0.85 if strength > Strength.TIMEOUT else 0.75
    return round(base - min(rivals, 3) * 0.1, 2)


def _finding(
    rule: Rule, clues: Sequence[_Clue], facts: Facts, places: Places, confidence: float
) -> Finding:
    groups = facts.words()
    suspects = _compared(clues, facts, places) if rule.compared else Suspects()
    odd = {str(rank) for rank in suspects.ranks}
    clues = sorted(clues, key=lambda clue: clue.rank not in odd)
    if clues:
        groups |= clues[0].sign.groups()
    groups |= suspects.words() if rule.compared else {}
    again = rule.label in facts.earlier
    title, remedy = rule.title, rule.remedy
    if again and rule.remedy_again:
        remedy = rule.remedy_again
    if rule.wants in facts.lacking:
        title, remedy = rule.title_without, rule.remedy_without
    return Finding(
        label=rule.label,
        group=rule.group,
        title=rule.words(title, groups),
        confidence=confidence,
        evidence=_evidence(rule, clues, facts, places),
        remedy=rule.words(remedy, groups),
        actions=rule.again if again and rule.again else rule.actions,
        transient=rule.transient,
        nodes=_blamed(rule, clues, odd, facts, places),
    )


def _compared(clues: Sequence[_Clue], facts: Facts, places: Places) -> Suspects:
    """Compare what the ranks say of their collective."""
    calls = []
    for clue in clues:
        said = clue.sign.groups()
        if clue.rank and "seq" in said:
            group, operation = said.get("pg", "0"), said.get("op", "")
            number, size = int(said["seq"]), said.get("size", "")
            calls.append(Call(int(clue.rank), group, number, operation, size))
    return compare(calls, max(places.world, facts.gpus or 0))


def _blamed(
    rule: Rule, clues: Sequence[_Clue], odd: AbstractSet[str], facts: Facts, places: Places
) -> tuple[str, ...]:
    """Return the nodes whose lines prove it, unless most of the job's nodes say the same."""
    if Action.EXCLUDE_NODE not in rule.actions or (rule.compared and not odd):
        return ()
    nodes = node_names(facts.node_list)
    if len(nodes) == 1:
        return nodes
    found = [clue.node(places) for clue in clues if not odd or clue.rank in odd]
    # A rank without a word has no line: its task is its rank where that holds for the others.
    same = all(clue.rank == clue.sign.line.task for clue in clues)
    found += [places.node(rank, rank if same else "") for rank in sorted(odd)]
    named = dict.fromkeys(node for node in found if node and (not nodes or node in nodes))
    return tuple(named) if not nodes or 2 * len(named) <= len(nodes) else ()


def _evidence(
    rule: Rule, clues: Sequence[_Clue], facts: Facts, places: Places
) -> tuple[Evidence, ...]:
    """Quote the first line of each wording, with all the ranks that say the same."""
    alike: dict[bytes, list[_Clue]] = {}
    for clue in clues:
        text = clue.sign.line.text
        alike.setdefault(text if rule.compared else _FIGURES.sub(b"0", text), []).append(clue)
    quoted = []
    for same in list(alike.values())[:_MOST_QUOTED]:
        sign, node = same[0].sign, same[0].node(places)
        ranks = tuple(dict.fromkeys(clue.rank_in(facts) for clue in same if clue.rank_in(facts)))
        quoted.append(
            Evidence(same[0].file, sign.line_no, sign.text, ranks[0] if ranks else "", node, ranks)
        )
    return tuple(quoted)


_FIGURES = re.compile(rb"[0-9]+")
