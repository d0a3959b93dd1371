"""Partitions and jobs as tables, progress as a bar, errors beside what was typed."""

from __future__ import annotations

import math
from datetime import timedelta

import pytest

from bot.card import Card, Moment, Mono, Table, Text, Tone, plain
from bot.cards import trouble
from bot.cards.lists import KINDS, ROWS, Row, jobs_card, partitions_card, status_card
from bot.cards.progress import BAR, in_words
from bot.errors import ClusterUnreachable, FieldError, Gone, InputRefused, SlurmUnreachable
from bot.job import State
from bot.progress import Progress
from tests.payloads.values import NOW, partitions, seen, tracked
from tests.unit.cards.saying import says, small_print


def table(card: Card) -> Table:
    """The one table of a card."""
    [found] = [part for part in card.parts if isinstance(part, Table)]
    return found


def test_partitions_come_with_the_most_free_nodes_first() -> None:
    """One that is down comes last; nodes that partitions share are not added up."""
    card = partitions_card("alice", partitions("p", 4), NOW)

    rows = table(card).rows
    assert [row[0] for row in rows] == ["p2", "p1", "p (default)", "p3"]
    assert [row[1] for row in rows] == ["2 of 4", "1 of 4", "0 of 4", "down"]
    assert [row[2] for row in rows] == ["8", "8", "8", "8"]
    assert "p2: 2 nodes free" in plain(card.lead)
    assert Moment(at=NOW) in card.foot[0]


def test_the_newest_jobs_are_shown_and_that_there_are_more_is_said() -> None:
    """Nobody thinks that they saw all."""
    rows = [seen("x", State.FAILED, id=str(n)) for n in range(ROWS + 1_000)]

    card = jobs_card("alice", "failed", [Row(row) for row in rows], NOW)

    assert [row[0] for row in table(card).rows] == [str(n) for n in range(1029, 999, -1)]
    assert "newest 30" in plain(card.lead)
    assert "older ones are not shown" in plain(card.lead)


@pytest.mark.parametrize("which", list(KINDS))
def test_no_jobs_is_said_in_words(which: str) -> None:
    """No empty table; whoever has none is told how to launch one."""
    card = jobs_card("alice", which, [], NOW)

    assert card.parts == ()
    assert "alice" in plain(card.lead)
    assert ("/slurm submit" in small_print(card)) == (which == "mine")


@pytest.mark.parametrize(
    ("state", "words", "where"),
    [
        (State.PENDING, "pending: Not enough nodes are free", "a3m: 2 nodes"),
        (State.RUNNING, "running", "a3m: alice-a3m-[0-1]"),
        (State.FAILED, "failed. Exit code: 1", "a3m: 2 nodes"),
        (State.COMPLETED, "completed", "a3m: 2 nodes"),
    ],
)
def test_a_job_is_told_with_what_one_wants_to_know_next(
    state: State, words: str, where: str
) -> None:
    """Why it waits, where it runs, how it failed; the state first, as a phone cuts the rest off."""
    nodes = "" if state is State.PENDING else "alice-a3m-[0-1]"
    job = seen("a3m", state, reason="Resources", node_list=nodes)

    row = table(jobs_card("alice", "all", [Row(job)], NOW)).rows[0]
    assert (row[1], row[-1]) == (words, where)


def test_a_state_that_nobody_knows_is_shown_as_slurm_wrote_it() -> None:
    """`unknown (QUANTUM)`."""
    job = seen("x", State.UNKNOWN, raw="QUANTUM")

    assert "unknown (QUANTUM)" in says(jobs_card("alice", "all", [Row(job)], NOW))


@pytest.mark.parametrize(
    ("progress", "words"),
    [
        (Progress(step=12, total=50, loss=3.2), f"{'▰' * 3}{'▱' * 9}  step 12 of 50, loss 3.2"),
        (Progress(step=50, total=50, finished=True), f"{'▰' * BAR}  step 50 of 50"),
        (Progress(step=60, total=50), f"{'▰' * BAR}  step 60 of 50"),
        (Progress(step=1_000_000), "step 1,000,000"),
        (Progress(step=3, loss=math.nan), "step 3, loss NaN"),
        (Progress(step=3, step_seconds=0.5), "step 3, 0.5 s a step"),
        (
            Progress(step=1, total=2, eta=timedelta(seconds=125), step_seconds=125),
            f"{'▰' * 6}{'▱' * 6}  step 1 of 2, about 2 min 05 s left",
        ),
        (Progress(step=2, total=2, eta=timedelta(0), finished=True), f"{'▰' * BAR}  step 2 of 2"),
        (
            Progress(step=150, total=300, epoch=2, epochs=3),
            f"{'▰' * 6}{'▱' * 6}  epoch 2 of 3, step 50 of 100",
        ),
        (Progress(step=3, loss=0.5, reward=0.4375), "step 3, loss 0.5, reward 0.4375"),
        (Progress(step=5, total=10, epoch=1, epochs=1), f"{'▰' * 6}{'▱' * 6}  step 5 of 10"),
    ],
)
def test_progress_is_a_bar_with_what_is_known(progress: Progress, words: str) -> None:
    """No bar without an end in sight; no time left when it is done."""
    assert in_words(progress) == words


def test_every_field_that_is_wrong_stands_beside_what_was_typed() -> None:
    """All at once, each with what to type instead."""
    error = InputRefused(
        (FieldError("nodes", "`two` is no number", "Use `-n 2`"), FieldError("", "Nothing else")),
        usage="/slurm submit SCRIPT",
    )

    card = trouble.refused_input(error, "/slurm submit -n two")

    assert card.tone is Tone.TROUBLE
    assert "nodes: two is no number. Use -n 2." in says(card)
    assert "Nothing else." in says(card)
    assert "/slurm submit -n two" in small_print(card)
    assert "/slurm submit SCRIPT" in small_print(card)


def test_one_thing_that_is_wrong_is_the_point_of_its_answer() -> None:
    """The field is not named beside words that name it."""
    error = InputRefused((FieldError("nodes", "`nodes` is no number: `two`"),))

    card = trouble.refused_input(error, "/slurm submit -n two")

    assert plain(card.lead) == "nodes is no number: two."
    assert card.parts == ()


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("use `-n 2` or `-n 4`", ("use ", Mono(text="-n 2"), " or ", Mono(text="-n 4"), ".")),
        ("Why?", ("Why?",)),
        ("", ()),
    ],
)
def test_what_stands_in_backticks_is_set_as_code(sentence: str, shown: Text) -> None:
    """Every sentence ends."""
    assert trouble.sentences(sentence) == shown


def test_an_error_is_its_own_sentence() -> None:
    """The docstring of the error, where nobody knows better; a cluster's says what it means."""
    cluster, person = ClusterUnreachable(), Gone("This was settled before")

    assert plain(trouble.refused(cluster).lead).startswith("The login node does not answer.")
    assert "Nothing was submitted." in small_print(trouble.refused(cluster))
    assert plain(trouble.refused(person).lead) == "This was settled before."


def test_a_fault_of_the_bot_is_owned_up_to_with_a_number_to_find_it_by() -> None:
    """No trace of it is shown."""
    assert "0badcafe" in plain(trouble.broke("0badcafe").lead)


def test_what_slurm_itself_said_is_small_print() -> None:
    """The point is that it does not answer, not how its program puts that."""
    card = trouble.refused(SlurmUnreachable("squeue: error: Unable to contact slurm controller"))

    assert plain(card.lead) == "Slurm does not answer."
    assert "Unable to contact slurm controller" in small_print(card)


def test_an_array_is_one_job_except_where_the_queue_is_shown() -> None:
    """It was launched as one."""
    task = seen("x", State.RUNNING, id="75_3")

    assert table(jobs_card("alice", "mine", [Row(task)], NOW)).rows[0][0] == "75"
    assert table(jobs_card("alice", "all", [Row(task, whole=False)], NOW)).rows[0][0] == "75_3"


def test_a_requeued_job_says_how_its_earlier_attempts_ended_and_where_their_logs_are() -> None:
    """As accounting tells; without it, the logs alone."""
    job = tracked("", State.RUNNING, attempt=3, tasks=())
    first = seen("NODE_FAIL", State.NODE_FAIL, elapsed=timedelta(minutes=5))
    said = says(status_card(job, NOW, [first]))
    assert "Attempt 1: node fail after 5 min. Log: " in said
    assert "/slurm logs 75 --attempt 1" in said
    assert "/slurm logs 75 --attempt 2" in said
    assert "Attempt" not in says(status_card(tracked("", State.RUNNING, attempt=1), NOW))
