"""How soon a slash command is acknowledged, at a steady 20 a second."""

from __future__ import annotations

import asyncio
from itertools import cycle, islice

from bot.bench.figures import Figure, Goal, percentile
from bot.bench.stage import Stage

RATE = 20
"""Commands a second."""
SECONDS = 10
LINES = (
    "/slurm jobs",
    "/slurm help",
    "/slurm partitions",
    "/nemo run",
    "/slurm status 999999",
    "/slurm submit no-such-script.sh",
    "/slurm jobs failed",
    "/slurm sumbit",
)
"""What is typed in turn: lists, looks at the cluster, refusals."""
GOAL = Goal(100)


async def acknowledgement(stage: Stage, *, when: str = "") -> list[Figure]:
    """Measure; the pace does not wait for answers, and one that never comes counts as 3 s."""
    loop = asyncio.get_running_loop()
    channel = stage.channel()
    begin = loop.time()
    tasks = []
    async with asyncio.TaskGroup() as group:
        for number, line in enumerate(islice(cycle(LINES), RATE * SECONDS)):
            await asyncio.sleep(begin + number / RATE - loop.time())
            user = stage.users[number % len(stage.users)]
            tasks.append(group.create_task(stage.type(channel, line, user)))
    acks = [task.result().ack for task in tasks]
    waits = [ack.ms if ack.acked and ack.ms is not None else 3_000.0 for ack in acks]
    missed = sum(1 for ack in acks if not ack.acked)
    name = f"acknowledgement{when}"
    return [
        Figure(f"{name}, p50", percentile(waits, 0.5), "ms"),
        Figure(f"{name}, p99", percentile(waits, 0.99), "ms", goal=GOAL),
        Figure(f"{name}, missed", missed, f"of {len(acks)}", goal=Goal(0)),
    ]
