"""Whatever goes wrong, in whatever order: each message is there once and shows its last card."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from bot.errors import ChatRateLimited, ChatUnreachable
from bot.pace import Pace
from bot.ports import Wanted
from bot.store.sql_store import SqlStore
from tests.unit.fake_chat import FakeChat, Fault
from tests.unit.store.makers import wanted
from tests.unit.telling import running, settled, until

PACE = Pace(post=0.01, burst=2, update=0.03, settle=0.01, grace=0.03, longest=0.1)


def _fault(dice: random.Random) -> Fault:
    return dice.choice(
        (
            Fault(None),
            Fault(None, hang=dice.uniform(0, 0.05)),
            Fault(ChatRateLimited(dice.uniform(0, 0.05))),
            Fault(ChatUnreachable()),
            Fault(ChatUnreachable(), arrives=True),
            Fault(ChatUnreachable(), arrives=True, hang=dice.uniform(0, 0.05)),
            # Late, but before the second look.
            Fault(ChatUnreachable(), late=dice.uniform(0, PACE.grace)),
        )
    )


def _messages(dice: random.Random) -> list[Wanted]:
    """Return roots in some channels, and answers under some of them, in a fair order."""
    roots = [wanted(f"root{n}", "0", channel=f"C{dice.randrange(3)}") for n in range(6)]
    answers = [
        wanted(f"answer{n}", "0", parent=root.key, channel=root.channel)
        for n, root in enumerate(dice.choices(roots, k=6))
    ]
    return roots + answers


async def _storm(store: SqlStore, chat: FakeChat, dice: random.Random) -> dict[str, str]:
    """Want things, break things, crash; return what each message must show in the end."""
    messages = _messages(dice)
    last: dict[str, str] = {}
    for life in range(6):
        for method in ("post", "update", "find"):
            chat.faults[method] = [_fault(dice) for _ in range(12)]
        async with running(store, chat, PACE) as outbox:
            for step in range(6):
                batch = [
                    wanted(one.key, f"{life}.{step}", channel=one.channel, parent=one.parent)
                    for one in dice.choices(messages, k=3)
                ]
                await store.want(*batch)
                last |= {one.key: f"{life}.{step}" for one in batch}
                outbox.wake()
                await asyncio.sleep(dice.uniform(0, 0.04))
    await store.want(*(one for one in messages if one.key not in last))
    return {one.key: last.get(one.key, "0") for one in messages}


@pytest.mark.parametrize("seed", range(12))
async def test_each_message_is_there_once_and_right(tmp_path: Path, seed: int) -> None:
    """Lost and late calls, limits, and a crash at any moment."""
    dice = random.Random(seed)  # noqa: S311  # a test that can be repeated
    chat = FakeChat()
    async with SqlStore(f"sqlite:///{tmp_path}/bot.db") as store:
        expected = await _storm(store, chat, dice)
        for method in ("post", "update", "find"):
            chat.faults[method] = []
        async with running(store, chat, PACE):
            await until(lambda: settled(store))
        assert sorted(chat.shown()) == sorted(expected.items())
        for message in chat.messages:
            row = await store.message(message.key)
            assert row is not None
            assert (row.ts, row.wanted.channel) == (message.ts, message.channel)
            parent = row.wanted.parent
            assert message.thread == (chat.of(parent).ts if parent else "")
