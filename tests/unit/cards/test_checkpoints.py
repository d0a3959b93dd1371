"""Checkpoints as they are shown."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.card import plain
from bot.cards.checkpoints import checkpoints_card, no_checkpoints
from bot.cluster.checkpoints import Checkpoint, Found
from bot.job import State
from tests.payloads.values import tracked
from tests.unit.cards.saying import says, small_print

NOW = datetime(2026, 3, 2, 10, 0, tzinfo=UTC)
FOLDER = "/home/ana/nemo_rl/75/checkpoints"


def checkpoint(step: int, *, whole: bool = True) -> Checkpoint:
    name = f"step_{step}" if whole else f"tmp_step_{step}"
    return Checkpoint(f"{FOLDER}/{name}", "NeMo-RL", step, whole, NOW, 2048)


def test_the_newest_whole_one_comes_first_with_its_path_and_use() -> None:
    found = Found((FOLDER,), (checkpoint(30, whole=False), checkpoint(20), checkpoint(10)))
    card = checkpoints_card(tracked("x"), found)
    assert plain(card.lead) == "Job 75 has 2 whole checkpoints. The newest is of step 20."
    facts = {fact.label: plain(fact.value) for fact in card.facts}
    assert facts["Path"] == f"{FOLDER}/step_20"
    assert facts["Size"] == "2.1 MB"
    assert "tmp_step_30 is being written" in says(card)
    assert "convert_dcp_to_hf.py" in says(card)
    assert "checkpoint_dir" in says(card)
    assert card.foot == ()


def test_a_folder_that_jobs_share_is_said_to_be_so() -> None:
    shared = Checkpoint("/home/ana/results/dpo/step_9", "NeMo-RL", 9, True, NOW, 2048)
    card = checkpoints_card(tracked("x"), Found(("/home/ana/results/dpo",), (shared,)))
    assert "Other jobs may save" in small_print(card)


def test_what_a_job_that_ended_left_half_written_is_of_no_use() -> None:
    card = checkpoints_card(
        tracked("x", State.FAILED), Found((FOLDER,), (checkpoint(30, whole=False),))
    )
    assert plain(card.lead) == "Job 75 has no whole checkpoint."
    assert "tmp_step_30 was never finished" in says(card)


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (State.PENDING, "has not started"),
        (State.RUNNING, "has written no checkpoint yet"),
        (State.COMPLETED, "wrote no checkpoint"),
    ],
)
def test_without_any_it_says_why(state: State, said: str) -> None:
    assert said in plain(no_checkpoints(tracked("x", state, attempt=1), ()).lead)
