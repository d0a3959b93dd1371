"""Slack's door: cards go out, come back by their key, and each error means something."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from slack_sdk.web.async_client import AsyncWebClient

from bot.card import Card
from bot.demo.slack.manifest import load
from bot.demo.slack.model import Message
from bot.demo.slack.rate import Limit, Rates
from bot.demo.slack.server import LocalSlack, assemble
from bot.demo.slack.workspace import ADMIN, TRAINING
from bot.errors import ChatError, ChatRateLimited, ChatUnreachable, MessageRefused
from bot.redact import redact_card
from handlers.chat import PASSING, SlackChat

MANIFEST = Path(__file__).parents[2] / "manifest.yml"
CARD = Card(lead=("hello",))


@dataclass
class Line:
    """A Slack and the door to it."""

    slack: LocalSlack
    chat: SlackChat

    def shown(self) -> list[Message]:
        """What the channel holds, oldest first."""
        messages = self.slack.platform.workspace.channels[TRAINING].messages.values()
        return sorted(messages, key=lambda message: message.ts)

    def fault(self, action: str, method: str = "chat.postMessage") -> None:
        """Let the next call of a method go wrong."""
        self.slack.platform.faults.add({"method": method, "action": action, "seconds": 7})

    async def find(self, key: str, thread: str = "") -> str:
        """Look for a message of the last minute."""
        return await self.chat.find(TRAINING, thread, key, datetime.now(UTC))


@pytest.fixture
async def line() -> AsyncIterator[Line]:
    """A local Slack and Slack's own client, which repeats nothing."""
    platform = assemble(load(MANIFEST), rates=Rates(per_channel=Limit(60, 30)))
    async with LocalSlack(platform) as slack, aiohttp.ClientSession() as session:
        client = AsyncWebClient(
            token=platform.identity.bot_token,
            base_url=slack.api,
            session=session,
            retry_handlers=[],
        )
        yield Line(slack, SlackChat(client=client, redact=redact_card))


async def test_a_card_is_posted_and_updated_under_its_key(line: Line) -> None:
    """The key travels in the metadata, also with an update, which would drop it otherwise."""
    ts = await line.chat.post(TRAINING, "", CARD, "request/1")
    await line.chat.update(TRAINING, ts, Card(lead=("bye",)), "request/1")

    [message] = line.shown()
    assert (message.ts, message.text, message.thread_ts) == (ts, "bye", None)
    assert message.metadata == {
        "event_type": "sbatchat_message",
        "event_payload": {"key": "request/1"},
    }


async def test_a_message_is_found_by_its_key_where_it_was_posted(line: Line) -> None:
    """In the channel or in the thread; a key that is the start of another is another."""
    root = await line.chat.post(TRAINING, "", CARD, "request/1")
    reply = await line.chat.post(TRAINING, root, CARD, "request/1/ended")

    assert await line.find("request/1") == root
    assert await line.find("request/1/ended", root) == reply
    assert await line.find("request/1/ended") == ""
    assert await line.find("request") == ""


async def test_a_message_is_found_behind_many_others(line: Line) -> None:
    """Slack gives two hundred at a time."""
    ts = await line.chat.post(TRAINING, "", CARD, "request/1")
    workspace = line.slack.platform.workspace
    for _ in range(450):
        workspace.add(Message(ts=workspace.clock.ts(), channel=TRAINING, user=ADMIN, text="chat"))

    assert await line.find("request/1") == ts


async def test_what_was_posted_long_before_is_not_looked_at(line: Line) -> None:
    """A search goes back to the beginning of the post, and a minute more for the clocks."""
    await line.chat.post(TRAINING, "", CARD, "request/1")
    later = datetime.now(UTC) + timedelta(minutes=2)

    assert await line.chat.find(TRAINING, "", "request/1", later) == ""


@pytest.mark.parametrize(
    ("action", "error", "arrived"),
    [
        ("429", ChatRateLimited, 0),
        ("500", ChatUnreachable, 0),
        ("drop_before", ChatUnreachable, 0),
        ("accept_then_drop", ChatUnreachable, 1),
        ("accept_then_500", ChatUnreachable, 1),
    ],
)
async def test_a_failed_post_says_whether_anybody_knows_that_it_arrived(
    line: Line, action: str, error: type[ChatError], arrived: int
) -> None:
    """A rate limit means that it did not; anything else means that nobody knows. No repeating."""
    line.fault(action)

    with pytest.raises(error):
        await line.chat.post(TRAINING, "", CARD, "request/1")

    assert len(line.shown()) == arrived


async def test_a_rate_limit_says_how_long_to_wait(line: Line) -> None:
    """As Slack's header does."""
    line.fault("429", "chat.update")

    with pytest.raises(ChatRateLimited) as limited:
        await line.chat.update(TRAINING, "1.0", CARD, "request/1")

    assert limited.value.retry_after == 7


@pytest.mark.parametrize(
    ("channel", "ts", "code"),
    [("C0NOWHERE", "1.0", "channel_not_found"), (TRAINING, "1.0", "message_not_found")],
)
async def test_what_slack_will_never_take_carries_its_code(
    line: Line, channel: str, ts: str, code: str
) -> None:
    """Whoever sends it again gets the same answer."""
    with pytest.raises(MessageRefused) as refused:
        await line.chat.update(channel, ts, CARD, "request/1")

    assert refused.value.code == code


@asynccontextmanager
async def answering(body: str) -> AsyncIterator[SlackChat]:
    """The door to a server that answers every call the same."""

    async def answer(_request: web.Request) -> web.Response:
        return web.Response(text=body, content_type="application/json")

    app = web.Application()
    app.router.add_post("/api/{method}", answer)
    async with TestServer(app) as server, aiohttp.ClientSession() as session:
        client = AsyncWebClient(
            token="none",  # noqa: S106 - nobody asks for it
            base_url=str(server.make_url("/api/")),
            session=session,
            retry_handlers=[],
        )
        yield SlackChat(client=client, redact=redact_card)


@pytest.mark.parametrize("code", sorted(PASSING))
async def test_a_code_that_blames_slack_itself_is_no_refusal(code: str) -> None:
    """The same message is taken a little later."""
    async with answering(json.dumps({"ok": False, "error": code})) as chat:
        with pytest.raises(ChatUnreachable):
            await chat.post(TRAINING, "", CARD, "request/1")


async def test_an_answer_that_is_no_json_leaves_the_outcome_open() -> None:
    """A proxy in between speaks HTML."""
    async with answering("<html>Bad gateway</html>") as chat:
        with pytest.raises(ChatUnreachable):
            await chat.post(TRAINING, "", CARD, "request/1")


async def test_a_slack_that_is_not_there_leaves_the_outcome_open() -> None:
    """Nobody listens."""
    client = AsyncWebClient(base_url="http://127.0.0.1:9/api/", retry_handlers=[])

    with pytest.raises(ChatUnreachable):
        await SlackChat(client=client, redact=redact_card).post(TRAINING, "", CARD, "request/1")


async def test_a_secret_is_taken_out_of_the_notification_too(line: Line) -> None:
    """The text is made from the card that was redacted."""
    token = "hf_" + "aB3" * 11
    await line.chat.post(TRAINING, "", Card(title=token, lead=(token,)), "request/1")

    [message] = line.shown()
    assert "[redacted]" in message.text
    assert token not in f"{message.text}{message.blocks}"
