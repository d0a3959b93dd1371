"""The control interface serves this machine and no other web site."""

from __future__ import annotations

import aiohttp
import pytest

from bot.demo.slack.server import LocalSlack
from bot.demo.slack.workspace import RESEARCHER, TRAINING


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "https://evil.example"}, {"Host": "evil.example"}, {"Origin": "null"}],
)
async def test_another_site_is_refused(
    slack: LocalSlack, session: aiohttp.ClientSession, headers: dict[str, str]
) -> None:
    """By its origin, or by a name that was made to point here."""
    address = f"{slack.platform.base_url}/_local/message"
    body = {"user_id": RESEARCHER, "channel_id": TRAINING, "text": "x"}
    async with session.post(address, json=body, headers=headers) as answer:
        assert answer.status == 403
    assert slack.platform.workspace.channels[TRAINING].messages == {}


async def test_the_page_runs_no_scripts_but_its_own(
    slack: LocalSlack, session: aiohttp.ClientSession
) -> None:
    """The browser is told so."""
    async with session.get(slack.page) as answer:
        policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
