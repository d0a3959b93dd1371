"""One look after another: what is asked, what is told, what survives a fault."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from bot.card import plain
from bot.cluster import slurm
from bot.errors import ClusterUnreachable, StoreFailed
from bot.following import PATIENCE
from bot.inquiry import Inquiry
from bot.model import State
from bot.ports import Output
from tests.unit.slurm_says import sacct, scontrol, squeue, waits
from tests.unit.tracking import Scene, Unsteady

RATE = Output("", "slurm_load_jobs error: Rate limit exceeded, please retry momentarily\n", 1)
CUT = ClusterUnreachable("the connection was cut")
NO_DATABASE = Output("", "sacct: error: Problem talking to the database: Connection refused\n", 1)
NO_SACCT = Output("", "/bin/sh: 3: sacct: not found\n", 127)
NO_ACCOUNTING = Output("", "Slurm accounting storage is disabled\n", 1)
STEP = "Training epoch 0, iteration {}/9 | lr: 0.1 | reduced_train_loss: 3.2\n"


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    """An empty store, a Slurm without jobs, a tracker."""
    database = tmp_path / "bot.db"
    async with Unsteady(f"sqlite:///{database}") as store:
        yield Scene(database, store)


def runs(scene: Scene, job: str = "75") -> None:
    """Let Slurm show a running job."""
    scene.slurm.queue.append(squeue(job))
    scene.slurm.control[job] = [scontrol(job)]


def ends(scene: Scene, state: str, code: str, job: str = "75") -> None:
    """Let Slurm show an ended job."""
    scene.slurm.queue[:] = [
        row for row in scene.slurm.queue if not row.startswith(f"\x1e{job}\x1f")
    ]
    scene.slurm.queue.append(squeue(job, state, end="21:46:52"))
    scene.slurm.control[job] = [scontrol(job, state, code=code, end="21:46:52")]


def vanishes(scene: Scene) -> None:
    """Let Slurm forget everything."""
    scene.slurm.queue.clear()
    scene.slurm.control.clear()


async def test_without_jobs_nothing_is_asked(scene: Scene) -> None:
    """And the next look is far away."""
    assert await scene.tracker.tick() == 60.0
    assert scene.slurm.asked == []


async def test_a_change_is_kept_and_told(scene: Scene) -> None:
    """In one go: the job, the living message, the answer in its thread."""
    await scene.follow("75")
    runs(scene)
    await scene.tracker.tick()
    assert (await scene.job()).seen.state is State.RUNNING
    assert (await scene.lead()).startswith("Running on alice-a3m-0 since ")
    assert await scene.lead("75/1/running") == "Started on alice-a3m-0."
    assert scene.woken


async def test_unchanged_jobs_cost_one_squeue_and_no_write(scene: Scene) -> None:
    """However many there are."""
    jobs = [str(number) for number in range(100, 140)]
    await scene.follow(*jobs)
    for job in jobs:
        runs(scene, job)
    await scene.tracker.tick()
    scene.slurm.asked.clear()
    assert await scene.writes(1, 2, 3) == 0
    assert scene.slurm.asked == ["squeue"] * 3


async def test_a_row_that_changes_nothing_told_is_not_written(scene: Scene) -> None:
    """The end of its time moves when somebody changes the limit to what it was."""
    await scene.follow("75")
    runs(scene)
    await scene.tracker.tick()
    scene.slurm.queue[:] = [squeue("75", end="21:58:00")]
    assert await scene.writes(1) == 0


async def test_many_changes_are_one_scontrol_and_one_sacct(scene: Scene) -> None:
    """Nothing is asked for each job."""
    jobs = [str(number) for number in range(100, 140)]
    await scene.follow(*jobs)
    for job in jobs:
        ends(scene, "CANCELLED", "0:15", job)
        scene.slurm.accounting.append(sacct(job, "CANCELLED by 50002"))
    await scene.tracker.tick()
    assert {name: scene.slurm.count(name) for name in scene.slurm.asked} == {
        **dict.fromkeys(("squeue", "scontrol show job", "sacct", "id"), 1)
    }
    assert len(scene.explained) == 40


async def test_an_ended_job_is_explained_and_no_longer_looked_at(scene: Scene) -> None:
    """Its exit code is scontrol's, whole."""
    await scene.follow("75")
    ends(scene, "FAILED", "137:0")
    await scene.tracker.tick()
    assert [job.seen.exit_code for job in scene.explained] == ["137:0"]
    scene.slurm.asked.clear()
    await scene.tracker.tick()
    assert scene.slurm.asked == []


async def test_a_requeued_job_is_never_told_to_have_failed(scene: Scene) -> None:
    """Its thread says what ended the attempt and that the next one waits."""
    await scene.follow("75")
    runs(scene)
    await scene.tracker.tick()
    scene.slurm.queue[:] = [waits("75", "BeginTime")]
    scene.slurm.control["75"] = [scontrol("75", "PENDING", "BeginTime", restarts=1, node="")]
    scene.slurm.accounting = [sacct("75", "PREEMPTED")]
    await scene.tracker.tick()
    assert (await scene.job()).attempt == 2
    assert (await scene.lead()).startswith("Attempt 2 waits: may not start before a set time")
    notice = await scene.lead("75/2/pending")
    assert notice.startswith(
        "Requeued by Slurm. The scheduler gave its nodes to a job of higher priority. Attempt 2"
    )
    scene.slurm.queue[:] = [squeue("75", start="21:49:00")]
    await scene.tracker.tick()
    assert await scene.lead("75/2/running") == "Started on alice-a3m-0."
    assert (await scene.job()).cause == ""
    assert scene.explained == []


async def test_a_job_that_waits_in_vain_is_told_once(scene: Scene) -> None:
    """Even if Slurm finds another word for it."""
    await scene.follow("75")
    for reason in ("PartitionConfig", "PartitionTimeLimit"):
        scene.slurm.queue[:] = [waits("75", reason)]
        await scene.tracker.tick()
    more = "more time than the partition allows. It will not start by itself."
    assert await scene.lead("75/1/stuck") == f"@U1 Job 75 waits: {more}"
    assert await scene.lead() == f"Waiting: {more}"
    scene.slurm.queue[:] = [waits("75")]
    await scene.tracker.tick()
    assert await scene.lead() == "Waiting for nodes to become free."


async def test_a_vanished_job_settles_until_accounting_tells(scene: Scene) -> None:
    """scontrol's 0:0 of the running job is not its exit code, and nothing is written meanwhile."""
    await scene.follow("75")
    runs(scene)
    await scene.tracker.tick()
    vanishes(scene)
    await scene.tracker.tick()
    assert await scene.lead() == "It left the queue; asking Slurm how it ended …"
    assert await scene.writes(1, 2) == 0
    scene.slurm.accounting = [sacct("75", "FAILED", "3:0")]
    await scene.tracker.tick()
    ended = await scene.job()
    assert (ended.seen.state, ended.seen.exit_code) == (State.FAILED, "3:0")
    assert await scene.lead() == "Failed after 3 s."


@pytest.mark.parametrize("silent", [NO_ACCOUNTING, NO_SACCT], ids=["off", "no such program"])
async def test_without_accounting_a_vanished_job_is_lost_after_minutes(
    scene: Scene, silent: Output
) -> None:
    """Its cluster answers, so there is no outage either."""
    await scene.follow("75")
    scene.slurm.instead["sacct"] = silent
    await scene.tracker.tick()
    settling = await scene.job()
    assert settling.seen.state is State.SETTLING
    assert settling.settling_since is not None
    earlier = settling.settling_since - PATIENCE
    await scene.store.save_jobs([settling.model_copy(update={"settling_since": earlier})])
    scene.begin()
    await scene.tracker.load()
    await scene.tracker.tick()
    assert (await scene.job()).seen.state is State.LOST
    assert (await scene.lead()).startswith("Lost sight of it")


async def test_the_silence_of_the_accounting_is_no_outage_and_costs_no_patience(
    scene: Scene,
) -> None:
    """It may be down for an hour; then it is asked for as long as if nothing had been."""
    await scene.follow("75", "76")
    runs(scene, "76")
    scene.slurm.instead["sacct"] = NO_DATABASE
    await scene.tracker.tick()
    assert (await scene.job("76")).seen.state is State.RUNNING
    settling = await scene.job()
    assert settling.settling_since is not None
    hour = timedelta(hours=1)
    old = settling.model_copy(update={"settling_since": settling.settling_since - hour})
    await scene.store.save_jobs([old])
    scene.begin()
    await scene.tracker.load()
    await scene.tracker.tick()
    del scene.slurm.instead["sacct"]
    scene.slurm.accounting = [sacct("75", "PENDING", start="Unknown", end="Unknown")]
    await scene.tracker.tick()
    assert (await scene.job()).seen.state is State.SETTLING
    scene.slurm.accounting = [sacct("75", "COMPLETED")]
    await scene.tracker.tick()
    assert (await scene.job()).seen.state is State.COMPLETED


async def test_a_cancel_is_told_when_accounting_names_who_did_it(scene: Scene) -> None:
    """It lags by a second or so; a cancel without a name would be told for ever."""
    await scene.follow("75")
    runs(scene)
    await scene.tracker.tick()
    ends(scene, "CANCELLED", "0:15")
    scene.slurm.accounting = [sacct("75", "RUNNING", end="Unknown")]
    await scene.tracker.tick()
    assert (await scene.lead()).startswith("Running on ")
    scene.slurm.accounting = [sacct("75", "CANCELLED by 50002")]
    await scene.tracker.tick()
    assert await scene.lead() == "Cancelled by bob after 3 s."
    assert (await scene.job()).seen.exit_code == "0:15"


async def test_a_cancel_that_accounting_never_hears_of_is_told_without_a_name(
    scene: Scene,
) -> None:
    """Some seconds later."""
    await scene.follow("75")
    before = {"75": await scene.job()}
    ended = before["75"].model_copy(
        update={"seen": slurm.seen(squeue("75", "CANCELLED", end="21:46:52").strip("\x1e\x1f\n"))}
    )
    hasty, patient = Inquiry(scene.node, lag=0.0), Inquiry(scene.node)
    assert await patient.complete({"75": ended}, [], before) == {}
    found = await hasty.complete({"75": ended}, [], before)
    assert found["75"].seen.state is State.CANCELLED


async def test_number_0_is_not_a_name(scene: Scene) -> None:
    """Slurm itself signs so, too; the diagnosis must see it as it is."""
    await scene.follow("75")
    ends(scene, "CANCELLED", "0:15")
    scene.slurm.accounting = [sacct("75", "CANCELLED by 0")]
    await scene.tracker.tick()
    assert (await scene.job()).seen.cancelled_by == "0"
    assert await scene.lead() == "Cancelled by root after 3 s."
    assert scene.slurm.count("id") == 0


async def test_a_cancel_from_slack_during_a_look_is_not_forgotten(scene: Scene) -> None:
    """The look had begun before, and its news is older than the cancel."""
    await scene.follow("75")
    runs(scene)

    async def cancelled() -> None:
        await scene.tracker.stopping(await scene.job(), "U7")

    scene.slurm.meanwhile["scontrol show job"] = cancelled
    await scene.tracker.tick()
    assert (await scene.job()).stopped_by == "U7"
    ends(scene, "CANCELLED", "0:15")
    scene.slurm.accounting = [sacct("75", "CANCELLED by 50001")]
    await scene.tracker.tick()
    assert await scene.lead() == "Cancelled by @U7 after 3 s."


async def test_a_change_that_could_not_be_kept_comes_again(scene: Scene) -> None:
    """The disk was full; Slurm's row does not change again for as long as the job runs."""
    await scene.follow("75")
    runs(scene)
    scene.store.full = True
    with pytest.raises(StoreFailed):
        await scene.tracker.tick()
    scene.store.full = False
    await scene.tracker.tick()
    assert (await scene.job()).seen.state is State.RUNNING


async def test_a_change_is_told_though_the_logs_cannot_be_looked_at(scene: Scene) -> None:
    """That is another question, and the connection may be cut between the two."""
    await scene.follow("75", "76")
    runs(scene)
    scene.slurm.instead["peek"] = CUT
    await scene.tracker.tick()
    runs(scene, "76")
    await scene.tracker.tick()
    assert (await scene.job("75")).seen.state is State.RUNNING
    assert (await scene.job("76")).seen.state is State.RUNNING


@pytest.mark.parametrize("question", ["squeue", "scontrol show job", "sacct"])
async def test_a_cut_during_a_look_loses_nothing(scene: Scene, question: str) -> None:
    """All of it is asked again."""
    await scene.follow("75")
    ends(scene, "CANCELLED", "0:15")
    scene.slurm.accounting = [sacct("75", "CANCELLED by 50001")]
    scene.slurm.instead[question] = CUT
    assert await scene.tracker.tick() == 5.0
    assert (await scene.job()).seen.state is State.PENDING
    del scene.slurm.instead[question]
    await scene.tracker.tick()
    assert (await scene.job()).seen.cancelled_by == "alice"


async def test_slurms_rate_limit_slows_the_looks_down(scene: Scene) -> None:
    """Twice as slow each time, up to eight times; the jobs are as they were, and nobody is told."""
    await scene.follow("75")
    runs(scene)
    scene.slurm.instead["squeue"] = RATE
    pace = [await scene.tracker.tick() for _ in range(8)]
    assert pace[:3] == [10.0, 20.0, 40.0]
    assert pace == sorted(pace)
    assert max(pace) <= 8 * 60.0
    assert await scene.store.message("outage/alice/C1/1") is None
    del scene.slurm.instead["squeue"]
    assert [await scene.tracker.tick() for _ in range(3)] == [20.0, 10.0, 5.0]
    assert (await scene.job()).seen.state is State.RUNNING


async def test_a_rate_limit_in_the_middle_of_a_look_counts_too(scene: Scene) -> None:
    """Whichever command was one too many."""
    await scene.follow("75")
    ends(scene, "CANCELLED", "0:15")
    scene.slurm.instead["sacct"] = RATE
    assert await scene.tracker.tick() == 10.0
    assert (await scene.job()).seen.state is State.PENDING


async def test_the_quieter_it_is_the_rarer_are_the_looks(scene: Scene) -> None:
    """Up to the slow pace, and back to the fast one when something changes."""
    await scene.follow("75")
    runs(scene)
    assert await scene.tracker.tick() == 5.0
    pace = [await scene.tracker.tick() for _ in range(14)]
    assert pace == sorted(pace)
    assert (pace[0], pace[-1]) == (5.0, 60.0)
    ends(scene, "COMPLETED", "0:0")
    runs(scene, "76")
    await scene.follow("76", request="r2")
    assert await scene.tracker.tick() == 5.0


async def test_progress_is_told_and_does_not_hurry_the_looks(scene: Scene) -> None:
    """A training prints steps for days; Slurm need not be asked more often for it."""
    await scene.follow("75")
    runs(scene)
    scene.slurm.logs["75"] = STEP.format(2)
    await scene.tracker.tick()
    card = await scene.card()
    assert card is not None
    shown = {fact.label: plain(fact.value) for fact in card.facts}
    assert "step 3 of 10, loss 3.2" in shown["Progress"]
    assert [await scene.tracker.tick() for _ in range(8)][-1] > 5.0


async def test_logs_are_looked_at_together_and_not_at_each_look(scene: Scene) -> None:
    """Those of running jobs whose output file is known."""
    await scene.follow("75", "76", "77")
    runs(scene, "75")
    runs(scene, "76")
    scene.slurm.queue.append(waits("77"))
    scene.slurm.control["77"] = [scontrol("77", "PENDING", "Resources", node="")]
    for _ in range(3):
        await scene.tracker.tick()
    assert scene.slurm.count("peek") == 1


async def test_a_request_with_two_jobs_shows_both(scene: Scene) -> None:
    """On one card."""
    await scene.follow("75", "76")
    runs(scene, "75")
    scene.slurm.queue.append(waits("76"))
    await scene.tracker.tick()
    card = await scene.card()
    assert card is not None
    jobs = [plain(fact.value) for fact in card.facts if fact.label == "Job"]
    assert [job.split("  ")[0] for job in jobs] == ["75", "76"]
    assert [job.split("  ")[-1] for job in jobs] == ["running", "pending"]


async def test_a_restart_takes_up_what_was_left(scene: Scene) -> None:
    """Open jobs are looked at, ended ones explained, settled ones left alone."""
    await scene.follow("75", "76", "77")
    runs(scene, "75")
    ends(scene, "FAILED", "1:0", "76")
    ends(scene, "COMPLETED", "0:0", "77")
    await scene.tracker.tick()
    await scene.store.save_jobs([(await scene.job("77")).model_copy(update={"settled": True})])
    scene.explained.clear()
    scene.begin()
    await scene.tracker.load()
    assert [job.id for job in scene.explained] == ["76"]
    ends(scene, "COMPLETED", "0:0", "75")
    await scene.tracker.tick()
    assert [job.id for job in scene.explained] == ["76", "75"]
    assert (await scene.lead("75/1/running")) == "Started on alice-a3m-0."


async def test_a_job_that_is_followed_twice_is_one(scene: Scene) -> None:
    """What is known of it is not undone."""
    await scene.follow("75")
    first = await scene.job()
    runs(scene)
    await scene.tracker.tick()
    scene.tracker.follow([first])
    assert await scene.writes(1) == 0
