"""What grep looks for on a login node is in every line that the rules know."""

from __future__ import annotations

from subprocess import PIPE, run

import pytest
import re2

from bot.diagnosis import Source, diagnose, sought
from bot.diagnosis.engine import _SCANNER
from bot.diagnosis.words import parse, words
from tests.unit.diagnosis.test_rules import LINES

WORDS, STEPS = sought()
STEP = (
    "Training epoch 0, iteration 3/99 | lr: 1e-4 | global_batch_size: 512 | global_step: 3 | "
    "reduced_train_loss: 3.1 | train_step_timing in s: 2.3 | consumed_samples: 2048"
)


def grep(expressions: str, lines: list[str]) -> list[str]:
    """Return the lines in which grep finds one of these."""
    line = ["grep", "-a", "-E", "-i", "-e", expressions]
    text = "\n".join(lines)
    found = run(line, input=text, env={"LC_ALL": "C"}, text=True, stdout=PIPE, check=False)
    return found.stdout.splitlines()


def test_grep_finds_every_line_that_a_rule_knows() -> None:
    """So that a new rule works on a login node too; some take lines before to be understood."""
    lines = [line for _, text in LINES for line in text.splitlines()]
    found = set(grep(f"{WORDS}\n{STEPS}", lines))
    for label, text in LINES:
        picked = [(n, line.encode()) for n, line in enumerate(text.splitlines()) if line in found]
        assert diagnose([Source("job.out", picked=picked)]).label == label


@pytest.mark.parametrize("pattern", _SCANNER.signs + _SCANNER.steps)
def test_every_pattern_of_the_catalogue_is_understood(pattern: str) -> None:
    """Wider is allowed, but nobody can search for nothing."""
    for word in words([pattern]):
        assert re2.search(word, "") is None


def test_the_expressions_are_handed_over_in_one_argument() -> None:
    """Linux takes 128 KB in one."""
    assert len(WORDS.encode()) + len(STEPS.encode()) < 100_000


def test_ordinary_lines_stay_where_they_are() -> None:
    """Or a log of five gigabytes would come whole."""
    assert grep(WORDS, [STEP]) == []
    assert grep(STEPS, [STEP]) == [STEP]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"^CUDA error: (?P<what>\w+)", {"CUDA error: ([A-Za-z0-9_]+)"}),
        (r"No space left on device$", {"No space left on device([[:space:]]*$|\r)"}),
        (r"(?i)nan .*checkpoint found", {"checkpoint found"}),
        (r"[Gg]lobal batch size.*not divisible", {"not divisible"}),
        (r"(?:srun|sbatch): error: .*\b(?:bad|poor) node", {"(srun|sbatch): error: "}),
        (r"Xid.*\d", {"Xid.*[0-9]"}),
        (r"(?:error .* cabling|lost .* connection)", {" cabling", " connection"}),
        (r"a{2}[^\]x-]+\]\x41", {r"a{2}[^]x-]+\]A"}),
    ],
)
def test_the_rarest_part_stands_for_a_pattern(pattern: str, expected: set[str]) -> None:
    """One that healthy logs are full of does not, nor does one that spans words."""
    assert set(words([pattern])) <= expected


@pytest.mark.parametrize("pattern", ["(a", "a)", "*a", r"\pN", "(?=a)"])
def test_what_is_not_understood_is_refused(pattern: str) -> None:
    """Before it can go unnoticed."""
    with pytest.raises(ValueError, match=r"not understood|without an end|repeats nothing"):
        parse(pattern)
