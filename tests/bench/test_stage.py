"""The stage that is measured on: the bot answers there, and what it says of itself is read."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from bot.bench import VAR
from bot.bench.crowd import remember
from bot.bench.stage import Bot, Stage, stage
from bot.bench.submitting import SCRIPT, told
from bot.bench.ticking import read_ticks, turns
from bot.demo.cluster.slot import claim


@pytest_asyncio.fixture
async def here() -> AsyncIterator[Stage]:
    """A stage."""
    with claim(VAR) as directory:
        async with stage(directory) as built:
            yield built


async def test_a_command_is_timed_until_its_job_is_told_and_the_store_is_taken_up(
    here: Stage,
) -> None:
    """The job is in Slurm; the bot's own life afterwards reads what was put into its store."""
    async with here.bot() as bot:
        seconds = await told(here, here.channel(), f"/slurm submit {SCRIPT} --hold")
        assert 0 < seconds < 30
        assert bot.cpu() > 0
        assert 20 < bot.memory() < 1_000
    assert len((await here.cold("squeue -h --me")).splitlines()) == 1
    await here.cold("sbatch --hold -J crowd jobs/hello.sh")
    assert await remember(here) == 1
    async with here.bot() as bot:
        await turns(bot, 0, 2)
        jobs = {line["job"] for line in bot.said() if line.get("action") == "job_changed"}
        assert "alice:2" not in jobs  # it was known as it is


def test_ticks_are_read_from_the_log(tmp_path: Path) -> None:
    """Only whole ones; what is asked between two ticks belongs to neither."""
    log = tmp_path / "bot.log"
    lines = [
        ("00.000", "query_started", {"query": "squeue"}),
        ("01.000", "tick_begun", {"tick": "alice"}),
        ("01.100", "query_started", {"query": "squeue"}),
        ("01.200", "query_started", {"query": "scontrol show job"}),
        ("01.300", "tick_begun", {"tick": "prune"}),
        ("01.400", "tick_done", {"tick": "prune"}),
        ("01.500", "tick_done", {"tick": "alice"}),
        ("02.000", "tick_begun", {"tick": "alice"}),
    ]
    with log.open("w") as file:
        file.write("not a line of ours\n")
        for at, action, more in lines:
            stamp = f"2026-03-02T10:00:{at}+00:00"
            file.write(json.dumps({"at": stamp, "action": action, **more}) + "\n")
    (tick,) = read_ticks(Bot(0, log), 0)
    assert round(tick.ended - tick.began, 3) == 0.5
    assert (tick.calls, tick.squeues) == (2, 1)
