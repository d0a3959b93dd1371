"""What is told of a job before it fails: once, through looks and lives."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.card import Paragraph, Tone, plain
from bot.errors import ClusterUnreachable, StoreFailed
from tests.unit import tracking
from tests.unit.slurm_says import sacct, scontrol, squeue, waits
from tests.unit.tracking import Scene

STEP = "Training epoch 0, iteration {}/99 | reduced_train_loss: {} | train_step_timing in s: 0.1\n"


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    """A job that runs, and a bot that has patience for two seconds."""
    async with tracking.scene(tmp_path) as opened:
        opened.no_step_for = "2s"
        opened.begin()
        await opened.follow("75")
        opened.runs()
        yield opened


def log(until: int, loss: str = "3.2") -> str:
    """The end of a log after so many steps."""
    return "".join(STEP.format(index, loss) for index in range(max(0, until - 20), until))


async def look(scene: Scene) -> None:
    """Look once in a new life, which does not wait for the next look at the logs."""
    scene.begin()
    await scene.tracker.load()
    await scene.tracker.tick()


async def test_a_stall_is_told_once_and_its_end_in_its_place(scene: Scene) -> None:
    scene.slurm.logs["75"] = log(30)
    await look(scene)
    await look(scene)
    assert await scene.lead("75/1/stalled") == ""
    await asyncio.sleep(2.1)
    await look(scene)
    card = await scene.card("75/1/stalled")
    assert card is not None
    assert plain(card.lead).startswith("@U1 Job 75: No step since ")
    assert "The last was step 30 of 100, and one usually comes every" in plain(card.lead)
    assert [button.action for button in card.buttons] == ["show_log", "cancel_job"]
    assert "No step since" in await scene.lead()
    root = await scene.card()
    assert root is not None
    assert root.tone is Tone.TROUBLE
    assert await scene.writes(1, 2) == 0
    await look(scene)
    assert await scene.card("75/1/stalled") == card
    scene.slurm.logs["75"] = log(31)
    await look(scene)
    assert (await scene.lead("75/1/stalled")).endswith(
        " without a step it went on, step 31 of 100."
    )
    assert "No step" not in await scene.lead()


async def test_logs_that_cannot_be_looked_at_are_no_stall(scene: Scene) -> None:
    """Neither while that lasts, nor when the next look finds that it went on meanwhile."""
    scene.slurm.logs["75"] = log(30)
    await look(scene)
    scene.slurm.instead["peek"] = ClusterUnreachable("the connection was cut")
    await asyncio.sleep(2.1)
    await look(scene)
    del scene.slurm.instead["peek"]
    scene.slurm.logs["75"] = log(60)
    await look(scene)
    assert await scene.lead("75/1/stalled") == ""


async def test_a_warning_that_could_not_be_kept_comes_again(scene: Scene) -> None:
    """The disk was full; the job, and what is told of it, are kept together."""
    scene.slurm.logs["75"] = log(30)
    await look(scene)
    scene.slurm.logs["75"] = log(31, "nan")
    scene.store.full = True
    with pytest.raises(StoreFailed):
        await look(scene)
    scene.store.full = False
    await look(scene)
    assert await scene.lead("75/1/diverged") != ""


async def test_a_second_stall_of_an_attempt_stands_on_the_card_alone(scene: Scene) -> None:
    for until in (30, 31):
        scene.slurm.logs["75"] = log(until)
        await look(scene)
        # Twice the pause that was seen before is patience, too.
        await asyncio.sleep(2.1 if until == 30 else 4.6)
        await look(scene)
        assert "No step since" in await scene.lead()
    assert "went on" in await scene.lead("75/1/stalled")


async def test_a_loss_that_is_no_number_is_told_once(scene: Scene) -> None:
    scene.slurm.logs["75"] = log(30, "nan")
    await look(scene)
    card = await scene.card("75/1/diverged")
    assert card is not None
    assert plain(card.lead).startswith(
        "@U1 Job 75: Its loss is no longer a number. Step 30 of 100, loss NaN"
    )
    scene.slurm.logs["75"] = log(31, "nan")
    await look(scene)
    assert await scene.card("75/1/diverged") == card
    assert "Its loss is no longer a number." in await scene.lead()


async def test_a_time_limit_that_ends_it_first_is_told_once(scene: Scene) -> None:
    """With what an operator could do, and how to run it again."""
    began = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S}"
    scene.slurm.queue[:] = [squeue("75", start=began)]
    scene.slurm.control["75"] = [scontrol("75", start=began)]
    for until in (30, 31, 32, 33):
        scene.slurm.logs["75"] = log(until).replace("in s: 0.1", "in s: 100.0")
        await look(scene)
        assert bool(await scene.lead("75/1/late")) is (until >= 32)
    card = await scene.card("75/1/late")
    assert card is not None
    assert "At step 32 of 100 the steps left need about 1 h 53 min, but" in plain(card.lead)
    assert isinstance(card.parts[0], Paragraph)
    assert "scontrol update JobId=75 TimeLimit=02:30:00" in plain(card.parts[0].text)
    assert "/slurm rerun 75 --time 02:30:00" in plain(card.parts[0].text)
    assert "Its time limit will end it before it is done." in await scene.lead()


async def test_a_time_limit_that_has_passed_is_told_by_the_end_alone(scene: Scene) -> None:
    """Slurm ended the ten minutes of this job long ago, or its clock is another."""
    for until in (30, 31, 32):
        scene.slurm.logs["75"] = log(until).replace("in s: 0.1", "in s: 100.0")
        await look(scene)
    assert await scene.lead("75/1/late") == ""


async def test_an_attempt_after_another_is_told_of_anew(scene: Scene) -> None:
    scene.slurm.logs["75"] = log(30, "nan")
    await look(scene)
    scene.slurm.queue[:] = [waits("75", "BeginTime")]
    scene.slurm.control["75"] = [scontrol("75", "PENDING", "BeginTime", restarts=1, node="")]
    scene.slurm.accounting = [sacct("75", "PREEMPTED")]
    await look(scene)
    scene.slurm.queue[:] = [squeue("75", start="21:49:00")]
    scene.slurm.control["75"] = [scontrol("75", restarts=1, start="21:49:00")]
    await look(scene)
    assert (await scene.job()).progress == ""
    assert await scene.lead("75/2/diverged") == ""
    scene.slurm.logs["75"] += log(12, "nan")
    await look(scene)
    assert await scene.lead("75/2/diverged") != ""


async def test_nothing_is_told_of_a_job_that_somebody_ends(scene: Scene) -> None:
    await look(scene)
    await scene.tracker.stopping(await scene.job(), "U7")
    scene.slurm.logs["75"] = log(30, "nan")
    await look(scene)
    assert await scene.lead("75/1/diverged") == ""
