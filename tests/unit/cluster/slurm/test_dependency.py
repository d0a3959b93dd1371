"""What a job waits for, in words."""

from __future__ import annotations

import pytest

from bot.cluster.slurm import dependency_in_words, singleton


@pytest.mark.parametrize(
    ("dependency", "namesakes", "words"),
    [
        ("singleton(unfulfilled)", ("74",), "It waits for job 74 of the same name"),
        ("singleton(unfulfilled)", ("73", "74"), "It waits for jobs 73 and 74 of the same name"),
        ("singleton(unfulfilled)", (), "It waits for an earlier job of the same name"),
        ("afterok:74(unfulfilled)", (), "It waits for job 74 to end well"),
        (
            "afterok:74(unfulfilled),afterok:76(unfulfilled)",
            (),
            "It waits for jobs 74 and 76 to end well",
        ),
        ("afterok:74:76(unfulfilled)", (), "It waits for jobs 74 and 76 to end well"),
        ("afterany:202_*(unfulfilled)", (), "It waits for job 202 to end"),
        ("after:74+10(unfulfilled)", (), "It waits for job 74 to start"),
        ("afternotok:74(unfulfilled)", (), "It waits for job 74 to fail"),
        (
            "afterok:70(unfulfilled),singleton(unfulfilled)",
            ("74",),
            "It waits for job 74 of the same name and for job 70 to end well",
        ),
        (
            "afterok:70(unfulfilled)?afterany:71(unfulfilled)",
            (),
            "It waits for job 70 to end well or for job 71 to end",
        ),
        ("afterok:70(fulfilled),afterany:71(unfulfilled)", (), "It waits for job 71 to end"),
        ("", (), ""),
        ("expand:74", (), ""),
        ("nonsense:::(", (), ""),
    ],
)
def test_a_dependency_in_words(dependency: str, namesakes: tuple[str, ...], words: str) -> None:
    assert dependency_in_words(dependency, namesakes) == words


def test_a_singleton_is_one_while_it_is_not_fulfilled() -> None:
    assert singleton("singleton")
    assert singleton("afterok:7(unfulfilled),singleton(unfulfilled)")
    assert not singleton("singleton(fulfilled)")
    assert not singleton("afterok:7(unfulfilled)")
