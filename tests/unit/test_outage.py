"""A cluster that does not answer: one message in each channel, and one when it is over."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.card import Moment, plain
from bot.errors import ClusterUnreachable
from bot.outage import Outage
from bot.store.sql_store import SqlStore

DOWN = ClusterUnreachable("alice@login:22 does not answer")


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqlStore]:
    """An empty store."""
    async with SqlStore(f"sqlite:///{tmp_path}/bot.db") as opened:
        yield opened


def life(store: SqlStore, *, patience: float = 0.0) -> Outage:
    """The memory of one life of the bot."""
    return Outage(cluster="alice", store=store, wake=lambda: None, announce_after=patience)


async def told(store: SqlStore) -> dict[str, str]:
    """Every first message that waits to be told, by its key."""
    found = await store.due(datetime.now(UTC))
    return {posted.wanted.key: plain(posted.wanted.card.lead) for posted in found}


async def post(store: SqlStore) -> None:
    """Tell all that waits."""
    for posted in await store.due(datetime.now(UTC)):
        await store.shown(posted.wanted.key, posted.wanted.key, posted.revision)


async def silent(outage: Outage, *channels: str, ago: float = 0.0) -> None:
    """Let it not answer, `ago` seconds ago."""
    await outage.silent(DOWN, channels, time.monotonic() - ago)


async def test_a_short_silence_is_nobodys_business(store: SqlStore) -> None:
    """Neither it nor its end is told."""
    outage = life(store, patience=20)
    await silent(outage, "C1", ago=19)
    assert outage.lasts
    await outage.answers()
    assert await told(store) == {}


async def test_a_silence_counts_from_when_the_cluster_was_asked(store: SqlStore) -> None:
    """Not from when the question was given up, which may be half a minute later."""
    outage = life(store, patience=20)
    await silent(outage, "C1", ago=21)
    assert len(await told(store)) == 1


async def test_each_channel_is_told_once_and_told_that_it_is_over(store: SqlStore) -> None:
    """In the thread of the first message."""
    outage = life(store)
    for _ in range(3):
        await silent(outage, "C1", "C2")
    assert sorted(await told(store)) == ["outage/alice/C1/1", "outage/alice/C2/1"]
    await post(store)
    await outage.answers()
    await outage.answers()
    after = await told(store)
    assert sorted(after) == ["outage/alice/C1/1/healed", "outage/alice/C2/1/healed"]
    assert after["outage/alice/C1/1/healed"] == "alice answers again, after less than 1 s."


async def test_a_channel_that_comes_later_is_told_too(store: SqlStore) -> None:
    """The first is not told again."""
    outage = life(store)
    await silent(outage, "C1")
    await post(store)
    await silent(outage, "C1", "C2")
    assert list(await told(store)) == ["outage/alice/C2/1"]


async def test_the_next_silence_is_another_message(store: SqlStore) -> None:
    """And so is its end."""
    outage = life(store)
    for _ in range(2):
        await silent(outage, "C1")
        await post(store)
        await outage.answers()
        await post(store)
    for number in (1, 2):
        assert await store.message(f"outage/alice/C1/{number}/healed") is not None


async def test_a_restart_in_the_middle_tells_nothing_twice(store: SqlStore) -> None:
    """The messages are the memory; the end tells how long it really was."""
    first = life(store)
    await silent(first, "C1")
    await post(store)
    since = await _since(store)
    second = life(store)
    await second.load(["C1"])
    await silent(second, "C1")
    assert await told(store) == {}
    await second.answers()
    healed = await store.message("outage/alice/C1/1/healed")
    assert healed is not None
    foot = healed.wanted.card.foot[0]
    assert [span.at for span in foot if isinstance(span, Moment)] == [since]


async def test_a_silence_that_ended_while_the_bot_was_away_is_told_to_be_over(
    store: SqlStore,
) -> None:
    """Once, whatever the number of restarts; until then people think that it lasts."""
    await silent(life(store), "C1")
    await post(store)
    second = life(store)
    await second.load(["C1"])
    assert second.lasts
    await second.answers()
    assert list(await told(store)) == ["outage/alice/C1/1/healed"]
    await post(store)
    third = life(store)
    await third.load(["C1"])
    assert not third.lasts
    await third.answers()
    assert await told(store) == {}


async def test_a_channel_that_nobody_named_at_the_start_is_not_told_twice(store: SqlStore) -> None:
    """Its jobs may be newer than the restart."""
    await silent(life(store), "C1")
    await post(store)
    second = life(store)
    await second.load([])
    await silent(second, "C1")
    assert await told(store) == {}
    await second.answers()
    assert list(await told(store)) == ["outage/alice/C1/1/healed"]


async def test_what_was_wanted_and_not_told_yet_counts(store: SqlStore) -> None:
    """Slack may be away as well."""
    await silent(life(store), "C1")
    second = life(store)
    await second.load(["C1"])
    await silent(second, "C1")
    await second.answers()
    assert list(await told(store)) == ["outage/alice/C1/1"]
    await post(store)
    assert list(await told(store)) == ["outage/alice/C1/1/healed"]


async def _since(store: SqlStore) -> datetime:
    posted = await store.message("outage/alice/C1/1")
    assert posted is not None
    [since] = [span.at for span in posted.wanted.card.lead if isinstance(span, Moment)]
    assert datetime.now(UTC) - since < timedelta(minutes=1)
    return since
