"""How Slurm writes times, durations and records."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.cluster.slurm.text import (
    duration,
    gpus,
    layout,
    moment,
    number,
    records,
    sacct_rows,
    stamp,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1-00:00:00", timedelta(days=1)),
        ("2-03", timedelta(days=2, hours=3)),
        ("2-03:30", timedelta(days=2, hours=3, minutes=30)),
        ("1:00:00", timedelta(hours=1)),
        ("5:00", timedelta(minutes=5)),
        ("0:00", timedelta()),
        ("30", timedelta(minutes=30)),
        ("00:01.234", timedelta(seconds=1)),
        ("365-00:00:00", timedelta(days=365)),
    ],
)
def test_durations(text: str, expected: timedelta) -> None:
    """Every form that a time limit takes; a bare number is minutes."""
    assert duration(text) == expected


@pytest.mark.parametrize(
    "text", ["UNLIMITED", "infinite", "NOT_SET", "Partition_Limit", "INVALID", "n/a", "", "N/A"]
)
def test_what_is_no_duration(text: str) -> None:
    """Words that stand where a limit could."""
    assert duration(text) is None


def test_times_are_utc() -> None:
    """The prelude asks for TZ=UTC; what comes back is aware."""
    assert moment("2026-11-30T20:30:14") == datetime(2026, 11, 30, 20, 30, 14, tzinfo=UTC)
    assert stamp(datetime(2026, 11, 30, 20, 30, 14, tzinfo=UTC)) == "2026-11-30T20:30:14"


@pytest.mark.parametrize("text", ["N/A", "Unknown", "None", "NONE", "", "2026", "20:30:14"])
def test_what_is_no_time(text: str) -> None:
    """Not started, not ended, not known, or another site's format."""
    assert moment(text) is None


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("gres:gpu:8", 8),
        ("gpu:8", 8),
        ("gpu:h100:8(S:0-1)", 8),
        ("gpu:h100:4(S:0),gpu:a100:4(S:1)", 8),
        ("gres/gpu:h100:8", 8),
        ("cpu=2,mem=4000M,node=2,billing=2,gres/gpu=16", 16),
        ("cpu=2,gres/gpu=16,gres/gpu:h100=16", 16),
        ("cpu=2,gres/gpu:h100=16", 16),
        ("cpu=2,mem=4000M,node=2,billing=2", None),
        ("N/A", None),
        ("(null)", None),
        ("gres:shard:8", None),
    ],
)
def test_gpus_in_gres_and_tres(text: str, count: int | None) -> None:
    """In a TRES list the typed entry repeats the plain one, and is not added to it."""
    assert gpus(text) == count


def test_numbers_that_say_more() -> None:
    """`2-2` nodes of a pending job, `16?` of a young row."""
    assert number("2-2") == 2
    assert number("16?") == 16
    assert number("") == 0


def test_records_survive_any_text() -> None:
    """Gotcha 19: bars, blanks and line breaks in names; gotcha 4: a CLUSTER line with -M."""
    assert layout("%i", "%j") == "\x1e%i\x1f%j\x1f"
    text = (
        "CLUSTER: alice\n\x1e1\x1fa|b ^^^\nc\x1f\n\x1e2\x1fd\x1f\nCLUSTER: other\n\x1e3\x1fe\x1f\n"
    )
    assert records(text) == ["1\x1fa|b ^^^\nc", "2\x1fd", "3\x1fe"]
    assert records("slurm notice\n") == []


def test_sacct_rows_survive_a_name_of_several_lines() -> None:
    """sacct has no record mark: a row begins where a line begins with a job's id."""
    text = "1\x1fa\nb\x1f\n1.batch\x1fx\x1f\n202_[2-3%2]\x1fc\x1f\n123+1\x1fd\x1f\n"
    assert sacct_rows(text, 2) == [
        ["1", "a\nb"],
        ["1.batch", "x"],
        ["202_[2-3%2]", "c"],
        ["123+1", "d"],
    ]
    assert sacct_rows("", 2) == []
    assert sacct_rows("sacct: a note\n", 2) == []
