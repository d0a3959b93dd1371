"""The door to SSH on a real sshd: its limits, its outages."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from bot.cluster import slurm
from bot.cluster.files import Excerpt, NoFile, Why, tail
from bot.cluster.logs import LogKind, log_files
from bot.cluster.ssh import SshCluster
from bot.cluster.tokenizer import Placed, place_tokenizer
from bot.demo.cluster import EmbeddedCluster
from bot.errors import AccessRefused, ClusterUnreachable
from tests.cluster_fixture import Person
from tests.slurm.doors import login, node, sh

__all__ = ["node"]


async def test_more_queries_than_sshd_allows_sessions(node: SshCluster) -> None:
    """sshd's own MaxSessions is 10: the others wait their turn."""
    answers = await asyncio.gather(
        *(node.run(sh('sleep 0.1; echo "$1"', str(n))) for n in range(50))
    )
    assert answers == [str(n) for n in range(50)]


async def test_sessions_that_hang_do_not_lock_out_the_others(node: SshCluster) -> None:
    """What is given up is killed over there too, so that its place is free again."""
    hanging = replace(sh("sleep 300"), timeout=0.3)
    results = await asyncio.gather(*(node.run(hanging) for _ in range(20)), return_exceptions=True)
    assert {type(result) for result in results} == {ClusterUnreachable}
    assert await node.run(sh("echo ok")) == "ok"
    left = await node.run(sh("pgrep -u $(id -u) -fc 'sleep 300' || true"))
    assert left == "0"


async def test_sshd_goes_and_comes_back(node: SshCluster, cluster: EmbeddedCluster) -> None:
    """Cut off, then refused, then well again, without anybody's help."""
    assert await node.run(sh("echo ok")) == "ok"
    await cluster.stop_daemon("sshd")
    cluster.cut_connections()
    try:
        for _ in range(3):
            with pytest.raises(ClusterUnreachable):
                await node.run(sh("true"))
    finally:
        await cluster.start_daemon("sshd")
    async with asyncio.timeout(30):
        while True:
            try:
                assert await node.run(sh("echo ok")) == "ok"
            except ClusterUnreachable:
                await asyncio.sleep(0.2)
            else:
                break


async def test_another_persons_key_does_not_open(alice: Person, bob: Person) -> None:
    """A key belongs to one account."""
    async with SshCluster("alice", login(alice, keys=(bob.login.key,))) as door:
        with pytest.raises(AccessRefused, match="alice@"):
            await door.run(sh("true"))


async def test_the_log_of_a_real_job(node: SshCluster, alice: Person) -> None:
    """Found by what scontrol says, and read below the home alone."""
    job_id = await alice.sbatch("-p a3u --wrap 'echo hello from the job'")
    await alice.ended(job_id)
    (job,) = await node.run(slurm.details((job_id,)))
    home = alice.address.home
    (log,) = await node.run(log_files(job.id, job.stdout, job.workdir, (home,)))
    assert (log.path, log.kind, log.attempt) == (f"{home}/slurm-{job_id}.out", LogKind.BATCH, 1)
    found = await node.run(tail(log.path, 5, (home,)))
    assert isinstance(found, Excerpt)
    assert found.text == "hello from the job\n"
    assert await node.run(tail("/etc/passwd", 5, (home,))) == NoFile("/etc/passwd", Why.OUTSIDE)


async def test_the_tokenizer_files_from_the_clusters_own_source(
    node: SshCluster, alice: Person
) -> None:
    """Over HTTP and from the shared folder."""
    address = alice.address
    for number, source in enumerate((address.tokenizer_url, address.tokenizer_dir)):
        cache = f"{address.home}/placed-{number}"
        found = await node.run(place_tokenizer(cache, source, (address.home,)))
        assert isinstance(found, Placed)
        assert found.fetched == 2
        await node.run(sh('rm -r "$1"', cache))
