"""Launching exactly once, on the real Slurm, over the real sshd."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest

from bot.cluster import slurm
from bot.cluster.launch import launch, look
from bot.cluster.spool import Dead, Outcome, Refused, Running, Submitted, Unknown, outcome
from bot.cluster.ssh import SshCluster
from bot.demo.cluster import EmbeddedCluster
from bot.errors import ClusterError, ClusterUnreachable
from bot.job import Observation
from bot.model import Launch
from tests.cluster_fixture import Person
from tests.slurm.doors import login, node, sh
from tests.unit.cluster.killing import COMMANDS, WHEN, WRAPPER

__all__ = ["node"]

HOLD = ("sbatch", "--hold", "-p", "a3u")
"""Jobs that only have to exist."""


def fresh() -> str:
    """Return the id of a new request."""
    return secrets.token_hex(10)


async def jobs_of(node: SshCluster, request_id: str) -> list[Observation]:
    """Ask Slurm itself which jobs carry a request's signature."""
    rows = (await node.run(slurm.jobs())).values()
    seen = [slurm.seen(row) for row in rows]
    return [job for job in seen if request_id in slurm.signatures(job.comment)]


class Starter:
    """Launches one request as the bot does."""

    def __init__(self, node: SshCluster, home: str) -> None:
        self.node = node
        self.home = home
        self.id = fresh()

    async def launch(
        self, *argv: str, attempt: int = 1, wait: float = 10.0, options: tuple[str, ...] = ()
    ) -> Outcome:
        """Launch once, or join."""
        what = Launch(argv=argv, cwd=self.home, sbatch_options=options)
        return outcome(await self.node.run(launch(self.id, attempt, what, wait)))

    async def settle(self, *argv: str) -> Outcome:
        """Launch again whenever that is safe, until it is decided."""
        attempt = 1
        for _ in range(30):
            seen = await self.launch(*argv, attempt=attempt)
            if isinstance(seen, Dead):
                attempt = seen.attempt
            elif not isinstance(seen, Running) and getattr(seen, "finished", True):
                return seen
        raise AssertionError("never decided")


@pytest.fixture
async def start(node: SshCluster, alice: Person) -> AsyncIterator[Starter]:
    """Somebody who launches; what is left in the queue goes."""
    yield Starter(node, alice.address.home)
    await node.run(sh("scancel --me"))


async def test_a_batch_script_becomes_one_signed_job(start: Starter) -> None:
    """The receipt's id is the job's, and launching again changes nothing."""
    seen = await start.launch(*HOLD, "jobs/hello.sh")
    assert isinstance(seen, Submitted)
    assert await start.launch(*HOLD, "jobs/hello.sh") == seen
    (job,) = await jobs_of(start.node, start.id)
    assert [receipt.job for receipt in seen.jobs] == [job.id]
    assert job.comment == f"sbatchat:{start.id}"


async def test_a_comment_and_a_limit_are_added_not_replaced(start: Starter) -> None:
    """The person's comment stays readable; our options hold for a launcher without such flags."""
    script = "printf '#!/bin/sh\n#SBATCH --comment=\"my own\"\n#SBATCH -t 5\ntrue\n' >own.sh"
    await start.node.run(sh(script))
    await start.launch(*HOLD, "own.sh", options=("--time=17",))
    (job,) = await jobs_of(start.node, start.id)
    assert job.comment == f"sbatchat:{start.id} my own"
    assert job.time_limit == timedelta(minutes=17)


async def test_a_job_does_not_inherit_the_shim(start: Starter) -> None:
    """A nested sbatch in the job is the real one, and unsigned."""
    script = (
        "printf '#!/bin/sh\nenv\nsbatch --hold --parsable -p a3u jobs/hello.sh >nested\n' >outer.sh"
        "; rm -f nested"
    )
    await start.node.run(sh(script))
    seen = await start.launch("sbatch", "-p", "a3u", "outer.sh")
    assert isinstance(seen, Submitted)
    job = seen.jobs[0].job
    nested = await start.node.run(
        sh("for i in $(seq 100); do [ ! -s nested ] || break; sleep 0.2; done; cat nested")
    )
    env = await start.node.run(sh('cat "slurm-$1.out"', job))
    assert ".sbatchat" not in env
    assert "sb_" not in env
    assert [one.id for one in await jobs_of(start.node, start.id)] == [job]
    rows = await start.node.run(slurm.jobs())
    assert slurm.seen(rows[nested]).comment == ""


async def test_slurms_refusal_is_told_in_its_words(start: Starter) -> None:
    """The documented failure: a partition that does not exist."""
    seen = await start.launch("sbatch", "-p", "general", "jobs/hello.sh")
    assert isinstance(seen, Refused)
    assert seen.text == (
        "invalid partition specified: general\n"
        "Batch job submission failed: Invalid partition name specified"
    )
    assert seen.refusal is not None
    assert seen.refusal.subject is slurm.Subject.PARTITION
    assert await jobs_of(start.node, start.id) == []


async def test_nemo_run_submits_through_the_shim(start: Starter, alice: Person) -> None:
    """`run.py` on the real NeMo-Run calls sbatch itself: one job, signed, with our time limit."""
    place = alice.address.workdir
    words = "python3 run.py -e slurm --slurm-type hcc-a3m -p a3m -i nemo-demo.sqsh -n 2"
    argv = (*words.split(), "-s", "pretrain/llama3p1_2b_pt.py", "-d", place)
    what = Launch(argv=argv, cwd=place, sbatch_options=("--hold", "--time=16"))
    seen: Outcome = Running("", "", "")
    for _ in range(60):
        seen = outcome(await start.node.run(launch(start.id, 1, what, 1.0)))
        if not isinstance(seen, Running):
            break
    assert isinstance(seen, Submitted)
    (job,) = await jobs_of(start.node, start.id)
    assert [receipt.job for receipt in seen.jobs] == [job.id]
    assert (job.nodes, job.gpus, job.time_limit) == (2, 16, timedelta(minutes=16))


async def test_a_cut_connection_changes_nothing(start: Starter, cluster: EmbeddedCluster) -> None:
    """sshd's session is killed while sbatch runs: the next launch reads what became of it."""
    slow = ("sh", "-c", "sleep 1; sbatch --hold -p a3u jobs/hello.sh; sleep 1")
    await start.node.run(sh("true"))
    flying = asyncio.ensure_future(start.launch(*slow))
    await asyncio.sleep(0.6)
    assert cluster.cut_connections() >= 1
    with pytest.raises(ClusterUnreachable):
        await flying
    seen = await start.settle(*slow)
    assert isinstance(seen, Submitted)
    assert len(await jobs_of(start.node, start.id)) == 1


async def test_a_controller_that_is_down_submits_nothing(
    start: Starter, cluster: EmbeddedCluster
) -> None:
    """sbatch says so after some seconds; it cannot have been accepted."""
    await cluster.stop_daemon("slurmctld")
    try:
        seen = await start.launch(*HOLD, "jobs/hello.sh", wait=30)
    finally:
        await cluster.start_daemon("slurmctld")
    assert isinstance(seen, Refused)
    assert seen.refusal is not None
    assert seen.refusal.blame is slurm.Blame.FAULT
    await _until_answers(start.node)
    assert await jobs_of(start.node, start.id) == []


async def test_a_full_home_submits_nothing(start: Starter, cluster: EmbeddedCluster) -> None:
    """The spool's disk is really full: told in words, and safe to launch again afterwards."""
    spool = f"{start.home}/.sbatchat"
    await start.node.run(sh('mkdir -p "$1"', spool))
    mounted = await cluster.run(
        "mount", "-t", "tmpfs", "-o", "size=4k,mode=777", "tmpfs", spool, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("needs root in the cluster's namespace to mount a small disk")
    try:
        seen = await start.launch(*HOLD, "jobs/hello.sh")
    finally:
        await cluster.run("umount", spool)
    assert isinstance(seen, Refused)
    assert seen.retry
    assert "no room" in seen.text
    assert await jobs_of(start.node, start.id) == []
    assert isinstance(await start.launch(*HOLD, "jobs/hello.sh"), Submitted)


async def test_a_disk_that_fills_before_sbatch_submits_nothing(
    start: Starter, cluster: EmbeddedCluster
) -> None:
    """The launcher runs, but the intent has no room: sbatch is never called."""
    spool = f"{start.home}/.sbatchat"
    await start.node.run(sh('mkdir -p "$1"', spool))
    mounted = await cluster.run(
        "mount", "-t", "tmpfs", "-o", "size=256k,mode=777", "tmpfs", spool, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("needs root in the cluster's namespace to mount a small disk")
    fill = f"head -c 1000000 /dev/zero >{spool}/fill; sbatch --hold -p a3u jobs/hello.sh"
    try:
        seen = await start.settle("sh", "-c", fill)
    finally:
        await cluster.run("umount", spool)
    assert isinstance(seen, Refused)
    assert "no room" in seen.text
    assert await jobs_of(start.node, start.id) == []


async def test_looking_at_many_requests_is_one_round_trip(start: Starter) -> None:
    """And it changes nothing."""
    await start.launch(*HOLD, "jobs/hello.sh")
    before = start.node.calls.total()
    spools = await start.node.run(look((start.id, fresh(), fresh())))
    assert start.node.calls.total() == before + 1
    assert set(spools) == {start.id}
    assert isinstance(outcome(spools[start.id]), Submitted)


# --- killed at every remote step --------------------------------------------------------------

STEPS = 11


@pytest.fixture
async def deadly(alice: Person) -> AsyncIterator[Starter]:
    """A login whose every external command can kill its caller."""
    folder = f"{alice.address.home}/killer"
    async with SshCluster("alice", login(alice)) as plain:
        write = 'mkdir -p "$1" && printf "%s" "$2" >"$1/$3" && chmod 755 "$1/$3"'
        for name in COMMANDS:
            real = await plain.run(sh('command -v "$1"', name))
            await plain.run(
                sh(write, folder, WRAPPER.format(name=name, folder=folder, real=real), name)
            )
    async with SshCluster("alice", login(alice, slurm_bin_dirs=(folder,))) as door:
        yield Starter(door, alice.address.home)
        await door.run(sh('rm -rf "$1"; scancel --me', folder))


async def arm(start: Starter, step: int, when: str) -> None:
    """Kill at the n-th external command from now on; step 0 only records."""
    script = 'cd killer && : >steps && printf "%s %s\\n" "$1" "$2" >armed'
    await start.node.run(sh(script, str(step), when))


async def disarm(start: Starter) -> list[str]:
    """Let everything pass again; return the commands that were called."""
    return (await start.node.run(sh("rm -f killer/armed; cat killer/steps"))).split()


async def test_the_steps_are_these(deadly: Starter) -> None:
    """The table below covers each of them."""
    await arm(deadly, 0, "never")
    assert isinstance(await deadly.launch(*HOLD, "jobs/hello.sh"), Submitted)
    steps = await disarm(deadly)
    assert len(steps) == STEPS, steps
    assert set(steps) == set(COMMANDS)


@pytest.mark.parametrize("when", WHEN)
@pytest.mark.parametrize("step", range(1, STEPS + 1))
async def test_killed_at_a_step_there_are_never_two_jobs(
    deadly: Starter, step: int, when: str
) -> None:
    """One wherever nothing was submitted; else unknown, and found by its comment if it exists."""
    began = datetime.now(UTC) - timedelta(minutes=1)
    await arm(deadly, step, when)
    with suppress(ClusterError):  # the starter itself was killed
        await deadly.launch(*HOLD, "jobs/hello.sh")
    await disarm(deadly)
    last = await deadly.settle(*HOLD, "jobs/hello.sh")
    jobs = await jobs_of(deadly.node, deadly.id)
    if isinstance(last, Unknown):
        assert last.calls
        search = await deadly.node.run(slurm.find_by_comment((deadly.id,), began))
        assert [job.id for job in search.found.get(deadly.id, ())] == [job.id for job in jobs]
        assert len(jobs) <= 1
    else:
        assert isinstance(last, Submitted)
        assert [receipt.job for receipt in last.jobs] == [job.id for job in jobs]
        assert len(jobs) == 1


async def _until_answers(node: SshCluster) -> None:
    async with asyncio.timeout(60):
        while True:
            try:
                await node.run(slurm.jobs())
            except ClusterError:
                await asyncio.sleep(0.5)
            else:
                return
