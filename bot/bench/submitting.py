"""From a typed command to the job's id in the channel, against a cold `ssh host sbatch`."""

from __future__ import annotations

import asyncio
import re
import time
from statistics import median
from typing import Any

from bot.bench.figures import Figure, Goal
from bot.bench.stage import Stage

SAMPLES = 11
PAUSE = 1.5
"""Seconds between samples: the job before has ended, and its card was told."""
SCRIPT = "jobs/hello.sh"
GOAL = Goal(0.25, of="ratio")
JOB = re.compile(r"Job\s+(\d+)")


async def submission(stage: Stage) -> list[Figure]:
    """Measure in turn, so that both meet the same noise."""
    warm, cold = [], []
    for _ in range(SAMPLES):
        began = time.perf_counter()
        await stage.cold(f"sbatch {SCRIPT}")
        cold.append((time.perf_counter() - began) * 1000)
        await asyncio.sleep(PAUSE)
        warm.append(await told(stage, stage.channel(), f"/slurm submit {SCRIPT}") * 1000)
        await asyncio.sleep(PAUSE)
    return [Figure("command to job id in the channel", median(warm), "ms", median(cold), GOAL)]


async def told(stage: Stage, channel: str, line: str) -> float:
    """Type a command; return the seconds until the channel's message names the job."""
    messages = stage.slack.platform.workspace.channels[channel].messages
    with stage.slack.platform.feed.subscribe() as changes:
        began = time.perf_counter()
        done = await stage.type(channel, line)
        if not done.ack.acked:
            raise RuntimeError(f"the bot did not acknowledge {line}")
        async with asyncio.timeout(30):
            while True:
                await changes.get()
                for message in messages.values():
                    if message.ephemeral_to is None and JOB.search(words(message.blocks)):
                        return time.perf_counter() - began


def words(tree: Any) -> str:
    """Return all text in some blocks, in order."""
    if isinstance(tree, dict):
        text = tree.get("text")
        return text if isinstance(text, str) else "".join(words(one) for one in tree.values())
    return "".join(map(words, tree)) if isinstance(tree, list) else ""
