"""How many tasks of an array stand in which state, however Slurm writes them."""

from __future__ import annotations

import pytest

from bot.following import task_count, tasks
from bot.job import Observation, State


@pytest.mark.parametrize(
    ("slurm_id", "count"),
    [
        ("75", 1),
        ("202_3", 1),
        ("123+1", 1),
        ("1_[0-4]", 5),
        ("2_[0-9%2]", 10),
        ("3_[1,3,5-9:2]", 5),
        ("4_[7]", 1),
    ],
)
def test_a_row_may_stand_for_many_tasks(slurm_id: str, count: int) -> None:
    """Pending tasks are one record in scontrol, and rows of their own in squeue -r."""
    assert task_count(slurm_id) == count


def test_the_same_array_counts_the_same_in_scontrol_and_squeue() -> None:
    """Else a card would change with whoever was asked last."""
    compact = [seen("7_[2-4]", State.PENDING), seen("7_1", State.RUNNING)]
    one_by_one = [seen(f"7_{n}", State.PENDING) for n in (2, 3, 4)] + [seen("7_1", State.RUNNING)]
    assert tasks(compact) == tasks(one_by_one) == ((State.PENDING, 3), (State.RUNNING, 1))


def test_a_plain_job_has_no_tasks() -> None:
    """Its state says it all."""
    assert tasks([seen("75", State.RUNNING)]) == ()


def seen(slurm_id: str, state: State) -> Observation:
    """Return one row."""
    return Observation(id=slurm_id, state=state, raw=state.name)
