"""From the logs and the scheduler's facts of a job to its one root cause.

1. Facts that decide by themselves (state TIMEOUT, a held job) name the label; the text proves it.
2. Otherwise the terminal episode of each log counts: what the run got over, and what an earlier
   attempt died of, is left out. The strongest kind of sign wins, and of that kind the earliest.
3. Only consequences left: `cause-not-in-log`. Nothing left: `none`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.diagnosis.facts import Facts
from bot.diagnosis.finding import HEALTHY, NOT_IN_LOG, Evidence, Finding
from bot.diagnosis.rule import Rule, Strength
from bot.diagnosis.rules import PROGRESS, RESTARTS, RULES, WARNINGS
from bot.diagnosis.scan import Scan, Scanner, Sign

_SCANNER = Scanner(RULES, progress=PROGRESS, restarts=RESTARTS, warnings=WARNINGS)
_SURVIVED = 2
"""Signs of progress after an error that prove that the run got over it."""
_MOST_QUOTED = 3


@dataclass(frozen=True)
class Source:
    """One log of a job: what people call it, and its text as it lies on disk."""

    name: str
    chunks: Iterable[bytes]


def diagnose(texts: Mapping[str, str] | Sequence[Source], facts: Facts | None = None) -> Finding:
    """Return the root cause of a job from its logs, most telling log first, and its facts."""
    facts = facts or Facts()
    scans = [(source.name, _SCANNER.scan(source.chunks)) for source in _sources(texts)]
    signs = [(name, sign) for name, scan in scans for sign in _terminal(scan)]
    silent = all(scan.size == 0 for _, scan in scans)
    for rule in RULES:
        if rule.decided is not None and rule.decided(facts):
            return _finding(rule, [s for s in signs if s[1].rule.label == rule.label], facts, 0.97)
    return _from_text(signs, facts, silent=silent)


def _sources(texts: Mapping[str, str] | Sequence[Source]) -> Sequence[Source]:
    if isinstance(texts, Mapping):
        return [Source(name, (text.encode(),)) for name, text in texts.items()]
    return texts


def _terminal(scan: Scan) -> list[Sign]:
    """Return the signs of the last episode that the run did not get over."""
    begin = max(scan.restarts, default=0)
    last = scan.progress[-_SURVIVED] if len(scan.progress) >= _SURVIVED else 0
    return [s for s in scan.signs if s.order > begin and (s.order > last or s.rule.survives)]


def _from_text(signs: Sequence[tuple[str, Sign]], facts: Facts, *, silent: bool) -> Finding:
    causes = [s for s in signs if _counts(s[1].rule, facts)]
    if causes:
        strongest = max(sign.rule.strength for _, sign in causes)
        best = [s for s in causes if s[1].rule.strength == strongest]
        label = best[0][1].rule.label
        rivals = {sign.rule.label for _, sign in best} - {label}
        alike = [s for s in best if s[1].rule.label == label]
        return _finding(best[0][1].rule, alike, facts, _sure(strongest, len(rivals)))
    if facts.failed or (signs and not facts.going):
        return _not_in_log(silent=silent)
    return Finding(label=HEALTHY, group="healthy", title="Nothing failed.", confidence=0.9)


def _counts(rule: Rule, facts: Facts) -> bool:
    if rule.strength <= Strength.CONSEQUENCE:
        return False
    if rule.needs is not None and not rule.needs(facts):
        return False
    return not facts.going or rule.survives


def _sure(strength: Strength, rivals: int) -> float:
    """How often an answer of this kind is right."""
    base = 0.95 if strength >= Strength.CAUSE else 0.85 if strength > Strength.TIMEOUT else 0.75
    return round(base - min(rivals, 3) * 0.1, 2)


def _finding(
    rule: Rule, signs: Sequence[tuple[str, Sign]], facts: Facts, confidence: float
) -> Finding:
    groups = {"who": facts.person, "partition": facts.partition, "reason": facts.reason}
    if signs:
        groups |= signs[0][1].groups()
    return Finding(
        label=rule.label,
        group=rule.group,
        title=rule.words(rule.title, groups),
        confidence=confidence,
        evidence=_evidence(signs),
        remedy=rule.words(rule.remedy, groups),
        actions=rule.again if rule.again and rule.label in facts.earlier else rule.actions,
        transient=rule.transient,
    )


def _evidence(signs: Sequence[tuple[str, Sign]]) -> tuple[Evidence, ...]:
    """Quote the first line of each wording: ranks say the same."""
    quoted: dict[str, Evidence] = {}
    for name, sign in signs:
        if sign.text not in quoted and len(quoted) < _MOST_QUOTED:
            quoted[sign.text] = Evidence(
                name, sign.line_no, sign.text, sign.line.rank, sign.line.node
            )
    return tuple(quoted.values())


def _not_in_log(*, silent: bool) -> Finding:
    rule = next(rule for rule in RULES if rule.label == NOT_IN_LOG)
    title = "It failed and left no log." if silent else rule.title
    return Finding(
        label=rule.label,
        group=rule.group,
        title=title,
        confidence=0.6,
        remedy=rule.remedy,
        actions=rule.actions,
        transient=rule.transient,
    )
