"""The living message of a job, and the notices in its thread."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot.card import Moment, Person, Tone, plain
from bot.cards.job import ended, healed, job_card, notice, outage, sentence, stuck
from bot.cards.lists import status_card
from bot.job import Job, Observation, State
from tests.payloads.values import NOW, USER, asked, seen, tracked
from tests.unit.cards.saying import facts, offers, small_print

REQUEST = asked("llama3p1_2b_pt", origin="")
LIVE = [state for state in State if not state.ended]
OVER = [state for state in State if state.ended]


def a_job(state: State = State.RUNNING, **changes: Any) -> Job:
    """A job that says usual things."""
    observed = {"name": "train", "partition": "a3m", "node_list": "alice-a3m-[0-1]", "reason": ""}
    return tracked(
        "",
        state,
        seen=seen("", state, **{**observed, **changes}),
        tasks=(),
        attempt=1,
    )


@pytest.mark.parametrize("state", list(State))
def test_every_state_has_a_sentence_of_its_own(state: State) -> None:
    """Also those that Slurm has and nobody thought of."""
    others = {plain(sentence(a_job(other))) for other in State if other is not state}

    assert plain(sentence(a_job(state))) not in others


@pytest.mark.parametrize("state", LIVE)
def test_a_live_job_can_be_looked_at_and_cancelled(state: State) -> None:
    """Cancelling asks, and says what it ends; what has not begun has no log."""
    card = job_card(REQUEST, [a_job(state)])

    assert ("show_log" in offers(card)) is (state is not State.PENDING)
    ends = [button for button in card.buttons if button.action == "cancel_job"]
    assert bool(ends) is (state not in {State.COMPLETING, State.SETTLING})
    for cancel in ends:
        assert (cancel.style, cancel.value) == ("danger", "alice:75")
        assert "75" in cancel.confirm


@pytest.mark.parametrize("state", OVER)
def test_controls_go_when_it_ends(state: State) -> None:
    """What ended says how long it ran and what it used."""
    card = job_card(REQUEST, [a_job(state)])

    assert offers(card) == []
    assert facts(card)["Used"] == "2 nodes × 8 GPUs × 3 min = 0.8 GPU-hours"


def test_a_running_job_says_where_since_when_and_how_far_it_is() -> None:
    """With the progress of its training."""
    job = a_job().model_copy(update={"progress": "step 12 of 50"})

    card = job_card(REQUEST, [job])

    assert "alice-a3m-[0-1]" in plain(card.lead)
    assert Moment(at=NOW) in card.lead
    said = facts(card)
    assert said["Progress"] == "step 12 of 50"
    assert said["Job"] == "75 train"
    assert said["Partition"] == "a3m on alice"
    assert said["Size"] == "2 nodes × 8 GPUs × 4 h = 64 GPU-hours at most"


def test_a_waiting_job_says_why_in_plain_words_and_when_it_should_start() -> None:
    """A reason that is no reason yet is not shown as one."""
    card = job_card(REQUEST, [a_job(State.PENDING, reason="Resources")])

    assert "Not enough nodes are free" in plain(card.lead)
    assert Moment(at=NOW) in card.lead
    assert "None" not in plain(sentence(a_job(State.PENDING, reason="None")))


def test_an_unknown_state_is_shown_as_slurm_wrote_it() -> None:
    """Rather than guessed at."""
    assert "QUANTUM" in plain(sentence(a_job(State.UNKNOWN, raw="QUANTUM")))


def test_who_cancelled_it_is_named() -> None:
    """A person from here as a person, anybody else by account."""
    from_here = a_job(State.CANCELLED).model_copy(update={"stopped_by": USER})

    assert Person(user=USER) in sentence(from_here)
    assert "by bob" in plain(sentence(a_job(State.CANCELLED, cancelled_by="bob")))


def test_the_tasks_of_an_array_are_counted_by_state() -> None:
    """One message, however many tasks."""
    job = a_job().model_copy(update={"tasks": ((State.RUNNING, 3), (State.PENDING, 47))})

    assert facts(job_card(REQUEST, [job]))["Tasks"] == "3 running, 47 pending"


def test_the_thread_is_told_of_a_start_and_of_a_requeue_and_of_nothing_else() -> None:
    """How it ended is told when its log was read."""
    again = a_job(State.PENDING).model_copy(update={"attempt": 2})
    told = {state for state in State if notice(a_job(state), State.PENDING) is not None}

    assert told == {State.RUNNING}
    assert notice(again, State.RUNNING) is not None
    assert notice(again, State.PENDING) is None


@pytest.mark.parametrize(
    ("reason", "vain"), [("JobHeldUser", True), ("Resources", False), ("", False)]
)
def test_a_person_is_told_of_a_wait_in_vain_only(reason: str, vain: bool) -> None:
    """Waiting for nodes helps; waiting while held does not."""
    card = stuck(REQUEST, a_job(State.PENDING, reason=reason))

    assert (card is not None) == vain
    assert card is None or Person(user=USER) in card.lead
    assert stuck(REQUEST, a_job(State.RUNNING, reason=reason)) is None


def test_the_person_is_told_of_the_end_and_how_far_training_came() -> None:
    """Named, so that Slack notifies them."""
    card = ended(REQUEST, a_job(State.COMPLETED).model_copy(update={"progress": "step 50 of 50"}))

    assert card.lead[0] == Person(user=USER)
    assert "Step 50 of 50." in plain(card.lead)
    assert card.tone is Tone.DONE


def test_an_outage_and_its_end_name_the_cluster_and_since_when() -> None:
    """The one says that states are old, the other how long it took."""
    assert Moment(at=NOW) in outage("alice", NOW, "Connection refused").lead
    assert "Connection refused" in small_print(outage("alice", NOW, "Connection refused"))
    assert "2 h" in plain(healed("alice", NOW, NOW + timedelta(hours=2)).lead)


def test_a_status_tells_what_is_known_and_leaves_out_what_is_not() -> None:
    """A job of which accounting knows nothing has few facts."""
    full = facts(status_card(a_job(State.FAILED, stdout="/home/a/train.out", exit_code="1:0")))
    bare = Observation(id="75", state=State.PENDING, raw="PENDING")
    little = facts(status_card(tracked("", seen=bare, progress="", tasks=())))

    assert full["Output"] == "/home/a/train.out"
    assert full["Exit code"] == "1"
    assert full["Nodes"] == "2: alice-a3m-[0-1]"
    assert set(little) == {"Partition"}
