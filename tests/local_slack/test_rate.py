"""Rate limits: on by default, at realistic numbers, per channel and per method."""

from __future__ import annotations

import asyncio
import time

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient

from bot.demo.slack.rate import PER_CHANNEL, TIERS, Limit, Rates
from bot.demo.slack.server import LocalSlack
from bot.demo.slack.workspace import PRIVATE, TRAINING
from tests.local_slack.conftest import Hands


async def test_a_burst_in_one_channel_is_stopped(client: AsyncWebClient) -> None:
    """About one message a second; another channel is not held up."""
    for number in range(PER_CHANNEL.burst):
        await client.chat_postMessage(channel=TRAINING, text=f"{number}")
    with pytest.raises(SlackApiError) as refused:
        await client.chat_postMessage(channel=TRAINING, text="too fast")
    response = refused.value.response
    assert response["error"] == "ratelimited"
    assert response.status_code == 429
    assert response.headers["retry-after"] == "1"
    assert (await client.chat_postMessage(channel=PRIVATE, text="elsewhere"))["ok"]


async def test_waiting_as_told_is_enough(client: AsyncWebClient, hands: Hands) -> None:
    """Slack's own retry handler gets every message through."""
    client.retry_handlers.append(AsyncRateLimitErrorRetryHandler(max_retry_count=3))
    started = time.monotonic()
    for number in range(PER_CHANNEL.burst + 1):
        await client.chat_postMessage(channel=TRAINING, text=f"{number}")
    assert time.monotonic() - started >= 0.9
    assert len(await hands.messages(TRAINING)) == PER_CHANNEL.burst + 1


async def test_updates_are_tier_three(client: AsyncWebClient, slack: LocalSlack) -> None:
    """Fifty a minute for the whole workspace."""
    assert TIERS[3].per_minute == 50
    ts = (await client.chat_postMessage(channel=TRAINING, text="x"))["ts"]
    for number in range(TIERS[3].burst):
        await client.chat_update(channel=TRAINING, ts=ts, text=f"{number}")
    with pytest.raises(SlackApiError, match="ratelimited"):
        await client.chat_update(channel=TRAINING, ts=ts, text="x")


async def test_limits_can_be_switched_off(client: AsyncWebClient, hands: Hands) -> None:
    """For tests about something else."""
    await hands.do("faults", rate_limits=False)
    for number in range(PER_CHANNEL.burst * 3):
        await client.chat_postMessage(channel=TRAINING, text=f"{number}")
    await hands.do("faults", rate_limits=True)
    assert len(await hands.messages(TRAINING)) == PER_CHANNEL.burst * 3


async def test_a_bucket_refills_evenly() -> None:
    """Ten a second, one at once."""
    rates = Rates()
    limit = Limit(600, 1)
    assert rates.take("key", limit) is None
    assert rates.take("key", limit) == 1
    await asyncio.sleep(0.11)
    assert rates.take("key", limit) is None
