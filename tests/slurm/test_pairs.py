"""Every scheduler command and job state, asked of the real Slurm through the bot's own door.

All jobs are submitted at once and come to their ends side by side; each test waits for its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import pytest
import pytest_asyncio

from bot.cluster import slurm
from bot.cluster.ssh import SshCluster
from bot.demo.cluster import EmbeddedCluster
from bot.demo.cluster import Login as Key
from bot.errors import SlurmUnreachable
from bot.job import Observation, State
from bot.model import Resources
from tests.cluster_fixture import Person
from tests.slurm.doors import bobs, node, sh

__all__ = ["bobs", "node"]
T = TypeVar("T")

SINCE = datetime.now(UTC) - timedelta(hours=1)
JOBS = {
    "completed": "-p a3m --wrap 'echo hi'",
    "fails": "-p a3m --wrap 'exit 137'",
    "launch": "-p a3m -o /nowhere/x.out --wrap true",
    "memory": "-p a3m --mem=50M --wrap \"exec python3 -c 'x=bytearray(300000000); input()'"
    ' </dev/zero"',
    "timeout": "-p a3m -t 1 --wrap 'sleep 300'",
    "node": "-p a3u -w alice-a3u-1 --no-requeue --gpus-per-node=3 --wrap 'sleep 300'",
    "requeued": "-p a3m --requeue --wrap 'sleep 300'",
    "suspended": "-p a3m --wrap 'sleep 300'",
    "array": "-p a3m -a 0-3%1 --wrap 'sleep 300'",
    "held": "-p a3u --hold -N 2 --gpus-per-node=8 -t 1-0 --comment='two words' --wrap true",
    "hopeless": "-p a3m -N 3 --wrap true",
    "mine": "-p a3u --hold --wrap true",
    "roots": "-p a3u --hold --wrap true",
    "odd": "-p a3u --hold -J 'a  b | c UserId=x(0)' --comment='x StdOut=/y | z' --wrap true",
    "parts": "-p a3m --hold : -p a3u --hold job.sh",
}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def ids(cluster: EmbeddedCluster) -> AsyncIterator[dict[str, str]]:
    """Submit everything; return the ids by name."""
    address = cluster.address
    alice = Person(address, Key(address.user, address.key))
    await alice.ssh("printf '#!/bin/sh\\ntrue\\n' >job.sh")
    lines = "; ".join(f"sbatch --parsable {words}" for words in JOBS.values())
    said = (await alice.ssh(lines)).stdout.split()
    found = dict(zip(JOBS, said, strict=True))
    never = await alice.sbatch(f"-p a3m -d afterok:{found['fails']} --wrap true")
    yield {**found, "never": never}
    await alice.ssh("scancel --me")


async def seen(node: SshCluster, job_id: str) -> Observation:
    """What squeue says of a job now."""
    return slurm.seen((await node.run(slurm.jobs()))[job_id])


async def until(
    ask: Callable[[], Awaitable[T]], good: Callable[[T], bool], within: float = 60
) -> T:
    """Ask until the answer is as wished."""
    last: T | None = None
    try:
        async with asyncio.timeout(within):
            while True:
                last = await ask()
                if good(last):
                    return last
                await asyncio.sleep(0.3)
    except TimeoutError:
        raise AssertionError(f"never came: {last}") from None


async def until_state(
    node: SshCluster, job_id: str, *states: State, within: float = 60
) -> Observation:
    """Wait until squeue shows the job in one of these states."""
    return await until(lambda: seen(node, job_id), lambda job: job.state in states, within)


async def past(node: SshCluster, job_id: str, *, within: float = 30) -> slurm.Attempt:
    """Wait for accounting's last word on a job."""

    async def ask() -> tuple[slurm.Attempt, ...]:
        found = await node.run(slurm.history((job_id,), SINCE))
        assert isinstance(found, tuple)
        return found

    found = await until(ask, lambda all_: bool(all_) and all_[-1].seen.state.ended, within)
    return found[-1]


async def details(node: SshCluster, *job_ids: str) -> dict[str, Observation]:
    """What scontrol says of jobs."""
    return {job.id: job for job in await node.run(slurm.details(job_ids))}


async def test_a_job_that_completes(node: SshCluster, ids: dict[str, str]) -> None:
    """squeue, scontrol and accounting agree."""
    job_id = ids["completed"]
    job = await until_state(node, job_id, State.COMPLETED)
    assert (job.ended or SINCE) >= (job.started or SINCE) >= (job.submitted or SINCE) > SINCE
    more = (await details(node, job_id))[job_id]
    assert (more.state, more.exit_code, more.restarts) == (State.COMPLETED, "0:0", 0)
    assert more.stdout == f"/home/alice/slurm-{job_id}.out"
    attempt = await past(node, job_id)
    assert (attempt.seen.state, attempt.seen.user) == (State.COMPLETED, "alice")
    assert "batch" in [step.name for step in attempt.steps]


async def test_a_job_that_fails_keeps_its_exit_code_in_scontrol(
    node: SshCluster, ids: dict[str, str]
) -> None:
    """137 there, 9 in accounting: it masks with 127."""
    job = await until_state(node, ids["fails"], State.FAILED)
    assert job.reason == "NonZeroExitCode"
    assert (await details(node, ids["fails"]))[ids["fails"]].exit_code == "137:0"
    assert (await past(node, ids["fails"])).seen.exit_code == "9:0"


async def test_a_job_whose_output_folder_is_missing(node: SshCluster, ids: dict[str, str]) -> None:
    """It fails before it begins, and the reason says so."""
    job = await until_state(node, ids["launch"], State.FAILED)
    assert job.reason == "JobLaunchFailure"
    assert "folder" in slurm.reason_in_words(job.reason)


async def test_a_job_that_takes_too_much_memory(node: SshCluster, ids: dict[str, str]) -> None:
    """Enforced by polling it never shows as out of memory; `by 0` is no person."""
    job = await until_state(node, ids["memory"], *ENDS)
    assert job.state in {State.FAILED, State.CANCELLED, State.OUT_OF_MEMORY}
    attempt = await past(node, ids["memory"])
    assert attempt.seen.cancelled_by in {"", "0"}


ENDS = tuple(state for state in State if state.ended)


async def test_a_job_cancelled_by_its_owner(node: SshCluster, ids: dict[str, str]) -> None:
    """The outcome is looked at, and accounting knows who it was."""
    found = await node.run(slurm.cancel(ids["mine"]))
    assert found.outcome is slurm.Cancelled.DONE
    assert (await seen(node, ids["mine"])).state is State.CANCELLED
    me = await node.run(sh("id -u"))
    assert (await past(node, ids["mine"])).seen.cancelled_by == me
    again = await node.run(slurm.cancel(ids["mine"]))
    assert again.outcome is slurm.Cancelled.ENDED


async def test_a_job_cancelled_by_another(
    node: SshCluster, cluster: EmbeddedCluster, ids: dict[str, str]
) -> None:
    """An operator."""
    await cluster.run("scancel", ids["roots"])
    assert (await seen(node, ids["roots"])).state is State.CANCELLED
    assert (await past(node, ids["roots"])).seen.cancelled_by != ""


async def test_nobody_cancels_the_job_of_another(
    bobs: SshCluster, node: SshCluster, ids: dict[str, str]
) -> None:
    """It stays, and the answer says why."""
    assert (await bobs.run(slurm.cancel(ids["held"]))).outcome is slurm.Cancelled.DENIED
    assert (await seen(node, ids["held"])).state is State.PENDING


async def test_a_job_that_never_existed(node: SshCluster) -> None:
    """scancel says nothing and leaves with 0; we do say."""
    assert (await node.run(slurm.cancel("999999"))).outcome is slurm.Cancelled.UNKNOWN
    assert await details(node, "999999") == {}
    assert await node.run(slurm.history(("999999",), SINCE)) == ()


async def test_a_held_job(node: SshCluster, ids: dict[str, str]) -> None:
    """Its wish is known before it runs."""
    job = await seen(node, ids["held"])
    assert (job.state, job.reason) == (State.PENDING, "JobHeldUser")
    assert slurm.hopeless(job.reason)
    assert (job.nodes, job.gpus, job.time_limit) == (2, 16, timedelta(days=1))
    assert (job.account, job.comment) == ("research", "two words")


async def test_a_dependency_that_is_never_satisfied(node: SshCluster, ids: dict[str, str]) -> None:
    """The first job failed: the second waits for ever."""
    job = await until(
        lambda: seen(node, ids["never"]), lambda job: job.reason == "DependencyNeverSatisfied"
    )
    assert slurm.hopeless(job.reason)


async def test_a_wish_that_the_partition_can_never_grant(
    node: SshCluster, ids: dict[str, str]
) -> None:
    """Accepted by this site, and hopeless."""
    job = await until(
        lambda: seen(node, ids["hopeless"]), lambda job: job.reason == "PartitionNodeLimit"
    )
    assert slurm.hopeless(job.reason)


async def test_an_array(node: SshCluster, ids: dict[str, str]) -> None:
    """Each task is a row; only one may run at a time."""

    async def tasks() -> dict[str, Observation]:
        rows = await node.run(slurm.jobs())
        return {
            key: slurm.seen(row) for key, row in rows.items() if key.startswith(f"{ids['array']}_")
        }

    found = await until(tasks, lambda all_: State.RUNNING in {task.state for task in all_.values()})
    assert set(found) == {f"{ids['array']}_{n}" for n in range(4)}
    waiting = [task for task in found.values() if task.state is State.PENDING]
    assert {task.reason for task in waiting} == {"JobArrayTaskLimit"}
    more = await details(node, ids["array"])
    assert f"{ids['array']}_0" in more
    assert all(job.job == ids["array"] for job in more.values())
    one = await node.run(slurm.cancel(f"{ids['array']}_0"))
    assert one.outcome is slurm.Cancelled.DONE
    assert (await until_state(node, f"{ids['array']}_1", State.RUNNING)).id


async def test_components_of_a_heterogeneous_job(node: SshCluster, ids: dict[str, str]) -> None:
    """`48+0` and `48+1` belong to 48."""
    rows = await node.run(slurm.jobs())
    parts = [slurm.seen(row) for key, row in rows.items() if key.startswith(f"{ids['parts']}+")]
    assert [job.partition for job in sorted(parts, key=lambda job: job.id)] == ["a3m", "a3u"]
    assert {job.job for job in parts} == {ids["parts"]}
    more = await details(node, ids["parts"])
    assert set(more) == {f"{ids['parts']}+0", f"{ids['parts']}+1"}


async def test_odd_names_and_comments(node: SshCluster, ids: dict[str, str]) -> None:
    """All three give them back as they are; accounting keeps the comment from the job's end on."""
    job_id = ids["odd"]
    odd = ("a  b | c UserId=x(0)", "x StdOut=/y | z")
    scontrol = (await details(node, job_id))[job_id]
    for job in (await seen(node, job_id), scontrol):
        assert (job.name, job.comment) == odd
    assert scontrol.stdout == f"/home/alice/slurm-{job_id}.out"
    sighting = await node.run(slurm.find_by_name(odd[0], "/home/alice", SINCE))
    assert [job.id for job in sighting.jobs] == [job_id]
    assert sighting.accounting
    assert (await node.run(slurm.find_by_name(odd[0], "/elsewhere", SINCE))).jobs == ()
    await node.run(slurm.cancel(job_id))
    # A job that never started is for a moment a row without a name.
    ended = (await until(lambda: past(node, job_id), lambda found: bool(found.seen.name))).seen
    assert (ended.name, ended.comment) == odd


async def test_a_requeued_job_lives_on(node: SshCluster, ids: dict[str, str]) -> None:
    """The same id, pending again, one restart; accounting shows both runs."""
    job_id = ids["requeued"]
    await until_state(node, job_id, State.RUNNING)
    await node.run(sh('scontrol requeue "$1"', job_id))
    job = await until_state(node, job_id, State.PENDING)
    assert not job.state.ended
    more = await until(lambda: details(node, job_id), lambda found: found[job_id].restarts == 1)
    assert more[job_id].state is State.PENDING

    async def runs() -> list[str]:
        found = await node.run(slurm.history((job_id,), SINCE))
        assert isinstance(found, tuple)
        return [attempt.seen.raw for attempt in found]

    assert await until(runs, lambda raw: len(raw) == 2) == ["REQUEUED", "PENDING"]


async def test_a_suspended_job(
    node: SshCluster, cluster: EmbeddedCluster, ids: dict[str, str]
) -> None:
    """It stands still and has not ended."""
    await until_state(node, ids["suspended"], State.RUNNING)
    await cluster.run("scontrol", "suspend", ids["suspended"])
    assert (await seen(node, ids["suspended"])).state is State.SUSPENDED
    await cluster.run("scontrol", "resume", ids["suspended"])
    assert (await node.run(slurm.cancel(ids["suspended"]))).outcome is slurm.Cancelled.DONE


async def test_a_node_that_dies(
    node: SshCluster, cluster: EmbeddedCluster, ids: dict[str, str]
) -> None:
    """Slurm notices after its time-out; the GPUs of the node count as used until then."""
    await until_state(node, ids["node"], State.RUNNING)
    found = {one.name: one for one in await node.run(slurm.nodes())}
    assert (found["alice-a3u-1"].gpus, found["alice-a3u-1"].gpus_used) == (8, 3)
    await cluster.crash_node("alice-a3u-1")
    try:
        await until_state(node, ids["node"], State.NODE_FAIL, within=90)
        assert (await past(node, ids["node"])).seen.state is State.NODE_FAIL
        a3u = {one.name: one for one in await node.run(slurm.partitions())}["a3u"]
        assert (a3u.nodes, a3u.free) == (2, 1)
    finally:
        await cluster.revive_node("alice-a3u-1")


async def test_a_job_that_reaches_its_time_limit(node: SshCluster, ids: dict[str, str]) -> None:
    """Some seconds after the limit."""
    job = await until_state(node, ids["timeout"], State.TIMEOUT, within=150)
    assert job.time_limit == timedelta(minutes=1)
    # The signal, or the script's word that a program of it got that signal: who is first.
    assert (await details(node, ids["timeout"]))[ids["timeout"]].exit_code in {"0:15", "143:0"}


async def test_many_details_are_one_dump(node: SshCluster, ids: dict[str, str]) -> None:
    """More ids than are asked one by one; those that never were are left out."""
    asked = (ids["held"], ids["never"], *(str(900_000 + n) for n in range(30)))
    assert set(await details(node, *asked)) == {ids["held"], ids["never"]}


async def test_the_queue_shows_everybody(
    node: SshCluster, bob: Person, ids: dict[str, str]
) -> None:
    """Also what others wait for."""
    theirs = await bob.sbatch("--hold -p a3u --wrap true")
    queue = {job.id: job for job in await node.run(slurm.queue())}
    assert queue[theirs].user == "bob"
    assert queue[ids["held"]].user == "alice"
    await bob.ssh(f"scancel {theirs}")


async def test_partitions(node: SshCluster) -> None:
    """As sinfo shows them; one has a default time."""
    a3m, a3u = await node.run(slurm.partitions())
    assert (a3m.name, a3m.default, a3m.up, a3m.nodes, a3m.gpus_per_node) == (
        "a3m",
        True,
        True,
        2,
        8,
    )
    assert (a3m.default_time, a3m.max_time) == (timedelta(hours=1), None)
    assert (a3u.name, a3u.default, a3u.default_time) == ("a3u", False, None)


async def test_when_it_would_start(node: SshCluster) -> None:
    """Nothing is submitted; what would be refused is told with its reason."""
    before = set(await node.run(slurm.jobs()))
    wish = Resources(partition="a3u", nodes=1, gpus_per_node=8, time=timedelta(hours=2))
    estimate = await node.run(slurm.start_estimate(wish))
    assert estimate.start is not None
    assert "alice-a3u" in estimate.node_list
    for bad, subject in (
        (Resources(partition="general"), slurm.Subject.PARTITION),
        (Resources(partition="a3u", gpus_per_node=9), slurm.Subject.NODES),
    ):
        refused = await node.run(slurm.start_estimate(bad))
        assert refused.start is None
        assert refused.said is not None
        assert refused.said.subject is subject
    assert set(await node.run(slurm.jobs())) <= before


async def test_how_the_site_is_set_up(node: SshCluster) -> None:
    """What the bot rests on is there."""
    config = await node.run(slurm.config())
    assert config.accounting
    assert config.keeps_comments
    assert config.cluster == "alice"
    assert config.min_job_age == timedelta(seconds=60)
    found = await node.run(slurm.associations())
    assert isinstance(found, tuple)
    assert [one.account for one in found] == ["research"]


async def test_a_database_that_is_down_is_an_outage_of_accounting_alone(
    node: SshCluster, cluster: EmbeddedCluster
) -> None:
    """squeue goes on; sacct raises what passes by itself."""
    await cluster.stop_daemon("slurmdbd")
    try:
        with pytest.raises(SlurmUnreachable):
            await node.run(slurm.history(("1",), SINCE))
        assert await node.run(slurm.jobs()) is not None
    finally:
        await cluster.start_daemon("slurmdbd")

    async def answers() -> bool:
        try:
            await node.run(slurm.history(("1",), SINCE))
        except SlurmUnreachable:
            return False
        return True

    await until(answers, bool)
