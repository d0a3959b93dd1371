"""A job that ended gets its explanation, whatever fails meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from bot.errors import ClusterUnreachable
from bot.explaining import Explainer
from bot.job import Job, State
from bot.ports import Output
from tests.unit import tracking
from tests.unit.slurm_says import sacct
from tests.unit.telling import until
from tests.unit.tracking import Scene

NO_LOGS = Output("/home/alice\n\x1d", "", 0)


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    """A cluster without any log."""
    async with tracking.scene(tmp_path) as opened:
        opened.slurm.instead["log files"] = NO_LOGS
        yield opened


@asynccontextmanager
async def explaining(scene: Scene) -> AsyncIterator[Explainer]:
    """An explainer at work; leaving it is a crash."""
    explainer = Explainer(store=scene.store, nodes={"alice": scene.node}, wake=lambda: None)
    running = asyncio.create_task(explainer.run())
    try:
        yield explainer
    finally:
        assert not running.done(), "the explainer stopped by itself"
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


async def ended(scene: Scene, state: State) -> Job:
    """A job that has just ended so."""
    await scene.follow("75")
    job = await scene.job()
    seen = job.seen.model_copy(update={"state": state, "raw": state.name})
    await scene.store.save_jobs([job.model_copy(update={"seen": seen})])
    return await scene.job()


async def settled(scene: Scene) -> bool:
    """Whether the job is explained."""
    await asyncio.sleep(0.02)
    return (await scene.job()).settled


async def test_a_failure_without_a_log_is_explained_as_such(scene: Scene) -> None:
    """Once, under the living message."""
    async with explaining(scene) as explainer:
        explainer.explain(await ended(scene, State.FAILED))
        await until(lambda: settled(scene))
    assert (await scene.job()).label == "cause-not-in-log"
    assert (await scene.lead("75/1/why")).startswith("@U1 Job 75: It failed, but ")


async def test_accounting_tells_of_the_memory(scene: Scene) -> None:
    """What Slurm kills says nothing in its log."""
    scene.slurm.instead["scontrol show node"] = Output("", "", 0)
    scene.slurm.accounting = [sacct("75", "FAILED"), sacct("75.batch", "OUT_OF_MEMORY", "0:125")]
    async with explaining(scene) as explainer:
        explainer.explain(await ended(scene, State.FAILED))
        await until(lambda: settled(scene))
    assert (await scene.job()).label == "host-oom"


async def test_a_silent_accounting_keeps_nobody_waiting(scene: Scene) -> None:
    """The log and Slurm's own word must do."""
    scene.slurm.instead["sacct"] = Output("", "sacct: error: Connection refused\n", 1)
    async with explaining(scene) as explainer:
        explainer.explain(await ended(scene, State.FAILED))
        await until(lambda: settled(scene))
    assert (await scene.job()).label == "cause-not-in-log"


async def test_a_lost_job_is_not_said_to_be_well(scene: Scene) -> None:
    """Nobody knows, and without a trace in its log nothing is diagnosed."""
    lost = await ended(scene, State.LOST)
    was_running = lost.model_copy(update={"seen": lost.seen.model_copy(update={"raw": "RUNNING"})})
    async with explaining(scene) as explainer:
        explainer.explain(was_running)
        await until(lambda: settled(scene))
    assert await scene.lead("75/1/why") == ""
    assert (await scene.lead("75/1/ended")).startswith("@U1 Job 75: Lost sight of it. ")


@pytest.mark.parametrize("fault", ["the database", "the cluster"])
async def test_a_fault_is_waited_out(scene: Scene, fault: str) -> None:
    """The explanation comes later; nothing else stops."""
    job = await ended(scene, State.FAILED)
    scene.store.full = fault == "the database"
    if fault == "the cluster":
        scene.slurm.instead["log files"] = ClusterUnreachable("cut")
    async with explaining(scene) as explainer:
        explainer.explain(job)
        await asyncio.sleep(0.3)
        assert not (await scene.job()).settled
        scene.store.full = False
        scene.slurm.instead["log files"] = NO_LOGS
        await until(lambda: settled(scene))
