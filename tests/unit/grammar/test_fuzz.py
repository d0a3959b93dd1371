"""Arbitrary text is understood or refused in our own words, and nothing else ever happens."""

from __future__ import annotations

import random

import pytest

from bot.errors import FieldError, InputRefused
from bot.grammar import Help, Parsed, parse
from bot.grammar.commands import COMMANDS

NASTY = (
    "\x00\x07\x1b\n\r\t \u00a0\u200b\u202e\u2066\ufeff\ud800\U0001f600אם"
    "\"'`\\;|&<>$(){}[]*?!~#%^=+-—–_/.,:@“”‘’€𝟚ⅷ٣"
)
PIECES = (
    "run", "logs", "submit", "help", "--", "-n", "--nodes", "-n2", "--time", "4h", "75", "202_3",
    "x.py", "../..", "<@U1|a>", "<!channel>", "<http://a|b>", "&lt;", "&amp;", "export A=b", "cd /",
    "&&", "$WORK_DIR", "${HOME}", "export WORK_DIR=$WORK_DIR$WORK_DIR;", "python3 run.py", "sbatch",
    "--array", "1-", "--grep", "(", "[", "\\", "—n", "--=", "-", "=", "''", "two", "99999999999999",
    "1-2-3", "$ ", "# x\n", "\\\n",
)  # fmt: skip
COMMANDS_TYPED = ("", "/nemo", "/slurm", "/nemo-rl", "/x", "nemo", "/")


def _text(chance: random.Random) -> str:
    kind = chance.randrange(3)
    if kind == 0:
        return "".join(chance.choices(NASTY, k=chance.randrange(60)))
    if kind == 1:
        return " ".join(chance.choices(PIECES, k=chance.randrange(12)))
    example = chance.choice([e for c in COMMANDS for e in c.examples]).partition(" ")[2]
    where = chance.randrange(len(example) + 1)
    return example[:where] + "".join(chance.choices(NASTY, k=chance.randrange(4))) + example[where:]


def _outcome(command: str, text: str) -> Parsed | Help | InputRefused:
    try:
        return parse(command, text)
    except InputRefused as refusal:
        return refusal


@pytest.mark.parametrize("seed", range(20))
def test_arbitrary_text_is_parsed_or_refused_in_our_words(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 -- the same texts in each run
    for _ in range(300):
        text = _text(chance)
        match _outcome(chance.choice(COMMANDS_TYPED), text):
            case InputRefused() as refusal:
                assert refusal.errors, text
                for error in refusal.errors:
                    _is_ours(error, text)
            case Parsed(options=options):
                again = type(options).model_validate(options.model_dump(mode="json"))
                assert again == options, text
            case Help():
                pass


def _is_ours(error: FieldError, text: str) -> None:
    said = f"{error.message} {error.hint}"
    assert error.field, text
    assert error.message, text
    assert len(error.message) < 400, text
    assert "Input should" not in said, text
    assert "validation" not in said, text
    assert "\n" not in said, text


@pytest.mark.parametrize(
    "text",
    [
        "export WORK_DIR=$WORK_DIR$WORK_DIR;" * 80,
        "—" * 3000,
        "<" * 3000,
        "&" * 3000,
        '"' * 3000,
        "\\" * 3000,
        "run " + "-" * 2900,
        "run " + "a3m," * 700,
        "submit x --array " + "1," * 1400,
        "submit x --exclude " + "a[" * 1400,
        "submit x --dependency " + "after:1:" * 300,
        "logs --grep " + "(a*)*" * 500,
        "jobs " + "zz " * 900,
    ],
)
def test_hostile_text_is_answered_at_once(text: str) -> None:
    """The time limit of the suite is the measure: each would take for ever in a naive reader."""
    for command in ("/nemo", "/slurm", ""):
        with pytest.raises(InputRefused):
            parse(command, text)
