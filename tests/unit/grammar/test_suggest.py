"""What was meant, among what there is."""

from __future__ import annotations

import pytest

from bot.suggest import did_you_mean, suggest

RECIPES = (
    "pretrain/llama3p1_2b_pt.py",
    "pretrain/llama3p1_8b_pt.py",
    "sft/llama3p1_8b_sft.py",
    "cpt/gemma_cpt.py",
)


@pytest.mark.parametrize(
    ("word", "candidates", "first"),
    [
        ("a3n", ("a3m", "cpu"), "a3m"),
        ("A3M", ("a3m", "cpu"), "a3m"),
        ("pretrain/llama3p1_2b.py", RECIPES, "pretrain/llama3p1_2b_pt.py"),
        ("llama3p1_2b_pt.py", RECIPES, "pretrain/llama3p1_2b_pt.py"),
        ("gemma", RECIPES, "cpt/gemma_cpt.py"),
        ("--patition", ("--qos", "--partition"), "--partition"),
        ("-P", ("-p", "-n"), "-p"),
    ],
)
def test_the_nearest_comes_first(word: str, candidates: tuple[str, ...], first: str) -> None:
    assert suggest(word, candidates)[0] == first


def test_nothing_is_offered_when_nothing_is_near() -> None:
    assert suggest("general", ("a3m", "a3u")) == ()
    assert did_you_mean("general", ("a3m", "a3u")) == ""
    assert suggest("what", ("health", "why", "logs")) == ()


def test_the_question_names_every_guess() -> None:
    assert did_you_mean("a3", ("a3m", "a3u")) == "Did you mean `a3m` or `a3u`?"


def test_a_candidate_is_offered_once_and_at_most_three_are() -> None:
    assert suggest("job", ("job1", "job1", "job2", "job3", "job4")) == ("job1", "job2", "job3")
