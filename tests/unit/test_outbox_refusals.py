"""What the outbox does with what Slack will not take, and with time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.errors import MessageRefused
from bot.store.sql_store import SqlStore
from tests.unit.fake_chat import FakeChat, lost
from tests.unit.store.makers import wanted
from tests.unit.telling import running, settled, tell, until


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqlStore]:
    """An open store."""
    async with SqlStore(f"sqlite:///{tmp_path}/bot.db") as opened:
        yield opened


@pytest.fixture
def chat() -> FakeChat:
    """A chat in which nothing was said yet."""
    return FakeChat()


def _said(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [getattr(record, "action", "") for record in caplog.records]


@pytest.mark.parametrize("code", ["not_in_channel", "channel_not_found", "is_archived"])
async def test_a_refused_post_is_tried_once_and_said_once(
    store: SqlStore, chat: FakeChat, caplog: pytest.LogCaptureFixture, code: str
) -> None:
    """A newer card is tried again; the messages behind it are not held up."""
    chat.refusing["C1"] = MessageRefused(code)
    async with running(store, chat) as outbox:
        await tell(store, outbox, wanted("a"))
        await asyncio.sleep(0.2)
        assert chat.count("post") == 1
        assert _said(caplog).count("message_refused") == 1
        row = await store.message("a")
        assert row is not None
        assert row.refused == code
        chat.refusing.clear()
        await tell(store, outbox, wanted("b"))
        assert chat.shown() == [("b", "waits")]
        await tell(store, outbox, wanted("a", "two"))
    assert chat.shown() == [("b", "waits"), ("a", "two")]
    assert chat.count("find") == 0


@pytest.mark.parametrize("code", ["message_not_found", "cant_update_message"])
async def test_a_refused_update_is_tried_once(store: SqlStore, chat: FakeChat, code: str) -> None:
    """Somebody deleted the message; it is not posted again."""
    async with running(store, chat) as outbox:
        await tell(store, outbox, wanted("a"))
        chat.refusing["update C1"] = MessageRefused(code)
        await tell(store, outbox, wanted("a", "two"))
        await asyncio.sleep(0.3)
    assert (chat.count("post"), chat.count("update")) == (1, 1)


@pytest.mark.parametrize("code", ["msg_blocks_too_long", "invalid_blocks"])
async def test_a_card_that_slack_cannot_draw_is_our_error(
    store: SqlStore, chat: FakeChat, caplog: pytest.LogCaptureFixture, code: str
) -> None:
    """It is logged as one."""
    chat.refusing["C1"] = MessageRefused(code)
    async with running(store, chat) as outbox:
        await tell(store, outbox, wanted("a"))
    [record] = [r for r in caplog.records if r.levelno == logging.ERROR]
    assert getattr(record, "action", "") == "card_refused"
    assert code in record.message


@pytest.mark.parametrize("code", ["invalid_auth", "token_revoked", "account_inactive"])
async def test_a_bot_that_is_locked_out_loses_nothing(
    store: SqlStore, chat: FakeChat, caplog: pytest.LogCaptureFixture, code: str
) -> None:
    """When the token is good again, all is told."""
    async with running(store, chat) as outbox:
        await tell(store, outbox, wanted("a"))
        for place in ("C1", "update C1"):
            chat.refusing[place] = MessageRefused(code)
        await store.want(wanted("a", "two"), wanted("b"))
        outbox.wake()
        await asyncio.sleep(0.5)
        assert len(chat.calls) < 8
        chat.refusing.clear()
        await until(lambda: settled(store))
    assert chat.shown() == [("a", "two"), ("b", "waits")]
    assert _said(caplog).count("slack_trouble") == 1


async def test_a_place_that_may_not_be_looked_at_gets_the_post_again(
    store: SqlStore, chat: FakeChat
) -> None:
    """Twice is better than never."""
    async with running(store, chat) as outbox:
        chat.refusing["find C1"] = MessageRefused("missing_scope")
        chat.faults["post"] = [lost()]
        await tell(store, outbox, wanted("a"))
    assert chat.shown() == [("a", "waits")]


async def test_a_card_that_breaks_the_chat_does_not_silence_the_rest(
    store: SqlStore, chat: FakeChat, caplog: pytest.LogCaptureFixture
) -> None:
    """The trace is in the log, and a newer card is looked for and tried."""
    chat.refusing["C1"] = ValueError("cannot draw")
    async with running(store, chat) as outbox:
        await tell(store, outbox, wanted("a"), wanted("b", channel="C2"))
        assert chat.shown() == [("b", "waits")]
        assert _said(caplog).count("message_broke") == 1
        chat.refusing.clear()
        await tell(store, outbox, wanted("a", "two"))
    assert chat.shown() == [("b", "waits"), ("a", "two")]
    assert chat.count("find") > 0


async def test_a_message_with_a_time_is_not_posted_before(store: SqlStore, chat: FakeChat) -> None:
    """What replaces it until then is what people see; others need not wait for it."""
    moment = datetime.now(UTC) + timedelta(seconds=0.5)
    async with running(store, chat) as outbox:
        await store.want(wanted("a", "one", not_before=moment), wanted("b"))
        outbox.wake()
        await until(lambda: bool(chat.messages))
        assert chat.shown() == [("b", "waits")]
        await tell(store, outbox, wanted("a", "two", not_before=moment))
        assert datetime.now(UTC) >= moment
    assert chat.shown() == [("b", "waits"), ("a", "two")]
    assert chat.of("a").edits == []
