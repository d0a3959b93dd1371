"""Ten thousand jobs in a real queue, and in the bot's memory as jobs that it follows."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.bench.stage import Stage
from bot.cluster import slurm
from bot.cluster.slurm.search import signature
from bot.demo.settings_file import CLUSTER
from bot.following import advance, with_details
from bot.job import Observation, base_id
from bot.model import Caller, Request, Resources, derive
from bot.model import Stage as At
from bot.ports import Output, Query
from bot.store.sql_store import SqlStore
from bot.taken import new_job

TRACKED = 10_000
ARRAYS, TASKS = 20, 50
"""So many of them are arrays of so many tasks; the others are single jobs."""
_ABREAST = 3
_MEMORY = "/dev/shm"  # noqa: S108  # a folder of its own is made in it
_AT_ONCE = 500
_NAME = "crowd"

_SCRIPT = "printf '#!/bin/sh\\ntrue\\n' >crowd.sh"
_HOLD = """
until=$(($1 + $2))
n=$1
while [ $n -lt $until ]; do
  sbatch -Q --hold -J crowd --comment="$3$n" ${4:+--array=0-$4} crowd.sh || exit
  n=$((n + 1))
done
"""


async def submit(stage: Stage) -> None:
    """Fill the queue with held jobs."""
    singles = TRACKED - ARRAYS
    starts = range(0, singles, _AT_ONCE)
    turns = asyncio.Semaphore(_ABREAST)

    async def some(start: int, number: int, last_task: str = "") -> None:
        args = (str(start), str(number), signature(_NAME), last_task)
        async with turns:
            await stage.ssh.run(Query(_HOLD, _worked, args, timeout=300, name="sbatch"))

    await stage.ssh.run(Query(_SCRIPT, _worked, name="put a script"))
    await asyncio.gather(
        some(singles, ARRAYS, str(TASKS - 1)),
        *(some(start, min(_AT_ONCE, singles - start)) for start in starts),
    )


def _worked(output: Output) -> None:
    if output.status != 0:
        raise RuntimeError(f"sbatch failed: {output.stderr[-500:]}")


async def remember(stage: Stage) -> int:
    """Write the jobs into the store, as the bot knows jobs that it has looked at; their number.

    The bot must not be running: the store is its own. It is filled in memory, where twenty
    thousand transactions take seconds on any disk, and then put in place.
    """
    rows: defaultdict[str, list[Observation]] = defaultdict(list)
    for slurm_id, row in (await stage.ssh.run(slurm.jobs())).items():
        seen = slurm.seen(row)
        if seen.name == _NAME:
            rows[base_id(slurm_id)].append(seen)
    details = defaultdict(list)
    for one in await stage.ssh.run(slurm.details(tuple(rows))):
        details[one.job].append(one)
    channel, user = stage.channel(), stage.users[0]
    with tempfile.TemporaryDirectory(dir=_MEMORY) as folder:
        file = Path(folder) / "store.db"
        shutil.copy(stage.database, file)
        async with SqlStore(f"sqlite:///{file}") as store:
            for job_id, seen_rows in rows.items():
                request = _request(job_id, channel, user)
                job = advance(with_details(new_job(request, job_id), details[job_id]), seen_rows)
                if not job.seen.stdout:  # of an array: the bot asks scontrol each time
                    job = with_details(job, details[job_id])
                await store.add_request(request)
                await store.save_jobs([job.model_copy(update={"created": request.created})])
        shutil.move(file, stage.database)
    return len(rows)


def _request(job_id: str, channel: str, user: str) -> Request:
    """Return the request that a job would have come from, a day ago."""
    return Request(
        id=derive("crowd", job_id),
        cluster=CLUSTER,
        workload="slurm submit",
        options={"script": "crowd.sh", "hold": True},
        typed="/slurm submit crowd.sh --hold",
        caller=Caller(team="T0BENCH", user=user, channel=channel),
        created=datetime.now(UTC) - timedelta(days=1),
        stage=At.SUBMITTED,
        title="crowd.sh",
        resources=Resources(partition="a3m", nodes=1),
    )
