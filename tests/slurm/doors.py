"""The bot's own door to the shared cluster, for each of its people."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bot.cluster.login import Login
from bot.cluster.ssh import SshCluster
from bot.ports import Output, Query
from tests.cluster_fixture import Person


def login(person: Person, **changes: object) -> Login:
    """Return how the bot reaches the login node as this person."""
    address = person.address
    fields: dict[str, object] = {
        "host": address.host,
        "port": address.port,
        "user": person.login.user,
        "keys": (person.login.key,),
        "known_hosts": address.known_hosts,
    }
    return Login(**{**fields, **changes})  # type: ignore[arg-type]  # names of Login's fields


@pytest.fixture
async def node(alice: Person) -> AsyncIterator[SshCluster]:
    """The login node as the bot's own account."""
    async with SshCluster("alice", login(alice)) as door:
        yield door


@pytest.fixture
async def bobs(bob: Person) -> AsyncIterator[SshCluster]:
    """The login node as somebody else."""
    async with SshCluster("alice", login(bob)) as door:
        yield door


def sh(script: str, *args: str) -> Query[str]:
    """Ask for what a script prints; it must work."""

    def parse(output: Output) -> str:
        assert output.status == 0, output
        return output.stdout.strip()

    return Query(script, parse, args, name="sh")
