"""Every state that a job of a real Slurm can be in, as the bot sees it and as people read it.

All plays begin at once and go on side by side, since most of them wait for Slurm; each test waits
for its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import timedelta

import pytest
import pytest_asyncio

from bot.card import plain
from bot.job import State
from tests.slurm import plays as play
from tests.slurm.lookout import Told, lookout
from tests.slurm.silences import Silence, silences
from tests.slurm.stage import LONG, Plays, Stage, stage

pytestmark = pytest.mark.asyncio(loop_scope="module")

STARTED = {"1/running": "Started on alice-a3m-0."}
UNEXPLAINED = "It failed, but its log does not say why."
HELD = "Waiting. It is held by its owner. It will not start by itself."


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stages(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Stage, Stage]]:
    """A cluster with accounting, and one without, which is the one that falls silent."""
    folder = tmp_path_factory.mktemp("states")
    async with AsyncExitStack() as stack:
        async with asyncio.TaskGroup() as group:
            full = stage(folder / "full", accounting=True)
            bare = stage(folder / "bare", accounting=False)
            first = group.create_task(stack.enter_async_context(full))
            second = group.create_task(stack.enter_async_context(bare))
        yield first.result(), second.result()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def plays(stages: tuple[Stage, Stage]) -> AsyncIterator[Plays]:
    """Everything that happens."""
    going = Plays()
    for each in play.ALL:
        going.begin(each, stages[0])
    going.begin(silences, stages[1])
    yield going
    await going.stop()


async def test_a_job_that_succeeds(plays: Plays) -> None:
    """It is submitted, runs and is completed; the thread says when it began and ended."""
    told = await plays.end_of(play.success)
    assert (told.job.seen.state, told.job.seen.exit_code) == (State.COMPLETED, "0:0")
    assert told.history[0] == "Submitted. Slurm has not looked at it yet."
    assert told.history[-2].startswith("Running on alice-a3m-0 since ")
    assert told.root == f"Completed after {_took(told)}."
    assert told.thread == {**STARTED, "1/ended": f"@U1 Job {told.job.id}: {told.root}"}
    assert told.facts["Used"] == f"1 node × {_took(told)}"


async def test_a_job_that_ends_within_a_second(plays: Plays) -> None:
    """Its beginning may pass unseen, its end does not."""
    told = await plays.end_of(play.instant)
    assert told.job.seen.state is State.COMPLETED
    assert told.root.startswith("Completed after ")
    assert told.thread["1/ended"] == f"@U1 Job {told.job.id}: {told.root}"


@pytest.mark.parametrize(
    ("way", "code"), [(play.exit_3, 3), (play.exit_137, 137), (play.exit_255, 255)]
)
async def test_a_job_that_fails(plays: Plays, way: play.Alone, code: int) -> None:
    """The whole exit code is told, where accounting would show 9:0 or 127:0."""
    told = await plays.end_of(way)
    assert (told.job.seen.state, told.job.seen.exit_code) == (State.FAILED, f"{code}:0")
    assert told.root == f"Failed after {_took(told)}."
    assert told.facts["Exit code"] == str(code)
    assert told.thread["1/why"] == f"@U1 Job {told.job.id}: {UNEXPLAINED}"


async def test_a_job_whose_output_folder_is_missing(plays: Plays) -> None:
    """There is no log at all; Slurm's own number tells."""
    told = await plays.end_of(play.no_output_folder)
    assert (told.job.seen.state, told.job.seen.exit_code) == (State.FAILED, "0:53")
    assert "the folder of its output" in told.root
    assert told.facts["Exit code"] == "0:53"
    assert list(told.thread)[-1] == "1/why"


async def test_a_job_whose_errors_go_to_a_file_of_their_own(plays: Plays) -> None:
    """It is searched as well, from its beginning."""
    told = await plays.end_of(play.errors_apart)
    assert told.job.label == "cuda-oom"
    assert "1/why" in told.thread


async def test_a_job_that_goes_on_after_a_step_failed(plays: Plays) -> None:
    """It ends well, but that is told."""
    told = await plays.end_of(play.step_failed)
    assert told.job.seen.state is State.COMPLETED
    (card,) = [m.card for m in told.channel.messages if m.key.endswith(f"{told.job.id}/1/ended")]
    assert "A step of it failed with exit code 3," in plain(card.foot[0])


async def test_a_job_cancelled_by_its_owner(plays: Plays) -> None:
    """At the login node; the account is named."""
    told = await plays.end_of(play.cancelled_by_owner)
    owner = told.job.seen.user
    assert told.job.seen.state is State.CANCELLED
    assert told.root == f"Cancelled by {owner} after {_took(told)}."
    assert told.thread == {**STARTED, "1/why": f"@U1 Job {told.job.id}: {_was(owner)}"}


async def test_a_job_cancelled_by_the_administrator(plays: Plays) -> None:
    """Accounting says 0, which is root, or Slurm itself."""
    told = await plays.end_of(play.cancelled_by_root)
    assert (told.job.seen.state, told.job.seen.cancelled_by) == (State.CANCELLED, "0")
    assert told.root == f"Cancelled by Slurm or an administrator after {_took(told)}."
    assert list(told.thread) == ["1/running", "1/why"]


async def test_a_job_cancelled_by_another_account(plays: Plays) -> None:
    """By one that may; it is named."""
    told = await plays.end_of(play.cancelled_by_operator)
    if told is None:
        pytest.skip("needs root and private namespaces: here only one account can own jobs")
    assert told.job.seen.state is State.CANCELLED
    assert told.root == f"Cancelled by bob after {_took(told)}."
    assert told.thread == {**STARTED, "1/why": f"@U1 Job {told.job.id}: {_was('bob')}"}


async def test_a_job_cancelled_from_slack(plays: Plays) -> None:
    """The person is named, not the account that the bot logs in as; nothing is diagnosed."""
    told = await plays.end_of(play.cancelled_from_slack)
    assert (told.job.seen.state, told.job.stopped_by) == (State.CANCELLED, "U7")
    assert told.root == f"Cancelled by @U7 after {_took(told)}."
    assert told.thread == {**STARTED, "1/ended": f"@U1 Job {told.job.id}: {told.root}"}


async def test_a_job_cancelled_before_it_ran(plays: Plays) -> None:
    """It was held, which the thread says, since nobody would notice."""
    told = await plays.end_of(play.cancelled_while_held)
    owner = told.job.seen.user
    assert told.job.seen.state is State.CANCELLED
    assert told.root == f"Cancelled by {owner} before it started."
    assert "Used" not in told.facts
    assert told.thread == {
        "1/stuck": f"@U1 Job {told.job.id}: {HELD}",
        "1/why": f"@U1 Job {told.job.id}: {_was(owner)}",
    }


async def test_a_held_job_that_is_released(plays: Plays) -> None:
    """It waits in vain, then runs."""
    told = await plays.end_of(play.released)
    assert HELD in told.history
    assert told.job.seen.state is State.COMPLETED
    assert next(iter(told.thread)) == "1/stuck"
    assert list(told.thread)[-1] == "1/ended"


async def test_a_dependency_that_is_never_satisfied(plays: Plays) -> None:
    """The job would wait for ever; the person is told once."""
    told = await plays.end_of(play.never_satisfied)
    why = "Waiting. The job it depends on did not end as required. It will not start by itself."
    assert why in told.history
    assert told.thread["1/stuck"] == f"@U1 Job {told.job.id}: {why}"
    assert told.job.seen.state is State.CANCELLED


async def test_a_job_that_is_suspended_and_resumed(plays: Plays) -> None:
    """Its time stands still, and it starts only once as far as the thread is concerned."""
    told = await plays.end_of(play.suspended)
    assert "Suspended. Its time limit is paused." in told.history
    assert told.job.seen.state is State.COMPLETED
    seen = told.job.seen
    assert seen.started is not None
    assert seen.ended is not None
    assert seen.elapsed is not None
    assert seen.ended - seen.started - seen.elapsed >= timedelta(seconds=4)
    assert list(told.thread) == ["1/running", "1/ended"]


async def test_a_job_that_cannot_meet_its_deadline(plays: Plays) -> None:
    """It never began."""
    told = await plays.end_of(play.deadline)
    assert told.job.seen.state is State.DEADLINE
    assert told.root.startswith("Its deadline came before it started.")
    assert list(told.thread) == ["1/why"]


async def test_a_requeued_job_lives_on(plays: Plays) -> None:
    """Under its id, with one more attempt; nobody reads that it failed."""
    again = await plays.end_of(play.requeued)
    _lives_on(
        again, "Requeued by Slurm. Attempt 2 is waiting. Its earliest start time has not come"
    )


async def test_a_preempted_job_lives_on(plays: Plays) -> None:
    """The thread says what took its nodes."""
    again = await plays.end_of(play.preempted)
    why = "The scheduler gave its nodes to a job of higher priority."
    _lives_on(again, f"Requeued by Slurm. {why} Attempt 2 is waiting.")


async def test_a_preempted_job_that_may_not_be_requeued(plays: Plays) -> None:
    """It ends, though not by its own fault."""
    told = await plays.end_of(play.preempted_for_good)
    assert told.job.seen.state is State.PREEMPTED
    assert told.root.startswith("Preempted after ")
    assert list(told.thread) == ["1/running", "1/why"]


async def test_an_array_with_mixed_results(plays: Plays) -> None:
    """It failed as a whole; the card counts the tasks."""
    told = await plays.end_of(play.array)
    assert (told.job.seen.state, told.job.seen.exit_code) == (State.FAILED, "1:0")
    assert told.facts["Tasks"] == "3 completed, 1 failed"
    assert list(told.thread) == ["1/running", "1/why"]


async def test_looks_at_unchanged_jobs_cost_one_squeue_each(plays: Plays) -> None:
    """And nothing is written; the logs of running jobs are looked at less often, all at once."""
    cost = await plays.end_of(play.economy)
    assert cost.asked["squeue"] == cost.looks
    assert cost.asked["peek"] <= 1
    assert set(cost.asked) <= {"squeue", "peek"}
    assert cost.commits == 0


async def test_a_failed_job_that_slurm_has_forgotten(plays: Plays) -> None:
    """Accounting remembers how it ended."""
    told = await plays.end_of(play.gone_bad)
    assert (told.job.seen.state, told.job.seen.exit_code) == (State.FAILED, "3:0")
    assert told.root == f"Failed after {_took(told)}."
    assert list(told.thread) == ["1/why"]


async def test_a_good_job_that_slurm_has_forgotten(plays: Plays) -> None:
    """The same."""
    told = await plays.end_of(play.gone_good)
    assert told.job.seen.state is State.COMPLETED
    assert told.thread == {"1/ended": f"@U1 Job {told.job.id}: {told.root}"}


async def test_an_array_whose_tasks_are_forgotten_one_by_one(plays: Plays) -> None:
    """The task that failed long ago still counts, and waiting for the next one is no requeue."""
    told = await plays.end_of(play.one_by_one)
    assert (told.job.seen.state, told.job.attempt) == (State.FAILED, 1)
    assert told.facts["Tasks"] == "3 completed, 1 failed"
    assert not [lead for lead in told.history if lead.startswith("Completed")]
    assert list(told.thread) == ["1/running", "1/why"]


async def test_a_node_that_dies(plays: Plays) -> None:
    """One job ends with it; one that may be requeued waits, and runs again."""
    dead, again = await plays.end_of(play.node_crash)
    assert dead.job.seen.state is State.NODE_FAIL
    assert dead.root.startswith("A node failed after ")
    assert list(dead.thread) == ["1/running", "1/why"]
    _lives_on(again, "Requeued by Slurm. A node stopped answering. Attempt 2 is waiting.")


async def test_a_job_that_reaches_its_time_limit(plays: Plays) -> None:
    """Some seconds later than it should."""
    told = await plays.end_of(play.time_limit)
    assert told.job.seen.state is State.TIMEOUT
    assert told.root.startswith("Stopped at its time limit after 1 min")
    assert list(told.thread) == ["1/running", "1/why"]


async def test_accounting_that_is_down_is_no_outage(
    plays: Plays, stages: tuple[Stage, Stage]
) -> None:
    """What Slurm itself says is told; what only accounting knows waits until it is back."""
    here, _ = stages
    await plays.over(play.ALL)
    forgotten = await plays.end_of(play.forgotten)
    database = here.folder / "mute.db"
    await here.cluster.stop_daemon("slurmdbd")
    async with lookout(here.cluster.address, database) as eye:
        await eye.follow(forgotten)
        await eye.sees(forgotten, lambda job: job.seen.state is State.SETTLING)
        cancelled = await here.launch(LONG)
        await here.runs(cancelled)
        await here.as_owner("scancel", cancelled)
        told = await here.ends(cancelled)
        assert told.root == f"Cancelled after {_took(told)}."
        await here.cluster.start_daemon("slurmdbd")
        late = await eye.tells(forgotten)
    assert (late.job.seen.state, late.job.seen.exit_code) == (State.FAILED, "3:0")
    assert not [m for m in here.bot.channel.messages if m.key.startswith("outage/")]


async def test_without_accounting_a_vanished_job_is_lost_and_not_failed(plays: Plays) -> None:
    """First it settles; after minutes without a trace the bot admits that it does not know."""
    lost = (await plays.end_of(silences)).lost
    assert lost.settling.seen.state is State.SETTLING
    assert lost.at_once == "Left the queue. Asking Slurm how it ended …"
    assert lost.told.job.seen.state is State.LOST
    assert lost.told.root.startswith("Lost sight of it. Neither the queue nor the accounting")
    assert not [lead for lead in lost.told.history if "ailed" in lead]
    assert lost.told.thread == {"1/ended": f"@U1 Job {lost.told.job.id}: {lost.told.root}"}


async def test_a_login_node_that_goes_away(plays: Plays) -> None:
    """Each channel reads it once, and once that it is back, whatever becomes of the bot."""
    silence = (await plays.end_of(silences)).ssh
    _told_once(silence)
    assert silence.running.seen.state is State.RUNNING
    assert silence.other.job.seen.state is State.CANCELLED
    assert silence.other.root == f"Cancelled after {_took(silence.other)}."


async def test_a_controller_that_goes_away(plays: Plays) -> None:
    """The same; a job that ended meanwhile did not fail."""
    silence = (await plays.end_of(silences)).slurm
    _told_once(silence)
    assert silence.running.seen.state is State.RUNNING
    assert silence.other.job.seen.state is State.COMPLETED


def _took(told: Told) -> str:
    assert told.job.seen.elapsed is not None
    seconds = round(told.job.seen.elapsed.total_seconds())
    return f"{seconds} s" if seconds else "less than 1 s"


def _was(account: str) -> str:
    return f"It was cancelled by {account}."


def _lives_on(again: play.Again, notice: str) -> None:
    waiting, told = again.waiting, again.told
    assert (waiting.seen.state, waiting.attempt) == (State.PENDING, 2)
    assert (told.job.seen.state, told.job.attempt) == (State.COMPLETED, 2)
    assert told.thread["2/pending"].startswith(notice)
    assert list(told.thread) == ["1/running", "2/pending", "2/running", "2/ended"]
    assert not [lead for lead in told.history if "ailed" in lead or "reempted" in lead]


def _told_once(silence: Silence) -> None:
    for channel in ("C1", "C2"):
        out, back = silence.said_in(channel)
        assert out.lead.startswith("alice has not answered since ")
        assert back.lead.startswith("alice answers again, after ")
        assert back.thread == out.ts
    assert not [lead for said in silence.channel.said.values() for lead in said if "ailed" in lead]
