"""Each rule names the lines that its program prints, and only those.

They stand in the rule's own `lines`, and in `lines.txt` beside this: by label, and harmless
look-alikes under `[none]`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import re2

from bot.diagnosis import diagnose
from bot.diagnosis.rule import COMPARED, Rule
from bot.diagnosis.rules import RULES


def _lines() -> list[tuple[str, str]]:
    pairs = []
    label = ""
    for line in Path(__file__).with_name("lines.txt").read_text().splitlines():
        if line.startswith("[") and line.endswith("]") and " " not in line:
            label = line[1:-1]
        elif line and label:
            pairs.append((label, line))
    return pairs


LINES = [*_lines(), *((rule.label, line) for rule in RULES for line in rule.lines)]


@pytest.mark.parametrize(("label", "line"), LINES)
def test_a_line_gets_its_label(label: str, line: str) -> None:
    """And is quoted as the proof, unless it proves nothing."""
    finding = diagnose({"job.out": f"starting\n{line}\n"})
    assert finding.label == label
    quoted = [evidence.line for evidence in finding.evidence]
    if label in {"none", "cause-not-in-log"}:
        assert quoted == []
    else:
        assert len(quoted) == 1
        assert quoted[0] in line


def test_every_label_of_the_catalogue_has_a_line() -> None:
    """So that a rule without a test is noticed."""
    assert {rule.label for rule in RULES} == {label for label, _ in LINES}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.label)
def test_a_rule_keeps_the_conventions_of_its_file(rule: Rule) -> None:
    """Anchors stand at the ends, groups are used, sentences end."""
    words = rule.title + rule.remedy
    for text in rule.patterns:
        inner = text.removeprefix("^").removesuffix("$").replace("\\$", "").replace("[^", "")
        assert "^" not in inner
        assert "$" not in inner
        for name in re2.compile(text).groupindex:
            assert f"{{{name}}}" in words or name == "rank" or (rule.compared and name in COMPARED)
    assert rule.title.endswith(".")


def test_a_label_belongs_to_one_group() -> None:
    """However many rules it has."""
    assert len({(rule.label, rule.group) for rule in RULES}) == len({rule.label for rule in RULES})
