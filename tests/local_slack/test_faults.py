"""Faults on order: what a bot must survive, made to happen at a chosen call."""

from __future__ import annotations

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.demo.slack.server import LocalSlack
from bot.demo.slack.workspace import RESEARCHER, TRAINING
from tests.local_slack.conftest import Hands

POST = "chat.postMessage"


@pytest.fixture
def bare(slack: LocalSlack, session: aiohttp.ClientSession) -> AsyncWebClient:
    """A client that repeats nothing by itself."""
    token = slack.platform.identity.bot_token
    return AsyncWebClient(token=token, base_url=slack.api, session=session, retry_handlers=[])


async def test_a_429_says_how_long_to_wait(bare: AsyncWebClient, hands: Hands) -> None:
    """Once, then all is well again."""
    await hands.do("faults", rule={"method": POST, "action": "429", "seconds": 7})
    with pytest.raises(SlackApiError) as refused:
        await bare.chat_postMessage(channel=TRAINING, text="x")
    assert refused.value.response.headers["Retry-After"] == "7"
    assert (await bare.chat_postMessage(channel=TRAINING, text="x"))["ok"]


@pytest.mark.parametrize(
    ("action", "posted"),
    [
        ("500", 0),
        ("drop_before", 0),
        ("hang", 0),
        ("accept_then_500", 1),
        ("accept_then_drop", 1),
        ("accept_then_hang", 1),
    ],
)
async def test_a_fault_before_or_after_the_message_is_posted(
    bare: AsyncWebClient, hands: Hands, action: str, posted: int
) -> None:
    """The client sees a failure either way; only the channel tells which it was."""
    await hands.do("faults", rule={"method": POST, "action": action, "seconds": 0.02})
    with pytest.raises((SlackApiError, aiohttp.ClientError)):
        await bare.chat_postMessage(channel=TRAINING, text="x")
    assert len(await hands.messages(TRAINING)) == posted
    (call,) = (await hands.see("traffic"))["calls"]
    assert call["fault"] == action


async def test_a_delay_is_only_slow(bare: AsyncWebClient, hands: Hands) -> None:
    """The answer comes, later."""
    await hands.do("faults", rule={"method": POST, "action": "delay", "seconds": 0.05})
    assert (await bare.chat_postMessage(channel=TRAINING, text="x"))["ok"]
    (call,) = (await hands.see("traffic"))["calls"]
    assert call["ms"] >= 50


async def test_a_fault_can_wait_and_repeat(bare: AsyncWebClient, hands: Hands) -> None:
    """`after` calls pass, `times` are hit; a pattern names several methods."""
    await hands.do("faults", rule={"method": "chat.*", "action": "500", "after": 1, "times": 2})
    outcomes = []
    for _ in range(4):
        try:
            await bare.chat_postMessage(channel=TRAINING, text="x")
            outcomes.append("ok")
        except SlackApiError:
            outcomes.append("500")
    assert outcomes == ["ok", "500", "500", "ok"]


async def test_clear_ends_every_fault(bare: AsyncWebClient, hands: Hands) -> None:
    """One that was to last for ever."""
    await hands.do("faults", rule={"method": "*", "action": "500", "times": -1})
    with pytest.raises(SlackApiError):
        await bare.auth_test()
    await hands.do("faults", clear=True)
    assert (await bare.auth_test())["ok"]


@pytest.mark.parametrize("method", ["response_url", "upload"])
async def test_response_urls_and_uploads_can_fail_too(
    slack: LocalSlack, session: aiohttp.ClientSession, hands: Hands, method: str
) -> None:
    """Under names of their own."""
    await hands.do("faults", rule={"method": method, "action": "500"})
    key = slack.platform.response_urls.issue(RESEARCHER, TRAINING)
    path = f"response/{key}" if method == "response_url" else "upload/v1/x"
    async with session.post(f"{slack.platform.base_url}/{path}", json={"text": "x"}) as answer:
        assert answer.status == 500
    assert await hands.messages(TRAINING) == []


@pytest.mark.parametrize(
    "rule",
    [
        {"method": "*", "action": "explode"},
        {"method": "*"},
        {"method": "*", "action": "500", "colour": 1},
    ],
)
async def test_a_rule_that_makes_no_sense_is_refused(hands: Hands, rule: dict[str, object]) -> None:
    """And nothing is put in force."""
    assert (await hands.do("faults", rule=rule))["error"] == "bad_rule"
