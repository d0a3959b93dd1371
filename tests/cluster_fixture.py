"""The embedded cluster, one for each test session, and a person at its login node."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from bot.demo.cluster import ClusterAddress, Completed, EmbeddedCluster, Login
from bot.demo.cluster.process import run
from bot.demo.cluster.slot import claim

_VAR = Path(__file__).parents[1] / "var"
_ENDED = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL")


@dataclass(frozen=True)
class Person:
    """Somebody with an ssh client."""

    address: ClusterAddress
    login: Login

    async def ssh(self, command: str, *, check: bool = True) -> Completed:
        """Run a shell command at the login node over a fresh connection."""
        argv = ["ssh", "-F", "none", "-i", str(self.login.key), "-p", str(self.address.port)]
        argv += ["-o", f"UserKnownHostsFile={self.address.known_hosts}", "-o", "BatchMode=yes"]
        argv += [f"{self.login.user}@{self.address.host}", command]
        return await run(argv, environment={"PATH": "/usr/bin:/bin"}, check=check)

    async def sbatch(self, arguments: str) -> str:
        """Submit a batch script and tell the job's id."""
        return (await self.ssh(f"sbatch --parsable {arguments}")).stdout.strip()

    async def ended(self, job: str, *, within: float = 120.0) -> str:
        """Wait for the job's end and tell its state."""
        async with asyncio.timeout(within):
            while True:
                shown = await self.ssh(f"scontrol show job -o {job}")
                state = shown.stdout.partition(" JobState=")[2].partition(" ")[0]
                if state in _ENDED:
                    return state
                await asyncio.sleep(0.5)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def cluster() -> AsyncIterator[EmbeddedCluster]:
    """A running cluster that all tests share; a test leaves it as it found it."""
    with claim(_VAR / "test-cluster") as directory:
        async with EmbeddedCluster(directory) as running:
            yield running


def account(cluster: EmbeddedCluster) -> Person:
    """Whom the bot logs in as."""
    address = cluster.address
    return Person(address, Login(address.user, address.key))


@pytest.fixture
def alice(cluster: EmbeddedCluster) -> Person:
    """Whom the bot logs in as."""
    return account(cluster)


@pytest.fixture
def bob(cluster: EmbeddedCluster) -> Person:
    """Another person of the same account."""
    if cluster.address.other is None:
        pytest.skip("needs root and private namespaces: here only one account can own jobs")
    return Person(cluster.address, cluster.address.other)
