"""Response URLs: five uses in thirty minutes, replace, delete, who sees it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.demo.slack.manifest import Manifest
from bot.demo.slack.response_urls import SECONDS, USES, ResponseUrls
from bot.demo.slack.server import LocalSlack, assemble
from bot.demo.slack.workspace import RESEARCHER, TRAINING
from tests.local_slack.conftest import Hands
from tests.local_slack.samples import section


def address(slack: LocalSlack, message_ts: str | None = None) -> str:
    """A fresh response URL."""
    key = slack.platform.response_urls.issue(RESEARCHER, TRAINING, message_ts)
    return f"{slack.platform.base_url}/response/{key}"


async def test_the_sixth_use_is_refused(slack: LocalSlack, hands: Hands) -> None:
    """Slack's own webhook client sees a 404."""
    assert (USES, SECONDS) == (5, 1800)
    webhook = AsyncWebhookClient(address(slack))
    for number in range(5):
        answer = await webhook.send(text=f"{number}")
        assert (answer.status_code, answer.body) == (200, "ok")
    refused = await webhook.send(text="too many")
    assert refused.status_code == 404
    assert '"used_url"' in refused.body
    assert len(await hands.messages(TRAINING)) == 5


@pytest.fixture
async def hasty(manifest: Manifest) -> AsyncIterator[LocalSlack]:
    """A Slack whose response URLs last a twentieth of a second."""
    urls = ResponseUrls(seconds=0.05)
    async with LocalSlack(assemble(manifest, response_urls=urls)) as running:
        yield running


async def test_a_url_runs_out(hasty: LocalSlack) -> None:
    """After thirty minutes, here a twentieth of a second."""
    webhook = AsyncWebhookClient(address(hasty))
    await asyncio.sleep(0.06)
    answer = await webhook.send(text="late")
    assert answer.status_code == 404
    assert '"expired_url"' in answer.body


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("not json", "invalid_payload"),
        ("[]", "invalid_payload"),
        ("{}", "no_text"),
        ('{"text": "x", "response_type": "shout"}', "invalid_response_type"),
        ('{"blocks": [{"type": "nonsense"}]}', "invalid_blocks"),
    ],
)
async def test_a_bad_body_is_refused(
    slack: LocalSlack, session: aiohttp.ClientSession, body: str, code: str
) -> None:
    """With Slack's code and status 400."""
    async with session.post(address(slack), data=body) as answer:
        assert answer.status == 400
        assert (await answer.json())["error"] == code


async def test_an_invented_url_is_refused(
    slack: LocalSlack, session: aiohttp.ClientSession
) -> None:
    """404."""
    async with session.post(f"{slack.platform.base_url}/response/x", json={"text": "x"}) as answer:
        assert answer.status == 404
        assert (await answer.json())["error"] == "no_such_url"


@pytest.mark.parametrize(
    ("more", "for_whom"), [({}, RESEARCHER), ({"response_type": "in_channel"}, None)]
)
async def test_an_answer_is_ephemeral_unless_told(
    slack: LocalSlack, hands: Hands, more: dict[str, Any], for_whom: str | None
) -> None:
    """`response_type` decides."""
    await AsyncWebhookClient(address(slack)).send(text="x", **more)
    (message,) = await hands.messages(TRAINING)
    assert message["ephemeral"] == for_whom


async def test_the_original_is_replaced_or_deleted(
    slack: LocalSlack, client: AsyncWebClient, hands: Hands
) -> None:
    """Only when told to, for a message that everybody sees."""
    ts = (await client.chat_postMessage(channel=TRAINING, text="original"))["ts"]
    webhook = AsyncWebhookClient(address(slack, ts))
    await webhook.send(text="beside")
    assert [one["text"] for one in await hands.messages(TRAINING)] == ["original", "beside"]
    await webhook.send(text="instead", replace_original=True)
    assert [one["text"] for one in await hands.messages(TRAINING)] == ["instead", "beside"]
    await webhook.send(delete_original=True)
    assert [one["text"] for one in await hands.messages(TRAINING)] == ["beside"]


async def test_an_ephemeral_original_is_replaced(
    slack: LocalSlack, client: AsyncWebClient, hands: Hands
) -> None:
    """That is the only way to change one."""
    shown = await client.chat_postEphemeral(channel=TRAINING, user=RESEARCHER, text="sure?")
    await AsyncWebhookClient(address(slack, shown["message_ts"])).send(
        text="done", replace_original=True
    )
    (message,) = await hands.messages(TRAINING)
    assert (message["text"], message["ephemeral"]) == ("done", RESEARCHER)


async def test_the_limit_over_all_blocks_does_not_count_here(
    slack: LocalSlack, hands: Hands
) -> None:
    """The same blocks are too long for chat.postMessage."""
    blocks = [section("x" * 2500)] * 5
    answer = await AsyncWebhookClient(address(slack)).send(text="x", blocks=blocks)
    assert answer.status_code == 200
    assert len(await hands.messages(TRAINING)) == 1
