"""What scontrol and accounting add to a look, and what their silence means."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from bot.cluster import slurm
from bot.following import PATIENCE
from bot.inquiry import Inquiry
from bot.job import State
from bot.ports import Output
from tests.unit import tracking
from tests.unit.slurm_says import sacct, squeue
from tests.unit.tracking import Scene

NO_DATABASE = Output("", "sacct: error: Problem talking to the database: Connection refused\n", 1)
NO_SACCT = Output("", "/bin/sh: 3: sacct: not found\n", 127)
NO_ACCOUNTING = Output("", "Slurm accounting storage is disabled\n", 1)


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    """A tracker and what is around it."""
    async with tracking.scene(tmp_path) as opened:
        yield opened


async def test_many_changes_are_one_scontrol_and_one_sacct(scene: Scene) -> None:
    """Nothing is asked for each job."""
    jobs = [str(number) for number in range(100, 140)]
    await scene.follow(*jobs)
    for job in jobs:
        scene.ends("CANCELLED", "0:15", job)
        scene.slurm.accounting.append(sacct(job, "CANCELLED by 50002"))
    await scene.tracker.tick()
    counted = {name: scene.slurm.count(name) for name in scene.slurm.asked}
    assert counted == dict.fromkeys(("squeue", "scontrol show job", "sacct", "id"), 1)
    assert len(scene.explained) == 40


async def test_a_vanished_job_settles_until_accounting_tells(scene: Scene) -> None:
    """scontrol's 0:0 of the running job is not its exit code, and nothing is written meanwhile."""
    await scene.follow("75")
    scene.runs()
    await scene.tracker.tick()
    scene.vanishes()
    await scene.tracker.tick()
    assert await scene.lead() == "Left the queue. Asking Slurm how it ended …"
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
    scene.runs("76")
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
    scene.runs()
    await scene.tracker.tick()
    scene.ends("CANCELLED", "0:15")
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
    scene.ends("CANCELLED", "0:15")
    scene.slurm.accounting = [sacct("75", "CANCELLED by 0")]
    await scene.tracker.tick()
    assert (await scene.job()).seen.cancelled_by == "0"
    assert await scene.lead() == "Cancelled by Slurm or an administrator after 3 s."
    assert scene.slurm.count("id") == 0
