"""The figures of the design, measured in one run on this machine: python -m bot bench."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from pathlib import Path

from bot.bench.acknowledging import acknowledgement
from bot.bench.changing import changes
from bot.bench.crowd import TRACKED, remember, submit
from bot.bench.figures import Figure, table
from bot.bench.hostile import hostile
from bot.bench.reading import diagnosis
from bot.bench.stage import stage
from bot.bench.submitting import submission
from bot.bench.ticking import ticks
from bot.demo.cluster.slot import claim
from bot.demo.demo import say

VAR = Path(__file__).parents[2] / "var" / "bench"
WORKED = 0


def main(*, as_json: bool) -> int:
    """Measure, print the figures; 0 when all could be measured, whether or not they are reached."""
    logging.basicConfig(level=logging.WARNING)
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    if load > cores / 2:
        say(f"This machine is busy (load {load:.1f} on {cores} cores): times will be too long.")
    with claim(VAR) as directory:
        figures = asyncio.run(measure(directory))
    shown = [figure.as_json() for figure in figures]
    text = json.dumps({"figures": shown}) if as_json else table(figures)
    print(text)  # noqa: T201  # a command line prints
    return WORKED


async def measure(directory: Path) -> list[Figure]:
    """Return all figures; takes about five minutes."""
    say("Reading logs …")
    figures = diagnosis()
    say("Reading logs that are made to be hard (about a minute) …")
    figures += hostile()
    say("Starting Slurm, its accounting and sshd (about 10 s) …")
    async with stage(directory) as here:
        async with here.bot():
            say("Typing 20 commands a second …")
            figures += await acknowledgement(here)
            say("Submitting, in turn with a cold ssh (about a minute) …")
            figures += await submission(here)
            say("Watching jobs begin and end (about half a minute) …")
            figures += await changes(here)
        say(f"Putting {TRACKED:,} jobs into the queue (about a minute) …")
        await submit(here)
        if await remember(here) != TRACKED:
            raise RuntimeError("not all of them are in the queue")
        async with here.bot() as bot:
            say("Following them (about a minute) …")
            figures += await ticks(here, bot)
            say("Typing 20 commands a second …")
            figures += await acknowledgement(here, when=f" with {TRACKED:,} jobs")
    return figures
