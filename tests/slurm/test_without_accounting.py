"""A site without accounting: an answer of its own, and everything else works."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest_asyncio

from bot.cluster import slurm
from bot.cluster.launch import launch
from bot.cluster.spool import Submitted, outcome
from bot.cluster.ssh import SshCluster
from bot.demo.cluster import EmbeddedCluster
from bot.demo.cluster import Login as Key
from bot.demo.cluster.slot import claim
from bot.model import Launch
from tests.cluster_fixture import Person
from tests.slurm.doors import login

_VAR = Path(__file__).parents[2] / "var"
SINCE = datetime.now(UTC) - timedelta(hours=1)


@pytest_asyncio.fixture
async def node() -> AsyncIterator[SshCluster]:
    """A cluster of its own."""
    with claim(_VAR / "test-cluster") as directory:
        async with EmbeddedCluster(directory, accounting=False) as cluster:
            address = cluster.address
            alice = Person(address, Key(address.user, address.key))
            async with SshCluster("alice", login(alice)) as door:
                yield door


async def test_what_works_without_accounting(node: SshCluster) -> None:
    """Accounting says that it is off; a job is launched, found by its comment, and watched."""
    assert isinstance(await node.run(slurm.history(("1",), SINCE)), slurm.AccountingOff)
    assert isinstance(await node.run(slurm.associations()), slurm.AccountingOff)
    config = await node.run(slurm.config())
    assert not config.accounting
    what = Launch(argv=("sbatch", "--hold", "-p", "a3u", "jobs/hello.sh"), cwd="/home/alice")
    seen = outcome(await node.run(launch("r1", 1, what, 10)))
    assert isinstance(seen, Submitted)
    search = await node.run(slurm.find_by_comment(("r1",), SINCE))
    assert not search.accounting
    assert [job.id for job in search.found["r1"]] == [receipt.job for receipt in seen.jobs]
    (job,) = await node.run(slurm.details((seen.jobs[0].job,)))
    assert job.comment == "sbatchat:r1"
