"""A cluster of its own, the people on it, and a bot that looks on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from bot.demo.cluster import Completed, EmbeddedCluster
from bot.job import Job, State
from tests.slurm.lookout import Lookout, Told, lookout

T = TypeVar("T")

LONG = "sleep 600"
UNTIL_TOLD = "while [ ! -e told-$SLURM_JOB_ID ]; do sleep 0.3; done"
"""A script that goes on until `Stage.finish`, in whichever attempt that comes."""
PREEMPTION = """
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=urgent Nodes=alice-a3m-1,alice-a3u-0 PriorityTier=10
"""


@dataclass(frozen=True)
class Stage:
    """What a play has at hand."""

    cluster: EmbeddedCluster
    folder: Path
    bot: Lookout

    async def as_owner(self, *argv: str) -> Completed:
        """Run a command as the jobs' owner, whom the bot logs in as."""
        return await self.cluster.run(*argv, user=self.cluster.address.user)

    async def as_root(self, *argv: str) -> Completed:
        """Run a command as the cluster's administrator."""
        return await self.cluster.run(*argv)

    async def submit(self, script: str, *options: str, node: str = "alice-a3m-0") -> str:
        """Submit a script of the owner's, and tell its id; the bot does not know of it yet."""
        argv = ["sbatch", "--parsable", f"--chdir={self.cluster.address.home}"]
        argv += [f"--partition={node.split('-')[1]}", f"--nodelist={node}", "--time=10", *options]
        return (await self.as_owner(*argv, f"--wrap={script}")).stdout.strip()

    async def launch(
        self, script: str, *options: str, node: str = "alice-a3m-0", channel: str = "C1"
    ) -> str:
        """Submit a script and let the bot follow it."""
        job = await self.submit(script, *options, node=node)
        await self.bot.follow(job, channel)
        return job

    async def runs(self, job: str, attempt: int = 1) -> Job:
        """Wait until the bot sees it run."""
        return await self.bot.sees(
            job, lambda known: known.seen.state is State.RUNNING and known.attempt == attempt
        )

    async def waits(self, job: str, reason: str) -> Job:
        """Wait until the bot has told that it waits for this reason."""
        known = await self.bot.sees(
            job, lambda k: k.seen.state is State.PENDING and k.seen.reason == reason
        )
        await self.bot.hushes(job)
        return known

    async def finish(self, job: str) -> None:
        """Let a job that is `UNTIL_TOLD` come to its end."""
        await self.as_owner("touch", f"{self.cluster.address.home}/told-{job}")

    async def starts_over(self, job: str) -> Job:
        """Wait until the bot has told that it waits for its second attempt; let that begin."""
        known = await self.bot.sees(job, lambda known: known.attempt == 2)
        await self.bot.hushes(job)
        # Slurm would wait for two minutes.
        await self.as_root("scontrol", "update", f"JobId={job}", "StartTime=now")
        return known

    async def ends(self, job: str, within: float = 100) -> Told:
        """Wait until it has ended and all is told."""
        return await self.bot.tells(job, within)

    async def purged(self, job: str) -> None:
        """Wait until squeue and scontrol have forgotten it."""
        async with asyncio.timeout(100):
            while (await self.cluster.run("scontrol", "show", "job", job, check=False)).stdout:
                await asyncio.sleep(0.5)

    async def idle(self, *nodes: str) -> None:
        """Wait until these nodes, or all, are ready for jobs."""
        which = ["-n", ",".join(nodes)] if nodes else []
        states: set[str] = set()
        try:
            async with asyncio.timeout(100):
                while states != {"idle"}:
                    await asyncio.sleep(0.3)
                    shown = await self.cluster.run("sinfo", "-hN", "-o", "%T", *which, check=False)
                    states = set(shown.stdout.split())
        except TimeoutError:
            raise AssertionError(f"{nodes} are {states}") from None


@asynccontextmanager
async def stage(folder: Path, *, accounting: bool) -> AsyncIterator[Stage]:
    """Start a cluster that soon forgets what has ended, and a bot that watches it."""
    folder.mkdir()
    async with EmbeddedCluster(folder / "cluster", accounting=accounting, min_job_age=10) as it:
        if accounting:
            await _furnish(it, folder)
        async with lookout(it.address, folder / "bot.db") as bot:
            here = Stage(it, folder, bot)
            await here.idle()
            yield here


async def _furnish(cluster: EmbeddedCluster, folder: Path) -> None:
    """Let one partition take the nodes of others, and the other person cancel all jobs."""
    with (folder / "cluster" / "slurm" / "slurm.conf").open("a") as conf:
        conf.write(PREEMPTION)
    await cluster.stop_daemon("slurmctld")
    await cluster.start_daemon("slurmctld")
    if cluster.address.other is not None:
        bob = cluster.address.other.user
        await cluster.run("sacctmgr", "-i", "modify", "user", bob, "set", "adminlevel=Operator")


Play = Callable[[Stage], Awaitable[T]]


class Plays:
    """Plays that all go on at once; each test waits for its own."""

    def __init__(self) -> None:
        self._tasks: dict[Play[Any], asyncio.Task[Any]] = {}

    def begin(self, play: Play[Any], where: Stage) -> None:
        """Let a play begin."""
        self._tasks[play] = asyncio.ensure_future(play(where))

    async def end_of(self, play: Play[T]) -> T:
        """Wait for a play and return what came of it."""
        result: T = await asyncio.shield(self._tasks[play])
        return result

    async def over(self, plays: Iterable[Play[Any]]) -> None:
        """Wait for the end of these plays, however they went."""
        await asyncio.wait([self._tasks[play] for play in plays])

    async def stop(self) -> None:
        """End what nobody waited for."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
