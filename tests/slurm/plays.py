"""What happens to jobs on a real Slurm: each play is one way for a job to go."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import dataclass

from bot.cluster import slurm
from bot.job import Job, State
from tests.slurm.lookout import Told, lookout
from tests.slurm.stage import LONG, UNTIL_TOLD, Stage

Alone = Callable[[Stage], Awaitable[Told]]

GPUS = "--gpus-per-node=8"


async def success(stage: Stage) -> Told:
    """It runs and ends well."""
    job = await stage.launch(UNTIL_TOLD)
    await stage.runs(job)
    await stage.finish(job)
    return await stage.ends(job)


async def instant(stage: Stage) -> Told:
    """It ends in the second in which it began."""
    return await stage.ends(await stage.launch("true"))


async def exit_3(stage: Stage) -> Told:
    """Its script leaves with 3."""
    return await stage.ends(await stage.launch("exit 3"))


async def exit_137(stage: Stage) -> Told:
    """Its script leaves with what a shell makes of SIGKILL; accounting prints 9:0."""
    return await stage.ends(await stage.launch("exit 137"))


async def exit_255(stage: Stage) -> Told:
    """Its script leaves with 255; accounting prints 127:0."""
    return await stage.ends(await stage.launch("exit 255"))


async def no_output_folder(stage: Stage) -> Told:
    """Its output cannot be opened."""
    return await stage.ends(await stage.launch("true", "--output=/nowhere/%j.out"))


async def errors_apart(stage: Stage) -> Told:
    """What it says on standard error goes to a file of its own, and is much."""
    cause = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."
    script = f"echo working\necho '{cause}' >&2\nseq 100000 >&2\nexit 1"
    return await stage.ends(await stage.launch(script, "--error=apart-%j.err"))


async def step_failed(stage: Stage) -> Told:
    """A step fails, and its script goes on."""
    return await stage.ends(await stage.launch("srun sh -c 'exit 3'\ntrue"))


async def cancelled_by_owner(stage: Stage) -> Told:
    """Its owner cancels it at the login node."""
    job = await stage.launch(LONG)
    await stage.runs(job)
    await stage.as_owner("scancel", job)
    return await stage.ends(job)


async def cancelled_by_root(stage: Stage) -> Told:
    """The administrator cancels it."""
    job = await stage.launch(LONG)
    await stage.runs(job)
    await stage.as_root("scancel", job)
    return await stage.ends(job)


async def cancelled_by_operator(stage: Stage) -> Told | None:
    """Another account cancels it, one that may; None where there is no other account."""
    other = stage.cluster.address.other
    if other is None:
        return None
    job = await stage.launch(LONG)
    await stage.runs(job)
    await stage.cluster.run("scancel", job, user=other.user)
    return await stage.ends(job)


async def cancelled_from_slack(stage: Stage) -> Told:
    """Somebody presses the button."""
    job = await stage.launch(LONG)
    await stage.bot.watch.stopping(await stage.runs(job), "U7")
    await stage.bot.node.run(slurm.cancel(job))
    return await stage.ends(job)


async def cancelled_while_held(stage: Stage) -> Told:
    """It is cancelled before it ever ran."""
    job = await stage.launch("true", "--hold")
    await stage.waits(job, "JobHeldUser")
    await stage.as_owner("scancel", job)
    return await stage.ends(job)


async def released(stage: Stage) -> Told:
    """It is held, and released."""
    job = await stage.launch("true", "--hold")
    await stage.waits(job, "JobHeldUser")
    await stage.as_owner("scontrol", "release", job)
    return await stage.ends(job)


async def never_satisfied(stage: Stage) -> Told:
    """What it depends on failed; somebody clears it away."""
    first = await stage.submit("sleep 1; exit 1")
    job = await stage.launch("true", f"--dependency=afterok:{first}")
    await stage.waits(job, "DependencyNeverSatisfied")
    await stage.as_owner("scancel", job)
    return await stage.ends(job)


async def suspended(stage: Stage) -> Told:
    """It stands still for a while."""
    job = await stage.launch(UNTIL_TOLD)
    await stage.runs(job)
    await stage.as_root("scontrol", "suspend", job)
    await stage.bot.sees(job, lambda known: known.seen.state is State.SUSPENDED)
    await asyncio.sleep(5)
    await stage.as_root("scontrol", "resume", job)
    await stage.runs(job)
    await stage.finish(job)
    return await stage.ends(job)


async def time_limit(stage: Stage) -> Told:
    """It runs for longer than it may."""
    return await stage.ends(await stage.launch(LONG, "--time=1"), within=120)


async def deadline(stage: Stage) -> Told:
    """The node it needs is taken for longer than it can wait."""
    await stage.submit(LONG, GPUS)
    return await stage.ends(await stage.launch("true", GPUS, "--deadline=now+65", "--time=1"))


@dataclass(frozen=True)
class Again:
    """A job between its attempts, and in the end."""

    waiting: Job
    told: Told


async def requeued(stage: Stage) -> Again:
    """Its owner requeues it, and it runs once more."""
    job = await stage.launch(UNTIL_TOLD)
    await stage.runs(job)
    await stage.as_owner("scontrol", "requeue", job)
    return await _again(stage, job)


async def _again(stage: Stage, job: str) -> Again:
    waiting = await stage.starts_over(job)
    await stage.runs(job, attempt=2)
    await stage.finish(job)
    return Again(waiting, await stage.ends(job))


async def preempted(stage: Stage) -> Again:
    """A job of a better partition takes its node; it waits, and runs again."""
    job = await stage.launch(UNTIL_TOLD, GPUS, "--requeue", node="alice-a3u-0")
    await stage.runs(job)
    await stage.submit("sleep 2", "-p", "urgent", GPUS, node="alice-a3u-0")
    return await _again(stage, job)


async def preempted_for_good(stage: Stage) -> Told:
    """The same for a job that must not be requeued."""
    job = await stage.launch(LONG, GPUS, "--no-requeue", node="alice-a3m-1")
    await stage.runs(job)
    await stage.submit("sleep 2", "-p", "urgent", GPUS, node="alice-a3m-1")
    return await stage.ends(job)


async def node_crash(stage: Stage) -> tuple[Told, Again]:
    """A node dies under two jobs, of which one may be requeued."""
    node = "alice-a3u-1"
    dead = await stage.launch(LONG, "--no-requeue", node=node)
    again = await stage.launch(UNTIL_TOLD, "--requeue", node=node)
    await stage.runs(dead)
    await stage.runs(again)
    await stage.cluster.crash_node(node)
    told = await stage.ends(dead)
    await stage.cluster.revive_node(node)
    await stage.idle(node)
    return told, await _again(stage, again)


async def array(stage: Stage) -> Told:
    """One of four tasks fails."""
    script = "sleep $((SLURM_ARRAY_TASK_ID * 3)); exit $((SLURM_ARRAY_TASK_ID == 1))"
    return await stage.ends(await stage.launch(script, "--array=0-3"))


async def one_by_one(stage: Stage) -> Told:
    """One task at a time; the first fails, and Slurm forgets it before the last has ended."""
    script = "sleep 9; exit $((SLURM_ARRAY_TASK_ID == 0))"
    return await stage.ends(await stage.launch(script, "--array=0-3%1"), within=120)


async def _gone(stage: Stage, script: str) -> Told:
    job = await stage.submit(script)
    await stage.purged(job)
    database = stage.folder / f"{job}.db"
    async with lookout(stage.cluster.address, database, by_hand=True) as late:
        await late.follow(job)
        await late.tracker.tick()
        return await late.tells(job)


async def gone_bad(stage: Stage) -> Told:
    """It failed, and nobody looked before Slurm had forgotten it."""
    return await _gone(stage, "exit 3")


async def gone_good(stage: Stage) -> Told:
    """It succeeded, and nobody looked before Slurm had forgotten it."""
    return await _gone(stage, "true")


async def forgotten(stage: Stage) -> str:
    """The same as the first, but nobody looks at all; gives its id."""
    job = await stage.submit("exit 3")
    await stage.purged(job)
    return job


@dataclass(frozen=True)
class Economy:
    """What some looks at jobs that do not change have cost."""

    looks: int
    asked: Counter[str]
    commits: int


async def economy(stage: Stage) -> Economy:
    """Nothing happens to a running and to a held job while somebody looks."""
    database = stage.folder / "economy.db"
    node = "alice-a3u-0"
    jobs = [await stage.submit(LONG, node=node), await stage.submit("true", "--hold", node=node)]
    async with lookout(stage.cluster.address, database, by_hand=True) as eye:
        for job in jobs:
            await eye.follow(job)
        async with asyncio.timeout(100):
            while (await eye.job(jobs[0])).seen.state is not State.RUNNING:
                await asyncio.sleep(0.5)
                await eye.tracker.tick()
        await eye.tracker.tick()
        for job in jobs:
            await eye.hushes(job)
        before = Counter(eye.ssh.calls)
        with closing(sqlite3.connect(database)) as other:
            version = other.execute("PRAGMA data_version").fetchone()[0]
            for _ in range(5):
                await eye.tracker.tick()
            commits = other.execute("PRAGMA data_version").fetchone()[0] - version
        cost = Economy(5, Counter(eye.ssh.calls) - before, commits)
    await stage.as_owner("scancel", *jobs)
    return cost


ALL = (
    success,
    instant,
    exit_3,
    exit_137,
    exit_255,
    no_output_folder,
    errors_apart,
    step_failed,
    cancelled_by_owner,
    cancelled_by_root,
    cancelled_by_operator,
    cancelled_from_slack,
    cancelled_while_held,
    released,
    never_satisfied,
    suspended,
    time_limit,
    deadline,
    requeued,
    preempted,
    preempted_for_good,
    node_crash,
    array,
    one_by_one,
    gone_bad,
    gone_good,
    forgotten,
    economy,
)
