"""Several jobs of one launch are told as one experiment."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.card import Card, Tone, plain
from bot.cards.experiment import chief, experiment_card
from bot.cards.request import request_card
from bot.course import Course, Worry
from bot.job import Job, State
from bot.model import Experiment, Stage, Task
from tests.payloads.values import NOW, asked, seen, tracked

TOLD = Experiment(
    id="chain_1796059859",
    tasks=(
        Task(name="pretrain", job="75", folder="/w/experiments/chain/chain_1796059859/pretrain"),
        Task(name="tune", job="76", folder="/w/experiments/chain/chain_1796059859/tune"),
    ),
)
REQUEST = asked("x", stage=Stage.SUBMITTED, experiment=TOLD, title="chain")


def pair(first: State, second: State, reason: str = "") -> list[Job]:
    """Two jobs in these states; the reason is why the second waits."""
    return [
        tracked(
            "",
            state,
            id=str(number),
            tasks=(),
            attempt=1,
            cause="The disk was full.",
            seen=seen(
                "", state, id=str(number), reason=reason, dependency="afterok:75(unfulfilled)"
            ),
        )
        for number, state in ((75, first), (76, second))
    ]


def card(first: State, second: State, reason: str = "") -> Card:
    """The root message."""
    return experiment_card(REQUEST, pair(first, second, reason))


def test_a_task_whose_training_goes_badly_is_trouble_and_said() -> None:
    """While it still runs."""
    first, second = pair(State.RUNNING, State.PENDING)
    bad = Course(attempt=1, moved=NOW, since=NOW, worries=(Worry.DIVERGED,))
    made = experiment_card(REQUEST, [first.model_copy(update={"course": bad}), second])
    assert made.tone is Tone.TROUBLE
    assert any("Its loss is no longer a number." in plain(fact.value) for fact in made.facts)


@pytest.mark.parametrize(
    ("first", "second", "tone", "lead"),
    [
        (State.RUNNING, State.PENDING, Tone.WORKING, "2 jobs: 1 running and 1 waiting."),
        (State.PENDING, State.PENDING, Tone.WAITING, "Both jobs waiting."),
        (State.COMPLETED, State.RUNNING, Tone.WORKING, "2 jobs: 1 running and 1 completed."),
        (State.COMPLETED, State.COMPLETED, Tone.DONE, "Both jobs completed."),
        (
            State.FAILED,
            State.CANCELLED,
            Tone.FAILED,
            "2 jobs: 1 failed and 1 cancelled. Job 75: The disk was full.",
        ),
        (
            State.TIMEOUT,
            State.RUNNING,
            Tone.FAILED,
            "2 jobs: 1 running and 1 failed. Job 75: The disk was full.",
        ),
        (State.CANCELLED, State.CANCELLED, Tone.STOPPED, "Both jobs cancelled."),
    ],
)
def test_the_root_message_says_how_all_of_it_stands(
    first: State, second: State, tone: Tone, lead: str
) -> None:
    """And why what failed has failed."""
    made = card(first, second)
    assert (made.tone, plain(made.lead)) == (tone, lead)


def test_each_task_says_how_it_is_and_what_it_waits_for() -> None:
    """Under the name that NeMo-Run gives it."""
    made = card(State.RUNNING, State.PENDING, "Dependency")
    facts = {fact.label: plain(fact.value) for fact in made.facts}
    assert facts["pretrain"].startswith("job 75: Running")
    assert facts["tune"].startswith("job 76: Waiting. It waits for job 75 to end well.")
    assert facts["Experiment"] == "chain_1796059859"
    assert facts["Folder"] == "/w/experiments/chain/chain_1796059859"


def test_what_waits_for_a_job_that_failed_waits_in_vain() -> None:
    """Slurm leaves it in the queue for ever."""
    made = card(State.COMPLETED, State.PENDING, "DependencyNeverSatisfied")
    assert made.tone is Tone.TROUBLE
    assert plain(made.lead) == "2 jobs: 1 waiting in vain and 1 completed."


def test_all_jobs_that_are_left_can_be_cancelled_at_once() -> None:
    """Until all have ended."""
    [both] = card(State.RUNNING, State.PENDING).buttons
    assert both.label == "Cancel All Jobs"
    assert both.confirm.startswith("This ends jobs 75 and 76 ")
    [one] = card(State.COMPLETED, State.RUNNING).buttons
    assert one.label == "Cancel Job"
    assert "job 76" in one.confirm
    assert card(State.COMPLETED, State.FAILED).buttons == ()


def test_the_log_of_each_job_that_began_can_be_shown() -> None:
    """By the task's name."""
    pick = card(State.RUNNING, State.PENDING).pick
    assert pick is not None
    assert [choice.label for choice in pick.choices] == ["75 pretrain"]
    assert card(State.PENDING, State.PENDING).pick is None


def test_one_job_is_told_as_a_job() -> None:
    """With its experiment beside it."""
    made = request_card(REQUEST, pair(State.RUNNING, State.PENDING)[:1])
    facts = [fact.label for fact in made.facts]
    assert facts[0] == "Job"
    assert "Experiment" in facts


@pytest.mark.parametrize(
    ("first", "second", "meant"),
    [
        (State.RUNNING, State.PENDING, "75"),
        (State.COMPLETED, State.RUNNING, "76"),
        (State.FAILED, State.PENDING, "75"),
        (State.PENDING, State.PENDING, "75"),
        (State.COMPLETED, State.COMPLETED, "76"),
    ],
)
def test_a_question_in_the_thread_means_the_job_that_matters_most(
    first: State, second: State, meant: str
) -> None:
    """What runs, else what went wrong."""
    assert chief(pair(first, second)).id == meant


def test_what_was_used_is_told_once_all_is_over() -> None:
    """Until then, what each job may take at most."""
    going = pair(State.COMPLETED, State.RUNNING)
    assert "at most" in facts(experiment_card(REQUEST, going))["Each job"]
    over = [
        job.model_copy(update={"seen": seen("", State.COMPLETED, id=job.id, elapsed=ran, gpus=16)})
        for job, ran in zip(going, (timedelta(minutes=20), timedelta(minutes=10)), strict=True)
    ]
    told = facts(experiment_card(REQUEST, over))
    assert told["Used in all"] == "2 nodes × 8 GPUs × 30 min = 8 GPU-hours"
    assert "Each job" not in told


def test_of_very_many_tasks_those_come_first_that_want_a_look() -> None:
    """The card stays short enough for a phone."""
    many = [
        tracked("", State.COMPLETED if number % 50 else State.FAILED, id=str(number), tasks=())
        for number in range(1, 200)
    ]
    told = [plain(fact.value) for fact in experiment_card(REQUEST, many).facts]
    first = [words.split(":")[0] for words in told[:12]]
    assert first[:4] == ["job 50", "job 100", "job 150", "job 1"]
    assert first[11] == "188 more"


def test_why_a_task_failed_is_said_once() -> None:
    """In the lead, where it is read first."""
    made = card(State.FAILED, State.FAILED)
    shown = facts(made)
    assert plain(made.lead).endswith("Job 75: The disk was full.")
    assert "The disk was full" not in shown["pretrain"]
    assert shown["tune"].endswith("The disk was full.")


def facts(shown: Card) -> dict[str, str]:
    """What is told, by its label."""
    return {fact.label: plain(fact.value) for fact in shown.facts}
