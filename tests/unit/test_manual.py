"""What a program's `--help` says of its options, and what of a command it takes."""

from __future__ import annotations

import argparse

import pytest

from bot.manual import Manual, fit, given, read_manual


def argparse_says() -> str:
    """A help page of this Python's argparse."""
    made = argparse.ArgumentParser("run.py", description="Launch.\n  - a list\n  -x marks it")
    add = made.add_argument
    add("recipe", help="not an option")
    add("-e", "--executor", choices=["slurm", "local"], help="where to run, such as --executor x")
    add("-n", "--nodes", type=int)
    add("--mock", action="store_true", help="train on made-up data")
    add("--tags", nargs="+")
    add("--notes", nargs="*", metavar="NOTE")
    add("--resume", nargs="?", metavar="STEP")
    add("--betas", nargs=2, metavar=("B1", "B2"))
    add("--max_steps", type=int)
    add("--wandb", action=argparse.BooleanOptionalAction, help="log there")
    return made.format_help()


def test_every_option_of_argparse_is_read() -> None:
    """With how many values it takes, and which."""
    found = {flag.names[-1]: flag for flag in read_manual(argparse_says())}
    assert set(found) == {
        "--help", "--executor", "--nodes", "--mock", "--tags", "--notes", "--resume", "--betas",
        "--max_steps", "--no-wandb",
    }  # fmt: skip
    assert found["--executor"].choices == ("slurm", "local")
    assert found["--executor"].names == ("-e", "--executor")
    takes = {name: (flag.least, flag.most) for name, flag in found.items()}
    assert takes["--mock"] == takes["--no-wandb"] == (0, 0)
    assert takes["--nodes"] == takes["--executor"] == (1, 1)
    assert takes["--tags"] == (1, None)
    assert takes["--notes"] == (0, None)
    assert takes["--resume"] == (0, 1)
    assert takes["--betas"] == (2, 2)


@pytest.mark.parametrize(
    ("line", "names", "takes", "choices"),
    [
        ("  -e, --executor {slurm}", ("-e", "--executor"), (1, 1), ("slurm",)),
        ("  -n, --nodes INTEGER RANGE  how many  [x>=1]", ("-n", "--nodes"), (1, 1), ()),
        ("  --type [a3m|a3u]    which", ("--type",), (1, 1), ("a3m", "a3u")),
        ("  --wandb / --no-wandb", ("--wandb", "--no-wandb"), (0, 0), ()),
        ("  --seed=SEED  a number", ("--seed",), (1, 1), ()),
        ("\x1b[1m  --seed\x1b[0m SEED", ("--seed",), (1, 1), ()),
    ],
)
def test_other_ways_to_print_an_option_are_read_as_well(
    line: str, names: tuple[str, ...], takes: tuple[int, int], choices: tuple[str, ...]
) -> None:
    """Newer Pythons and click."""
    [flag] = read_manual(line)
    assert (flag.names, (flag.least, flag.most), flag.choices) == (names, takes, choices)


@pytest.mark.parametrize("text", ["", "usage: run.py [-h]", "    - one\n    - two", "-----\n --- "])
def test_what_lists_no_option_gives_none(text: str) -> None:
    """Not a guess."""
    assert read_manual(text) == ()


MANUAL = Manual(stamp="s", flags=read_manual(argparse_says()))


def wrong(*words: str) -> dict[str, str]:
    """What is wrong with these words: field → sentences."""
    return {
        error.field: f"{error.message}. {error.hint}".strip()
        for error in fit(words, MANUAL, "run.py")[1]
    }


def test_options_that_it_has_pass_in_its_own_spelling() -> None:
    """Values stay as they were typed."""
    words = ("--max-steps=40", "--mock", "--tags", "a", "b", "--resume", "--betas", "0.9", "-0.95")
    passed, errors = fit(words, MANUAL, "run.py")
    assert errors == ()
    assert passed == ("--max_steps=40", *words[1:])


def test_what_it_lacks_is_refused_with_what_it_has() -> None:
    """Each thing at once."""
    found = wrong("--max-stpes=4", "--zzz")
    assert found["--max-stpes"] == (
        "`run.py` on this cluster has no option `--max-stpes`. Did you mean `--max_steps`?"
    )
    assert "It has `--executor`, `--nodes`" in found["--zzz"]
    assert "--help" not in found["--zzz"]


def test_values_are_counted_and_held_against_the_choices() -> None:
    """As the program itself would."""
    assert "takes no value, so `x` is too many" in wrong("--mock=x")["--mock"]
    assert wrong("--nodes")["--nodes"] == "`--nodes` of `run.py` needs a value. `--nodes NODES`"
    assert "needs a value" in wrong("--betas=1")["--betas"]
    assert "takes 1 at most" in wrong("--nodes", "1", "2")["--nodes"]
    assert wrong("--executor=k8s") == {
        "--executor": "`--executor` cannot be `k8s`. It is `slurm` or `local`"
    }


def test_words_are_told_apart_into_options_and_their_values() -> None:
    """A number below zero is a value."""
    words = ("--lr", "-1e-4", "--mock", "--name=a b", "-x", "3")
    assert [(one.name, one.values) for one in given(words)] == [
        ("--lr", ("-1e-4",)),
        ("--mock", ()),
        ("--name", ("a b",)),
        ("-x", ("3",)),
    ]
    spelt = [one.words for one in given(words)]
    assert (spelt[0], spelt[-1]) == (("--lr=-1e-4",), ("-x", "3"))
