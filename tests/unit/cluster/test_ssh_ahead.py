"""A question that another follows at once has the other's channel opened meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from bot.cluster.ssh import SshCluster
from bot.ports import Query
from tests.unit.cluster.login_server import LoginServer, login_server


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[LoginServer]:
    """A login node."""
    async with login_server(tmp_path) as running:
        yield running


@pytest.fixture
async def cluster(server: LoginServer) -> AsyncIterator[SshCluster]:
    """The door to it."""
    async with SshCluster("alice", server.login()) as door:
        yield door


def echo(word: str, *, leads_on: bool = False) -> Query[str]:
    """Ask for a word."""
    return Query('echo "$1"', lambda out: out.stdout.strip(), (word,), leads_on=leads_on)


async def until(fits: Callable[[], bool]) -> None:
    """Wait until it fits; fails when it never does."""
    async with asyncio.timeout(5):
        while not fits():
            await asyncio.sleep(0.01)


async def test_what_follows_finds_its_channel_open(
    server: LoginServer, cluster: SshCluster
) -> None:
    """Two questions, two sessions, and the second was there before it was asked for."""
    assert await cluster.run(echo("one", leads_on=True)) == "one"
    await until(lambda: len(server.commands) == 2)
    assert await cluster.run(echo("two")) == "two"
    assert len(server.commands) == 2


async def test_what_does_not_follow_at_once_is_not_waited_for(
    server: LoginServer, cluster: SshCluster
) -> None:
    """An old channel would not notice a dead connection, so it is closed."""
    await cluster.run(echo("one", leads_on=True))
    await until(lambda: len(server.commands) == 2)
    await until(lambda: server.open == 0)
    assert await cluster.run(echo("two")) == "two"
    assert len(server.commands) == 3


async def test_a_channel_that_is_gone_costs_no_question(
    server: LoginServer, cluster: SshCluster
) -> None:
    """Another is opened, on another connection if need be."""
    await cluster.run(echo("one", leads_on=True))
    await until(lambda: len(server.commands) == 2)
    server.cut()
    await asyncio.sleep(0.05)
    assert await cluster.run(echo("two")) == "two"


async def test_many_at_once_share_what_there_is(cluster: SshCluster) -> None:
    """Each asks and leads on; none waits for ever for a place that is kept for nobody."""
    words = [str(number) for number in range(30)]
    async with asyncio.timeout(20):
        said = await asyncio.gather(*(cluster.run(echo(word, leads_on=True)) for word in words))
    assert said == words


async def test_closing_leaves_nothing_open(server: LoginServer) -> None:
    """Neither a channel opened ahead nor one that is being opened."""
    async with SshCluster("alice", server.login()) as door:
        await door.run(echo("one", leads_on=True))
    await until(lambda: server.open == 0)
