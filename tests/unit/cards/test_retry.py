"""What people read of attempts after the first."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.card import plain
from bot.cards.retry import given_up, line
from bot.diagnosis.finding import NOT_IN_LOG
from bot.model import Failure, Request, Retry, Stage
from bot.retry import GivenUp, Why
from tests.unit.store.makers import NOW, request

FAILED = Failure(job="75", label="gpu-hardware", cause="A GPU is broken.", blamed=("n-1",))


def waits(pause: timedelta, *left: str, stage: Stage = Stage.WAITING) -> Request:
    """The second of four attempts, so long after the first was explained."""
    retry = Retry(of="r1", number=2, due=NOW + pause, failures=(FAILED,), left=left)
    options = {"recipe": "pretrain/x.py", "retries": 3}
    return request("r2", stage).model_copy(update={"options": options, "retry": retry})


@pytest.mark.parametrize(
    ("seconds", "says"), [(2, "in 2 s"), (57, "in 1 min"), (115, "in 2 min"), (1790, "in 30 min")]
)
def test_a_line_says_when_in_round_minutes_and_where(seconds: int, says: str) -> None:
    """What explaining took is not worth a figure."""
    said = plain(line(waits(timedelta(seconds=seconds))).lead)
    assert f"Attempt 2 of 4 starts 2026-03-01 12:{seconds // 60:02} UTC, {says}." in said
    assert said.endswith("It keeps away from n-1.")


def test_a_line_says_which_nodes_cannot_be_left_out() -> None:
    """People may want to stop it then."""
    said = plain(line(waits(timedelta(minutes=1), "n-1")).lead)
    assert said.endswith("It may get n-1 again: too few nodes would be left.")


def test_a_line_becomes_the_job_that_it_is() -> None:
    """The button is gone with the choice."""
    card = line(waits(timedelta(minutes=1), stage=Stage.SUBMITTED), "76")
    assert plain(card.lead) == "Attempt 2 of 4 is job 76. It keeps away from n-1."
    assert card.buttons == ()


def test_a_cause_that_nobody_knows_is_not_called_lasting() -> None:
    """Only what the catalogue knows can be said to stay."""
    unknown = FAILED.model_copy(update={"label": NOT_IN_LOG, "blamed": ()})
    asked = waits(timedelta(minutes=1))
    assert "comes again until it is mended" in plain(
        given_up(asked, GivenUp(Why.LASTING, (FAILED,))).lead
    )
    assert "its cause is not known" in plain(given_up(asked, GivenUp(Why.LASTING, (unknown,))).lead)
