"""Numbers and times as people read them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.words import count, duration, figure, gpu_hours, listed


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (timedelta(), "less than 1 s"),
        (timedelta(seconds=-5), "less than 1 s"),
        (timedelta(seconds=0.4), "less than 1 s"),
        (timedelta(seconds=59.4), "59 s"),
        (timedelta(seconds=59.6), "1 min"),
        (timedelta(seconds=125), "2 min 05 s"),
        (timedelta(minutes=59, seconds=59), "59 min 59 s"),
        (timedelta(hours=1), "1 h"),
        (timedelta(hours=1, minutes=5, seconds=59), "1 h 05 min"),
        (timedelta(hours=23, minutes=59, seconds=59), "23 h 59 min"),
        (timedelta(days=2, hours=4, minutes=30), "2 d 4 h"),
        (timedelta(days=7), "7 d"),
    ],
)
def test_a_span_has_its_two_largest_units(span: timedelta, words: str) -> None:
    """The lesser one is left out when it is nothing."""
    assert duration(span) == words


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "0 nodes"), (1, "1 node"), (2, "2 nodes"), (12_000, "12,000 nodes")],
)
def test_one_is_not_many(number: int, words: str) -> None:
    """Thousands are parted."""
    assert count(number, "node") == words


def test_a_plural_that_is_not_just_an_s() -> None:
    """It is given."""
    assert [count(1, "retry", "retries"), count(3, "retry", "retries")] == ["1 retry", "3 retries"]


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "0"),
        (0.00444, "0.0044"),
        (0.266, "0.27"),
        (1, "1"),
        (3.25, "3.2"),
        (16.0, "16"),
        (1024, "1,024"),
        (12345.67, "12,345.7"),
    ],
)
def test_a_figure_has_no_needless_digits(number: float, words: str) -> None:
    """Two that count below one, one decimal above."""
    assert figure(number) == words


@pytest.mark.parametrize(
    ("hours", "words"),
    [
        (0, "0 GPU-hours"),
        (0.0022, "under 0.1 GPU-hours"),
        (0.44, "0.44 GPU-hours"),
        (1, "1 GPU-hour"),
        (16.0, "16 GPU-hours"),
    ],
)
def test_gpu_hours_have_their_unit(hours: float, words: str) -> None:
    """What is too little to matter has no figure of its own."""
    assert gpu_hours(hours) == words


def test_a_list_is_joined_as_it_is_spoken() -> None:
    """With `or` where that is meant."""
    assert [listed([]), listed(["a"]), listed(["a", "b"])] == ["", "a", "a and b"]
    assert listed(["a", "b", "c"], last="or") == "a, b or c"
