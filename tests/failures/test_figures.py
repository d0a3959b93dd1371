"""The figures of the README are those that `make eval` prints, and good enough."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.diagnosis.rules import RULES
from tests.failures.__main__ import Result, results, table

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def found() -> list[Result]:
    """Every set, with and without what Slurm says."""
    return results()


def test_the_readme_quotes_what_is_printed(found: list[Result]) -> None:
    """To the last digit: put in what `make eval` prints."""
    assert table(found) in README


def test_nothing_healthy_is_accused(found: list[Result]) -> None:
    """With and without Slurm's facts, on every set."""
    assert [result.scores["summary"]["false_alarms"] for result in found] == [0] * len(found)


def test_what_cannot_be_known_is_not_claimed(found: list[Result]) -> None:
    """Each log that holds only consequences is said to hold only these."""
    honest = [result.scores["summary"]["honest"].split("/") for result in found if result.facts]
    assert all(said == there for said, there in honest)


FLOORS = {
    ("dev", True): {"exact": 0.95, "group": 0.98, "evidence": 0.95},
    ("dev", False): {"exact": 0.90},
    ("real", True): {"exact": 0.90},
}


def test_enough_is_right(found: list[Result]) -> None:
    """What the project promises of the sets that it was not built from alone."""
    for result in found:
        for which, floor in FLOORS.get((result.name, result.facts), {}).items():
            assert result.scores["summary"][which] >= floor, (result.name, which)


OWN = {"container-no-token", "container-registry-unknown"}
"""What only the bot's own image builds print."""


def test_the_catalogue_speaks_the_taxonomy() -> None:
    """Every label of it has a rule, and no rule names another."""
    taxonomy = (Path(__file__).parent / "TAXONOMY.md").read_text(encoding="utf-8")
    labels = {line.split("`")[1] for line in taxonomy.splitlines() if line.startswith("* **`")}
    assert {rule.label for rule in RULES} - OWN == labels
