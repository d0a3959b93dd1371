"""Signed HTTP: Slack's handshake, signatures and retries, judged by Bolt's own verification."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.demo.slack.server import LocalSlack
from bot.demo.slack.workspace import RESEARCHER, TRAINING
from tests.local_slack.conftest import Hands, until
from tests.local_slack.samples import actions, button

SLASH = {"user_id": RESEARCHER, "channel_id": TRAINING, "command": "/slurm", "text": "jobs"}


class Receiver:
    """A web server with a Bolt app behind it."""

    def __init__(self, app: AsyncApp) -> None:
        self.app = app
        self.headers: list[Any] = []
        self.failures = 0  # how many requests to answer 500

    async def serve(self, request: web.Request) -> web.Response:
        """Hand the request to Bolt, which verifies the signature."""
        self.headers.append(request.headers)
        if self.failures > 0:
            self.failures -= 1
            return web.Response(status=500)
        answer = await self.app.async_dispatch(await to_bolt_request(request))
        return await to_aiohttp_response(answer)


async def listen(receiver: Receiver) -> tuple[web.AppRunner, str]:
    """Start it on a free port."""
    server = web.Application()
    server.router.add_post("/slack/events", receiver.serve)
    runner = web.AppRunner(server)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    return runner, f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events"


@pytest.fixture
async def receiver(
    slack: LocalSlack, client: AsyncWebClient, hands: Hands
) -> AsyncIterator[Receiver]:
    """A Bolt app that the local Slack delivers to."""
    app = AsyncApp(client=client, signing_secret=slack.platform.identity.signing_secret)
    running = Receiver(app)
    runner, url = await listen(running)
    assert (await hands.do("request_url", url=url))["ok"]
    running.headers.clear()
    yield running
    await runner.cleanup()


async def test_a_command_is_posted_and_the_body_is_the_answer(
    receiver: Receiver, hands: Hands
) -> None:
    """Bolt accepts the signature."""

    async def on_slurm(ack: Any, command: Any) -> None:
        await ack(f"looking at {command['text']}")

    receiver.app.command("/slurm")(on_slurm)
    done = await hands.do("slash", **SLASH)
    assert done["acked"]
    assert done["ack"] == "looking at jobs"
    (message,) = await hands.messages(TRAINING)
    assert message["text"] == "looking at jobs"


async def test_a_click_is_posted_as_a_form(receiver: Receiver, hands: Hands) -> None:
    """With the payload as JSON in one field."""
    clicked: list[Any] = []

    async def on_go(ack: Any, action: Any) -> None:
        await ack()
        clicked.append(action["value"])

    receiver.app.action("go")(on_go)
    posted = await receiver.app.client.chat_postMessage(
        channel=TRAINING, text="x", blocks=[actions(button(value="7"))]
    )
    done = await hands.do(
        "click", user_id=RESEARCHER, channel_id=TRAINING, message_ts=posted["ts"], action_id="go"
    )
    assert done["acked"]
    assert clicked == ["7"]


async def test_an_event_is_retried_with_its_number(receiver: Receiver, hands: Hands) -> None:
    """After each answer that is not 200."""
    heard: list[str] = []

    async def on_mention(event: Any) -> None:
        heard.append(event["text"])

    receiver.app.event("app_mention")(on_mention)
    receiver.failures = 2
    await hands.do("message", user_id=RESEARCHER, channel_id=TRAINING, text="<@U0LOCALBOT1> hi")
    await until(lambda: asyncio.sleep(0, heard), len)
    retries = [
        (one.get("X-Slack-Retry-Num"), one.get("X-Slack-Retry-Reason")) for one in receiver.headers
    ]
    assert retries == [(None, None), ("1", "http_error"), ("2", "http_error")]


async def test_a_wrong_secret_is_noticed(
    slack: LocalSlack, client: AsyncWebClient, hands: Hands
) -> None:
    """Bolt refuses the signature, so the handshake fails and nothing changes."""
    runner, url = await listen(Receiver(AsyncApp(client=client, signing_secret="another")))  # noqa: S106 - not the one
    refused = await hands.do("request_url", url=url)
    assert refused["error"] == "url_verification_failed"
    assert slack.platform.request_url is None
    await runner.cleanup()


async def test_a_server_that_fails_or_is_gone_is_told(receiver: Receiver, hands: Hands) -> None:
    """In Slack's words."""
    receiver.failures = 1
    assert "http_service_error" in (await hands.do("slash", **SLASH))["error"]
    assert (await hands.do("request_url", url=None))["ok"]
    assert "dispatch_failed" in (await hands.do("slash", **SLASH))["error"]
    gone = await hands.do("request_url", url="http://127.0.0.1:9/")
    assert gone["error"] == "url_verification_failed"
