"""Slurm's state words."""

from __future__ import annotations

import pytest

from bot.cluster.slurm import cancelled_by, state
from bot.cluster.slurm.states import STATES
from bot.job import State


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("PENDING", State.PENDING),
        ("PD", State.PENDING),
        ("RUNNING", State.RUNNING),
        ("CG", State.COMPLETING),
        ("COMPLETED", State.COMPLETED),
        ("OOM", State.OUT_OF_MEMORY),
        ("NODE_FAIL", State.NODE_FAIL),
        ("BOOT_FAIL", State.BOOT_FAIL),
        ("DEADLINE", State.DEADLINE),
        ("PREEMPTED", State.PREEMPTED),
        ("completed", State.COMPLETED),
    ],
)
def test_words_and_their_short_forms(raw: str, expected: State) -> None:
    """Both appear, depending on the command."""
    assert state(raw) is expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("CANCELLED by 1001", State.CANCELLED),
        ("COMPLETED+", State.COMPLETED),
        ("CANCELLED+", State.CANCELLED),
        ("OUT_OF_ME+", State.OUT_OF_MEMORY),
        ("NODE_FAI+", State.NODE_FAIL),
        ("RUNNING,COMPLETING", State.RUNNING),
    ],
)
def test_decorated_and_cut_words(raw: str, expected: State) -> None:
    """Gotcha 12: who cancelled stands behind the word, and narrow columns cut it."""
    assert state(raw) is expected


@pytest.mark.parametrize("raw", ["REQUEUED", "REQUEUE_HOLD", "RD", "SPECIAL_EXIT", "SE", "CF"])
def test_a_requeued_or_held_job_has_not_ended(raw: str) -> None:
    """Gotchas 13 and 14: rare states of a job that lives on under its id."""
    assert state(raw) is State.PENDING


@pytest.mark.parametrize("raw", ["REVOKED", "WHATEVER_NEXT", "", "RE+", "???", " "])
def test_words_nobody_knows_are_unknown(raw: str) -> None:
    """Gotcha 13: never an exception; an unknown word is not an ending either."""
    assert state(raw) is State.UNKNOWN
    assert not state(raw).ended


def test_no_word_means_two_things() -> None:
    """Words and short forms are told apart."""
    names = [name for known in STATES for name in (known.word, known.short)]
    assert len(names) == len(set(names))


def test_who_cancelled() -> None:
    """Only sacct says so."""
    assert cancelled_by("CANCELLED by 1001") == "1001"
    assert cancelled_by("CANCELLED") == ""
