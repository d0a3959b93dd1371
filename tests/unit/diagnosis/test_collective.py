"""Of ranks that wait for each other, the one that did not come stands out."""

from __future__ import annotations

import pytest

from bot.diagnosis.collective import Call, Suspects, compare, listed


def _calls(*numbers: int, operation: str = "ALLREDUCE") -> list[Call]:
    return [Call(rank, "0", number, operation, "1") for rank, number in enumerate(numbers)]


def test_the_rank_at_an_earlier_collective_lags() -> None:
    """Its first word counts: later ones are about the same."""
    assert compare(_calls(88, 88, 87, 88)).lagging == (2,)
    assert compare([*_calls(88, 87), Call(1, "0", 88)]).lagging == (1,)


def test_the_rank_in_another_operation_diverged() -> None:
    """Or with another size under the same number."""
    odd = [*_calls(9, 9, 9), Call(3, "0", 9, "ALLGATHER", "1")]
    assert compare(odd) == Suspects(diverged=(3,), number=9, operation="ALLREDUCE")
    assert compare([*_calls(9, 9, 9), Call(3, "0", 9, "ALLREDUCE", "2")]).diverged == (3,)


def test_the_rank_without_a_word_is_silent() -> None:
    """As far as it is known how many there are."""
    calls = [call for call in _calls(*[9] * 16) if call.rank != 9]
    assert compare(calls).silent == (9,)
    assert compare(_calls(*[9] * 15), world=16).silent == (15,)
    assert compare(_calls(9, 9), world=16).silent == ()


@pytest.mark.parametrize("numbers", [(7, 7, 8, 8), (5, 5, 5, 5), (4,)])
def test_nobody_stands_out_among_equals(numbers: tuple[int, ...]) -> None:
    """When half are behind, or all are level."""
    assert compare(_calls(*numbers)).ranks == ()


def test_each_process_group_counts_by_itself() -> None:
    """The one that most ranks speak of is compared."""
    assert compare([*_calls(9, 9, 9, 9), Call(1, "3", 2)]).ranks == ()
    assert compare([]).ranks == ()


def test_ranks_are_listed_with_neighbours_together() -> None:
    """For a title."""
    assert listed((6,)) == "6"
    assert listed((0, 1, 2, 5, 7, 8)) == "0-2, 5, 7-8"
