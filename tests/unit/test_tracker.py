"""One look after another: what is asked, what is told, what survives a fault."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.card import plain
from bot.errors import ClusterUnreachable, StoreFailed
from bot.job import State
from bot.ports import Output
from tests.unit import tracking
from tests.unit.slurm_says import sacct, scontrol, squeue, waits
from tests.unit.tracking import Scene

RATE = Output("", "slurm_load_jobs error: Rate limit exceeded, please retry momentarily\n", 1)
CUT = ClusterUnreachable("the connection was cut")
STEP = "Training epoch 0, iteration {}/9 | lr: 0.1 | reduced_train_loss: 3.2\n"


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    """A tracker and what is around it."""
    async with tracking.scene(tmp_path) as opened:
        yield opened


async def test_without_jobs_nothing_is_asked(scene: Scene) -> None:
    """And the next look is far away."""
    assert await scene.tracker.tick() == 60.0
    assert scene.slurm.asked == []


async def test_a_change_is_kept_and_told(scene: Scene) -> None:
    """In one go: the job, the living message, the answer in its thread."""
    await scene.follow("75")
    scene.runs()
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
        scene.runs(job)
    await scene.tracker.tick()
    scene.slurm.asked.clear()
    assert await scene.writes(1, 2, 3) == 0
    assert scene.slurm.asked == ["squeue"] * 3


async def test_a_row_that_changes_nothing_told_is_not_written(scene: Scene) -> None:
    """The end of its time moves when somebody changes the limit to what it was."""
    await scene.follow("75")
    scene.runs()
    await scene.tracker.tick()
    scene.slurm.queue[:] = [squeue("75", end="21:58:00")]
    assert await scene.writes(1) == 0


async def test_an_ended_job_is_explained_and_no_longer_looked_at(scene: Scene) -> None:
    """Its exit code is scontrol's, whole."""
    await scene.follow("75")
    scene.ends("FAILED", "137:0")
    await scene.tracker.tick()
    assert [job.seen.exit_code for job in scene.explained] == ["137:0"]
    scene.slurm.asked.clear()
    await scene.tracker.tick()
    assert scene.slurm.asked == []


async def test_a_requeued_job_is_never_told_to_have_failed(scene: Scene) -> None:
    """Its thread says what ended the attempt and that the next one waits."""
    await scene.follow("75")
    scene.runs()
    await scene.tracker.tick()
    scene.slurm.queue[:] = [waits("75", "BeginTime")]
    scene.slurm.control["75"] = [scontrol("75", "PENDING", "BeginTime", restarts=1, node="")]
    scene.slurm.accounting = [sacct("75", "PREEMPTED")]
    await scene.tracker.tick()
    assert (await scene.job()).attempt == 2
    assert (await scene.lead()).startswith(
        "Attempt 2 is waiting. Its earliest start time has not come"
    )
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
    vain = "It asks for more time than the partition allows. It will not start by itself."
    assert await scene.lead("75/1/stuck") == f"@U1 Job 75: Waiting. {vain}"
    assert await scene.lead() == f"Waiting. {vain}"
    scene.slurm.queue[:] = [waits("75")]
    await scene.tracker.tick()
    assert await scene.lead() == "Waiting. Not enough nodes are free."


async def test_a_cancel_from_slack_during_a_look_is_not_forgotten(scene: Scene) -> None:
    """The look had begun before, and its news is older than the cancel."""
    await scene.follow("75")
    scene.runs()

    async def cancelled() -> None:
        await scene.tracker.stopping(await scene.job(), "U7")

    scene.slurm.meanwhile["scontrol show job"] = cancelled
    await scene.tracker.tick()
    assert (await scene.job()).stopped_by == "U7"
    scene.ends("CANCELLED", "0:15")
    scene.slurm.accounting = [sacct("75", "CANCELLED by 50001")]
    await scene.tracker.tick()
    assert await scene.lead() == "Cancelled by @U7 after 3 s."


async def test_a_change_that_could_not_be_kept_comes_again(scene: Scene) -> None:
    """The disk was full; Slurm's row does not change again for as long as the job runs."""
    await scene.follow("75")
    scene.runs()
    scene.store.full = True
    with pytest.raises(StoreFailed):
        await scene.tracker.tick()
    scene.store.full = False
    await scene.tracker.tick()
    assert (await scene.job()).seen.state is State.RUNNING


async def test_a_change_is_told_though_the_logs_cannot_be_looked_at(scene: Scene) -> None:
    """That is another question, and the connection may be cut between the two."""
    await scene.follow("75", "76")
    scene.runs()
    scene.slurm.instead["peek"] = CUT
    await scene.tracker.tick()
    scene.runs("76")
    await scene.tracker.tick()
    assert (await scene.job("75")).seen.state is State.RUNNING
    assert (await scene.job("76")).seen.state is State.RUNNING


@pytest.mark.parametrize("question", ["squeue", "scontrol show job", "sacct"])
async def test_a_cut_during_a_look_loses_nothing(scene: Scene, question: str) -> None:
    """All of it is asked again."""
    await scene.follow("75")
    scene.ends("CANCELLED", "0:15")
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
    scene.runs()
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
    scene.ends("CANCELLED", "0:15")
    scene.slurm.instead["sacct"] = RATE
    assert await scene.tracker.tick() == 10.0
    assert (await scene.job()).seen.state is State.PENDING


async def test_the_quieter_it_is_the_rarer_are_the_looks(scene: Scene) -> None:
    """Up to the slow pace, and back to the fast one when something changes."""
    await scene.follow("75")
    scene.runs()
    assert await scene.tracker.tick() == 5.0
    pace = [await scene.tracker.tick() for _ in range(14)]
    assert pace == sorted(pace)
    assert (pace[0], pace[-1]) == (5.0, 60.0)
    scene.ends("COMPLETED", "0:0")
    scene.runs("76")
    await scene.follow("76", request="r2")
    assert await scene.tracker.tick() == 5.0


async def test_progress_is_told_and_does_not_hurry_the_looks(scene: Scene) -> None:
    """A training prints steps for days; Slurm need not be asked more often for it."""
    await scene.follow("75")
    scene.runs()
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
    scene.runs("75")
    scene.runs("76")
    scene.slurm.queue.append(waits("77"))
    scene.slurm.control["77"] = [scontrol("77", "PENDING", "Resources", node="")]
    for _ in range(3):
        await scene.tracker.tick()
    assert scene.slurm.count("peek") == 1


async def test_a_request_with_two_jobs_shows_both(scene: Scene) -> None:
    """On one card."""
    await scene.follow("75", "76")
    scene.runs("75")
    scene.slurm.queue.append(waits("76"))
    await scene.tracker.tick()
    card = await scene.card()
    assert card is not None
    assert plain(card.lead) == "2 jobs: 1 running and 1 waiting."
    told = [plain(fact.value) for fact in card.facts]
    assert [job[:16] for job in told[:2]] == ["job 75: Running ", "job 76: Waiting."]


async def test_a_restart_takes_up_what_was_left(scene: Scene) -> None:
    """Open jobs are looked at, ended ones explained, settled ones left alone."""
    await scene.follow("75", "76", "77")
    scene.runs("75")
    scene.ends("FAILED", "1:0", "76")
    scene.ends("COMPLETED", "0:0", "77")
    await scene.tracker.tick()
    await scene.store.save_jobs([(await scene.job("77")).model_copy(update={"settled": True})])
    scene.explained.clear()
    scene.begin()
    await scene.tracker.load()
    assert [job.id for job in scene.explained] == ["76"]
    scene.ends("COMPLETED", "0:0", "75")
    await scene.tracker.tick()
    assert [job.id for job in scene.explained] == ["76", "75"]
    assert (await scene.lead("75/1/running")) == "Started on alice-a3m-0."


async def test_a_job_that_is_followed_twice_is_one(scene: Scene) -> None:
    """What is known of it is not undone."""
    await scene.follow("75")
    first = await scene.job()
    scene.runs()
    await scene.tracker.tick()
    scene.tracker.follow([first])
    assert await scene.writes(1) == 0


SINGLETON = {"reason": "Dependency", "dependency": "singleton(unfulfilled)"}


async def test_a_job_that_waits_for_its_namesake_names_it(scene: Scene) -> None:
    """Of those that are in the way; this changes while its own row does not."""
    await scene.follow("77")
    scene.slurm.queue += [squeue("74"), waits("75", **SINGLETON), waits("77", **SINGLETON)]
    scene.slurm.queue += [squeue("76", name="other"), waits("78", **SINGLETON)]
    scene.slurm.control["77"] = [
        scontrol(
            "77",
            "PENDING",
            "Dependency",
            node="",
            start="Unknown",
            end="Unknown",
            dependency=SINGLETON["dependency"],
        )
    ]
    await scene.tracker.tick()
    assert await scene.lead() == "Waiting. It waits for jobs 74 and 75 of the same name."
    scene.slurm.queue[0] = squeue("74", "COMPLETED")
    await scene.tracker.tick()
    assert await scene.lead() == "Waiting. It waits for job 75 of the same name."
    assert await scene.writes(1, 2) == 0
    scene.slurm.queue[1:3] = [squeue("75", "CANCELLED"), waits("77", "Priority")]
    await scene.tracker.tick()
    assert await scene.lead() == "Waiting. Other jobs are ahead in the queue."
    assert (await scene.job("77")).namesakes == ()


async def test_a_restart_knows_whom_a_job_waits_for(scene: Scene) -> None:
    await scene.follow("77")
    scene.slurm.queue += [squeue("74"), waits("77", **SINGLETON)]
    scene.slurm.control["77"] = [
        scontrol(
            "77",
            "PENDING",
            "Dependency",
            node="",
            start="Unknown",
            end="Unknown",
            dependency=SINGLETON["dependency"],
        )
    ]
    await scene.tracker.tick()
    scene.begin()
    await scene.tracker.load()
    scene.slurm.queue[0] = squeue("74", "COMPLETED")
    await scene.tracker.tick()
    assert await scene.lead() == "Waiting. It waits for an earlier job of the same name."
