"""The diagnosis, its remedies, and the log."""

from __future__ import annotations

import pytest

from bot.card import Card, Excerpt, Person, Tone, plain
from bot.cards import mended
from bot.cards.why import healthy_card, waits_card, why_card
from bot.cluster.slurm import Cancellation, Cancelled
from bot.cluster.tokenizer import NotPlaced, Placed, Trouble
from bot.diagnosis import Evidence
from bot.job import State
from tests.payloads.values import USER, case_of, finding, seen, tracked
from tests.unit.cards.saying import offers, says, small_print

FAILED = tracked("train", State.FAILED)
CASE = case_of("x")


def excerpts(card: Card) -> list[Excerpt]:
    """The excerpts of a card."""
    return [part for part in card.parts if isinstance(part, Excerpt)]


def test_a_diagnosis_names_the_cause_and_quotes_the_line_that_proves_it() -> None:
    """With its file and line, and what to do; the proof makes the end of the log needless."""
    found = finding(
        "The disk is full",
        evidence=(Evidence("train.out", 12, "OSError: [Errno 28]"),),
        remedy="Free some space.",
    )
    tail = "\n".join(f"line {n}" for n in range(100))

    card = why_card(FAILED, found, case=CASE, tail=tail, tell=USER)

    [proof] = excerpts(card)
    assert card.lead[0] == Person(user=USER)
    assert "The disk is full" in plain(card.lead)
    assert (plain(proof.caption), proof.text) == ("train.out, line 12", "OSError: [Errno 28]")
    assert "Free some space." in says(card)


def test_where_no_line_proves_it_the_end_of_the_log_is_shown() -> None:
    """Or that there is none."""
    found = finding("x", evidence=())
    tail = "\n".join(f"line {n}" for n in range(100))

    [end] = excerpts(why_card(FAILED, found, case=CASE, tail=tail))

    assert end.text.splitlines()[-1] == "line 99"
    assert len(end.text.splitlines()) < 20
    assert excerpts(why_card(FAILED, found, case=CASE)) == []
    assert "no log" in says(why_card(FAILED, found, case=CASE))


def test_a_cause_that_slurm_gave_is_not_said_to_be_in_a_file() -> None:
    """Evidence without a file comes from the scheduler."""
    card = why_card(FAILED, finding("x", evidence=(Evidence("", 0, "OUT_OF_MEMORY"),)), case=CASE)

    assert "Slurm" in plain(excerpts(card)[0].caption)


def test_how_sure_it_is_reads_differently() -> None:
    """A guess does not look like knowledge."""
    shades = [
        why_card(FAILED, finding("x", confidence=sure), case=CASE) for sure in (0.9, 0.6, 0.2)
    ]
    unknown = why_card(FAILED, finding("x", label="cause-not-in-log", confidence=0.9), case=CASE)

    assert len({small_print(card) for card in (*shades, unknown)}) == 4


def test_a_spent_diagnosis_keeps_the_log_and_says_what_was_done() -> None:
    """Nobody presses a remedy twice."""
    card = why_card(FAILED, finding("x"), case=CASE)

    spent = mended.settled(card, ("Run again.",))

    assert offers(spent) == ["show_log"]
    assert spent.pick is None
    assert small_print(spent).startswith("Run again.")
    assert spent.parts == card.parts


def test_every_outcome_of_a_cancel_has_words_and_only_a_cancelled_job_looks_so() -> None:
    """A job of somebody else is not shown as stopped."""
    made = {
        outcome: mended.cancelled(FAILED, Cancellation(outcome=outcome)) for outcome in Cancelled
    }

    assert len({plain(card.lead) for card in made.values()}) == len(made)
    stopped = {outcome for outcome, card in made.items() if card.tone is Tone.STOPPED}
    assert stopped == {Cancelled.DONE, Cancelled.RUNS}


@pytest.mark.parametrize("state", [state for state in State if state.ended])
def test_cancelling_what_is_over_says_how_it_ended(state: State) -> None:
    """Also when that is not known."""
    assert "nothing to cancel" in plain(mended.nothing_to_cancel(tracked("x", state)).lead)


def test_the_files_that_were_put_in_place_are_named_with_their_sizes() -> None:
    """And with the source each came from."""
    card = mended.tokenizer(Placed("/cache/torch/megatron", (1_042_301, 456_318), 2), USER)

    said = says(card)
    for name, size in (("vocab", "1,042,301 bytes"), ("merges", "456,318 bytes")):
        [line] = [line for line in said.splitlines() if f"megatron-gpt-345m_{name}" in line]
        assert size in line


@pytest.mark.parametrize("why", list(Trouble))
def test_why_files_could_not_be_placed_is_told_with_the_detail(why: Trouble) -> None:
    """Each reason has words."""
    assert "HTTP 404" in mended.no_tokenizer(NotPlaced(why, "HTTP 404"))


@pytest.mark.parametrize(
    ("reason", "tone"), [("JobHeldUser", Tone.TROUBLE), ("Resources", Tone.WAITING)]
)
def test_waiting_in_vain_looks_like_trouble(reason: str, tone: Tone) -> None:
    """And Slurm's own word for it is there to be looked up."""
    job = tracked("", State.PENDING, seen=seen("", State.PENDING, reason=reason))

    card = waits_card(job)

    assert card.tone is tone
    assert reason in small_print(card)


def test_nothing_wrong_is_said_to_be_so_as_far_as_is_known() -> None:
    """With how far its log is."""
    card = healthy_card(tracked("x"), "step 3 of 50")
    assert "Step 3 of 50." in plain(card.lead)
    assert small_print(card) == "Neither Slurm nor its log shows a problem."
    card = healthy_card(tracked("x"), "", failed_step="3")
    assert "A step of it failed with exit code 3" in small_print(card)
