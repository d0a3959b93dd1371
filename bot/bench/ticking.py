"""What following ten thousand jobs costs: processor time, calls, writes, memory."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from statistics import median
from typing import Any

from bot.bench.crowd import TRACKED
from bot.bench.figures import Figure, Goal
from bot.bench.stage import Bot, Stage, moment
from bot.cluster.slurm.squeue import FIELDS
from bot.cluster.slurm.text import layout
from bot.demo.settings_file import CLUSTER
from bot.ports import Output, Query

SETTLED, TICKS = 3, 6
PATIENCE = 90.0
SAMPLES = 5
CPU, WALL = Goal(1.0), Goal(3.0, of="ratio")
ONE, NONE = Goal(1), Goal(0)
MEMORY = Goal(200)
_TABLES = ("acts", "requests", "jobs", "messages", "audit")
_BARE = "squeue -h -r -t all --me"


@dataclass(frozen=True)
class Tick:
    """One turn, from the bot's log."""

    began: float
    ended: float
    calls: int
    """Questions to the cluster."""
    squeues: int


async def ticks(stage: Stage, bot: Bot) -> list[Figure]:
    """Watch some ticks of a bot that has settled, between looks at the bare squeue."""
    await turns(bot, 0, SETTLED)
    with closing(sqlite3.connect(f"file:{stage.database}?mode=ro", uri=True)) as database:
        before, start, cpu = Rows.read(database), bot.log_size(), bot.cpu()
        seen = await turns(bot, start, TICKS)
        cpu = (bot.cpu() - cpu) / len(seen)
        written = Rows.read(database).differ(before)
    warm, cold = await _bare(stage)
    wall = median(tick.ended - tick.began for tick in seen)
    name = f"tick with {TRACKED:,} jobs"
    return [
        Figure(f"{name}, CPU of the bot", cpu, "s", goal=CPU),
        Figure(f"{name}, wall / squeue there", wall * 1000, "ms", warm, WALL),
        Figure(f"{name}, wall / cold ssh squeue", wall * 1000, "ms", cold),
        Figure(f"{name}, squeue calls", max(tick.squeues for tick in seen), "", goal=ONE),
        Figure(f"{name}, all calls", max(tick.calls for tick in seen), "", goal=ONE),
        Figure(f"{name}, rows written", written, "", goal=NONE),
        Figure(f"memory with {TRACKED:,} jobs", bot.memory(), "MB", goal=MEMORY),
    ]


@dataclass(frozen=True)
class Rows:
    """All that the bot remembers, and SQLite's count of the commits that others made."""

    rows: Mapping[tuple[str, int], tuple[Any, ...]]
    version: int

    @classmethod
    def read(cls, database: sqlite3.Connection) -> Rows:
        """Read everything."""
        rows = {
            (table, row[0]): row
            for table in _TABLES
            for row in database.execute(f"SELECT * FROM {table}")  # noqa: S608 (our own names)
        }
        return cls(rows, database.execute("PRAGMA data_version").fetchone()[0])

    def differ(self, before: Rows) -> int:
        """Count the rows that are new or other; one that was written as it was counts as one."""
        different = sum(1 for key, row in self.rows.items() if before.rows.get(key) != row)
        return max(different, int(self.version != before.version))


async def turns(bot: Bot, start: int, number: int) -> Sequence[Tick]:
    """Wait for so many whole ticks after a place in the log."""
    async with asyncio.timeout(PATIENCE):
        while len(seen := read_ticks(bot, start)) < number:  # noqa: ASYNC110  # another process tells
            await asyncio.sleep(0.2)
    return seen[:number]


def read_ticks(bot: Bot, start: int) -> list[Tick]:
    """Return the whole ticks that the log tells of after a place in it."""
    found: list[Tick] = []
    began, calls, squeues = 0.0, 0, 0
    for line in bot.said(start):
        match line.get("action"):
            case "tick_begun" if line.get("tick") == CLUSTER:
                began, calls, squeues = moment(line), 0, 0
            case "query_started":
                calls += 1
                squeues += line["query"] == "squeue"
            case "tick_done" if line.get("tick") == CLUSTER and began:
                found.append(Tick(began, moment(line), calls, squeues))
    return found


async def _bare(stage: Stage) -> tuple[float, float]:
    """Return the milliseconds of the bare squeue, over our warm connection and a cold one."""
    query = Query(f'exec {_BARE} -o "$1"', _size, (layout(*FIELDS),), name="squeue")
    warm, cold = [], []
    for _ in range(SAMPLES):
        began = time.perf_counter()
        await stage.ssh.run(query)
        warm.append((time.perf_counter() - began) * 1000)
        began = time.perf_counter()
        await stage.cold(_BARE)
        cold.append((time.perf_counter() - began) * 1000)
    return median(warm), median(cold)


def _size(output: Output) -> int:
    return len(output.stdout)
