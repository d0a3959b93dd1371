"""The outbox makes the chat agree with the store, once each, at its pace."""

from __future__ import annotations

import asyncio
import itertools
import logging
import sqlite3
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from typing_extensions import override

from bot.errors import ChatUnreachable, MessageRefused
from bot.pace import Pace
from bot.ports import Posted
from bot.store.sql_store import SqlStore
from tests.unit.fake_chat import FakeChat, Fault, limited, lost, unanswered
from tests.unit.store.makers import wanted
from tests.unit.telling import PACE, running, settled, tell, until


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqlStore]:
    """An open store."""
    async with SqlStore(f"sqlite:///{tmp_path}/bot.db", patience=0.05) as opened:
        yield opened


@pytest.fixture
def chat() -> FakeChat:
    """A chat in which nothing was said yet."""
    return FakeChat()


async def test_a_wanted_message_is_posted_at_once(store: SqlStore, chat: FakeChat) -> None:
    """It takes a wake, not a period."""
    async with running(store, chat) as outbox:
        await asyncio.sleep(0.05)
        await store.want(wanted())
        began = asyncio.get_running_loop().time()
        outbox.wake()
        await until(lambda: bool(chat.messages))
        assert chat.messages[0].at - began < 1
        await until(lambda: settled(store))
    assert chat.shown() == [("request/r1", "waits")]
    assert await store.message_at("C1", chat.messages[0].ts) == "request/r1"


async def test_what_was_wanted_before_the_start_is_posted(store: SqlStore, chat: FakeChat) -> None:
    """The database is the state."""
    await store.want(wanted())
    async with running(store, chat):
        await until(lambda: settled(store))
    assert chat.shown() == [("request/r1", "waits")]


async def test_an_answer_goes_under_its_parent(store: SqlStore, chat: FakeChat) -> None:
    """It waits until the parent's ts is known."""
    async with running(store, chat) as outbox:
        await tell(store, outbox, wanted("root"), wanted("answer", parent="root"))
    assert chat.of("answer").thread == chat.of("root").ts


async def test_an_answer_to_a_refused_parent_is_refused(store: SqlStore, chat: FakeChat) -> None:
    """Nothing waits for ever."""
    chat.refusing["C1"] = MessageRefused("not_in_channel")
    async with running(store, chat) as outbox:
        await tell(store, outbox, wanted("root"), wanted("answer", parent="root"))
    answer = await store.message("answer")
    assert answer is not None
    assert answer.refused == "not_in_channel"
    assert chat.count("post") == 1


async def test_many_cards_become_few_updates_and_the_last_one(
    store: SqlStore, chat: FakeChat
) -> None:
    """Updates of one message keep their distance; what came between is never told."""
    async with running(store, chat) as outbox:
        await tell(store, outbox, wanted(lead="0"))
        for number in range(1, 60):
            await store.want(wanted(lead=str(number)))
            outbox.wake()
            await asyncio.sleep(0.005)
        await until(lambda: settled(store))
    message = chat.of("request/r1")
    assert message.lead == "59"
    assert 1 <= len(message.edits) < 12
    times = [message.at + PACE.settle - PACE.update, *message.edits]
    assert all(b - a > PACE.update - 0.01 for a, b in itertools.pairwise(times))


async def test_a_burst_to_one_channel_is_paced_and_in_order(
    store: SqlStore, chat: FakeChat
) -> None:
    """The others one period apart, none lost and none twice."""
    keys = [f"m{number:02}" for number in range(20)]
    async with running(store, chat) as outbox:
        await tell(store, outbox, *(wanted(key) for key in keys))
    assert [message.key for message in chat.messages] == keys
    times = [message.at for message in chat.messages]
    for early, late in zip(times, times[PACE.burst :], strict=False):
        assert late - early > PACE.post - 0.01
    assert times[-1] - times[0] > (len(keys) - PACE.burst) * PACE.post - 0.02


async def test_a_quiet_channel_takes_a_few_posts_at_once(store: SqlStore, chat: FakeChat) -> None:
    """A root message and its first answers do not wait for each other."""
    pace = Pace(post=2.0, burst=3)
    async with running(store, chat, pace) as outbox:
        await tell(store, outbox, *(wanted(f"m{number}") for number in range(4)))
    times = [message.at for message in chat.messages]
    assert times[2] - times[0] < pace.post < times[3] - times[0] + 0.01


async def test_a_slow_channel_does_not_hold_the_others(store: SqlStore, chat: FakeChat) -> None:
    """Channels go side by side."""
    chat.faults["post"] = [Fault(None, hang=60)]
    async with running(store, chat) as outbox:
        await store.want(wanted("slow"), wanted("next"), wanted("other", channel="C2"))
        outbox.wake()
        await until(lambda: any(m.key == "other" for m in chat.messages))
        await asyncio.sleep(3 * PACE.post)
        assert "next" not in [m.key for m in chat.messages]
    async with running(store, chat):
        await until(lambda: settled(store))
    assert sorted(m.key for m in chat.messages) == ["next", "other", "slow"]


async def test_a_limited_channel_rests_as_long_as_asked(store: SqlStore, chat: FakeChat) -> None:
    """The others do not, and nothing is looked for, since nothing happened."""
    chat.faults["post"] = [limited(0.4)]
    async with running(store, chat, replace(PACE, burst=1)) as outbox:
        await tell(store, outbox, wanted("a"), wanted("b"), wanted("other", channel="C2"))
    posts = {key: at for method, key, at in chat.calls if method == "post"}
    first = chat.calls[0][2]
    assert posts["other"] < posts["a"]
    assert posts["a"] - first > 0.39
    assert posts["b"] - posts["a"] > PACE.post - 0.01
    assert chat.count("find") == 0
    assert sorted(key for key, _ in chat.shown()) == ["a", "b", "other"]


async def test_a_limited_update_lets_all_updates_rest_and_no_posts(
    store: SqlStore, chat: FakeChat
) -> None:
    """Slack counts updates over all channels."""
    async with running(store, chat) as outbox:
        await tell(store, outbox, wanted("a"), wanted("b", channel="C2"))
        await asyncio.sleep(PACE.settle)
        chat.faults["update"] = [limited(0.4)]
        await store.want(wanted("a", "two"))
        outbox.wake()
        await until(lambda: chat.count("update") == 1)
        began = chat.calls[-1][2]
        await tell(store, outbox, wanted("b", "two", channel="C2"), wanted("c"))
    assert chat.of("c").at < chat.of("a").edits[0]
    assert chat.of("a").edits[0] - began > 0.39
    assert chat.of("b").edits[0] - began > 0.39


async def test_updates_that_are_too_many_go_one_by_one(store: SqlStore, chat: FakeChat) -> None:
    """Slack is not asked again and again what it has just refused."""
    keys = [f"m{number}" for number in range(10)]
    pace = replace(PACE, burst=10, crowded=0.1)
    async with running(store, chat, pace) as outbox:
        await tell(store, outbox, *(wanted(key) for key in keys))
        await asyncio.sleep(PACE.settle)
        chat.faults["update"] = [limited(0.1) for _ in range(pace.abreast)]
        await tell(store, outbox, *(wanted(key, "two") for key in keys))
    assert {lead for _, lead in chat.shown()} == {"two"}
    assert chat.count("update") == len(keys) + pace.abreast
    times = sorted(message.edits[0] for message in chat.messages)
    assert all(b - a > pace.crowded - 0.01 for a, b in itertools.pairwise(times))


@pytest.mark.parametrize("fault", [lost(), unanswered()], ids=["lost", "unanswered"])
async def test_a_post_of_unknown_outcome_is_there_once(
    store: SqlStore, chat: FakeChat, fault: Fault
) -> None:
    """The channel is looked at before it is posted again."""
    chat.faults["post"] = [fault]
    async with running(store, chat) as outbox:
        await tell(store, outbox, wanted("a"), wanted("b"))
    assert chat.shown() == [("a", "waits"), ("b", "waits")]
    assert chat.count("post") == (2 if fault.arrives else 3)
    looked = next(at for method, _, at in chat.calls if method == "find")
    assert looked - chat.calls[0][2] > PACE.grace - 0.01


async def test_a_post_that_arrives_late_is_there_once(store: SqlStore, chat: FakeChat) -> None:
    """After the first look and before the second."""
    chat.faults["post"] = [Fault(ChatUnreachable(), late=1.5 * PACE.grace)]
    async with running(store, chat) as outbox:
        await tell(store, outbox, wanted())
    assert chat.shown() == [("request/r1", "waits")]
    assert (chat.count("post"), chat.count("find")) == (1, 2)


async def test_an_answer_is_looked_for_in_its_thread(store: SqlStore, chat: FakeChat) -> None:
    """Threads are not in the channel's history."""
    async with running(store, chat) as outbox:
        await tell(store, outbox, wanted("root"))
        chat.faults["post"] = [unanswered()]
        await tell(store, outbox, wanted("answer", parent="root"))
    assert chat.count("post") == 2
    assert chat.of("answer").thread == chat.of("root").ts


async def test_an_outage_loses_nothing(
    store: SqlStore, chat: FakeChat, caplog: pytest.LogCaptureFixture
) -> None:
    """Looks and updates fail too; it is said once when it begins and once when it ends."""
    async with running(store, chat) as outbox:
        await tell(store, outbox, wanted("a"))
        caplog.set_level(logging.INFO)
        for place in ("C1", "update C1", "find C1"):
            chat.refusing[place] = ChatUnreachable()
        await store.want(wanted("a", "two"), wanted("b"), wanted("c"))
        outbox.wake()
        await asyncio.sleep(0.6)
        assert chat.shown() == [("a", "waits")]
        chat.refusing.clear()
        await until(lambda: settled(store))
    assert chat.shown() == [("a", "two"), ("b", "waits"), ("c", "waits")]
    said = [getattr(record, "action", "") for record in caplog.records]
    assert said.count("slack_trouble") == 1
    assert said.count("slack_well") == 1


@pytest.mark.parametrize("arrives", [False, True])
async def test_a_crash_in_mid_post_leaves_one_message(
    store: SqlStore, chat: FakeChat, *, arrives: bool
) -> None:
    """The next life looks first; and it tells the card that changed meanwhile."""
    chat.faults["post"] = [Fault(None if arrives else ChatUnreachable(), hang=60)]
    await store.want(wanted("a"), wanted("b"))
    async with running(store, chat):
        await until(lambda: chat.count("post") == 1)
    await store.want(wanted("a", "two"))
    async with running(store, chat):
        await until(lambda: settled(store))
    assert chat.shown() == [("a", "two"), ("b", "waits")]
    assert len(chat.of("a").edits) == (1 if arrives else 0)


async def test_a_found_post_that_is_still_right_is_not_edited(
    store: SqlStore, chat: FakeChat
) -> None:
    """Nobody sees that anything happened."""
    chat.faults["post"] = [unanswered()]
    async with running(store, chat) as outbox:
        await tell(store, outbox, wanted())
    assert chat.of("request/r1").edits == []


async def test_a_card_that_changes_during_its_post_is_told(store: SqlStore, chat: FakeChat) -> None:
    """The post shows the older one, the update the newer."""
    chat.faults["post"] = [Fault(None, hang=0.1)]
    async with running(store, chat) as outbox:
        await store.want(wanted(lead="one"))
        outbox.wake()
        await until(lambda: chat.count("post") == 1)
        await tell(store, outbox, wanted(lead="two"))
    assert chat.shown() == [("request/r1", "two")]


class SlowReads(SqlStore):
    """A store whose reads arrive late; what they say may have passed."""

    @override
    async def due(self, now: datetime) -> Sequence[Posted]:
        rows = await super().due(now)
        await asyncio.sleep(0.05)
        return rows


async def test_a_read_that_is_overtaken_by_a_post_does_not_double_it(
    tmp_path: Path, chat: FakeChat
) -> None:
    """A message that was on its way when the read began is left to the next read."""
    async with SlowReads(f"sqlite:///{tmp_path}/bot.db") as slow, running(slow, chat) as outbox:
        await slow.want(wanted())
        for _ in range(40):
            outbox.wake()
            await asyncio.sleep(0.005)
        await until(lambda: settled(slow))
    assert chat.shown() == [("request/r1", "waits")]


async def test_a_database_that_fails_after_a_post_does_not_double_it(
    store: SqlStore, chat: FakeChat, tmp_path: Path
) -> None:
    """The post is looked for when the database is back."""
    tool = sqlite3.connect(tmp_path / "bot.db")

    def lock() -> None:
        tool.execute("BEGIN IMMEDIATE")

    chat.faults["post"] = [Fault(None, meanwhile=lock)]
    async with running(store, chat) as outbox:
        await store.want(wanted())
        outbox.wake()
        await until(lambda: tool.in_transaction)
        await asyncio.sleep(0.4)
        tool.rollback()
        await until(lambda: settled(store))
    tool.close()
    assert chat.shown() == [("request/r1", "waits")]
    assert chat.count("post") == 1
