"""Every error code that the local Slack has, with a payload that it refuses."""

from __future__ import annotations

from typing import Any

import aiohttp
import pytest

from bot.demo.slack.errors import CODES
from bot.demo.slack.server import LocalSlack
from tests.local_slack.refusal import Refusal
from tests.local_slack.refused_calls import CALLS
from tests.local_slack.refused_messages import MESSAGES

REFUSALS = (*MESSAGES, *CALLS)


async def call(slack: LocalSlack, session: aiohttp.ClientSession, one: Refusal) -> dict[str, Any]:
    """Send the payload with the right kind of token."""
    identity = slack.platform.identity
    bearer = identity.bot_token if one.bearer is None else one.bearer
    headers = {"Authorization": f"Bearer {bearer}"} if bearer else {}
    address = f"{slack.api}{one.method}"
    if one.raw is not None:
        headers["Content-Type"] = one.content_type
        request = session.post(address, data=one.raw, headers=headers)
    else:
        request = session.post(address, json=one.arguments(slack), headers=headers)
    async with request as answer:
        return dict(await answer.json())


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda one: f"{one.code}: {one.why}")
async def test_slack_refuses(
    slack: LocalSlack, session: aiohttp.ClientSession, refusal: Refusal
) -> None:
    """With the code that Slack uses."""
    answer = await call(slack, session, refusal)
    assert answer["ok"] is False
    assert answer["error"] == refusal.code


#: tested where more than one call is needed
ELSEWHERE = {
    "already_reacted": "test_web_api",
    "duplicate_external_id": "test_views",
    "exchanged_trigger_id": "test_views",
    "expired_trigger_id": "test_views",
    "expired_url": "test_response_urls",
    "hash_conflict": "test_views",
    "invalid_payload": "test_response_urls",
    "invalid_response_type": "test_response_urls",
    "name_taken": "test_control",
    "invalid_name_maxlength": "test_control",
    "invalid_name_required": "test_control",
    "invalid_name_specials": "test_control",
    "no_such_url": "test_response_urls",
    "not_enabled": "test_views",
    "push_limit_reached": "test_views",
    "ratelimited": "test_rate",
    "used_url": "test_response_urls",
    "invalid_thread_ts": "test_uploads",
}


def test_no_code_is_left_without_a_test() -> None:
    """A code that is added without a payload that it refuses fails here."""
    assert {one.code for one in REFUSALS} | set(ELSEWHERE) == set(CODES)


@pytest.mark.parametrize(("code", "module"), ELSEWHERE.items())
def test_a_code_that_is_tested_elsewhere_is_named_there(code: str, module: str) -> None:
    """So that this list cannot hide a gap."""
    path = __file__.replace("test_errors", module)
    with open(path, encoding="utf-8") as source:  # noqa: PTH123 - one line of a test
        assert f'"{code}"' in source.read()
