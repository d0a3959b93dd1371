"""An outbox at work, and waiting until it has nothing left to do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta

from bot.outbox import Outbox
from bot.pace import Pace
from bot.ports import Wanted
from bot.store.sql_store import SqlStore
from tests.unit.fake_chat import FakeChat

PACE = Pace(post=0.05, burst=3, update=0.12, settle=0.04, grace=0.06, longest=0.3)
"""Slack's own, some twenty-five times as fast."""


@asynccontextmanager
async def running(store: SqlStore, chat: FakeChat, pace: Pace = PACE) -> AsyncIterator[Outbox]:
    """Run an outbox as long as the block lasts; leaving it is a crash."""
    outbox = Outbox(store, chat, pace=pace)
    task = asyncio.create_task(outbox.run())
    try:
        yield outbox
    finally:
        assert not task.done(), "the outbox stopped by itself"
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def until(condition: Callable[[], bool | Awaitable[bool]], seconds: float = 10) -> None:
    """Wait for something to become true."""
    async with asyncio.timeout(seconds):
        while True:
            told = condition()
            if told if isinstance(told, bool) else await told:
                return
            await asyncio.sleep(0.005)


async def settled(store: SqlStore) -> bool:
    """Tell whether nothing is left to be told, now or later."""
    return not await store.due(datetime.now(UTC) + timedelta(days=1))


async def tell(store: SqlStore, outbox: Outbox, *messages: Wanted) -> None:
    """Want messages and wait until all is told."""
    await store.want(*messages)
    outbox.wake()
    await until(lambda: settled(store))
