"""Bots that are killed: the local Slack notices at once and serves the next one."""

from __future__ import annotations

import asyncio
import sys

from bot.demo.slack.server import LocalSlack
from bot.demo.slack.workspace import RESEARCHER, TRAINING
from tests.local_slack.conftest import Hands, until

BOT = """
import asyncio, sys
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

async def main(api, bot, app_level):
    app = AsyncApp(client=AsyncWebClient(token=bot, base_url=api))
    @app.command("/slurm")
    async def slurm(ack):
        await ack("served")
    await AsyncSocketModeHandler(app, app_level).start_async()

asyncio.run(main(*sys.argv[1:]))
"""


async def test_a_killed_bot_is_noticed_and_the_next_one_serves(
    slack: LocalSlack, hands: Hands
) -> None:
    """Three times over, with SIGKILL."""
    identity = slack.platform.identity
    command = {"user_id": RESEARCHER, "channel_id": TRAINING, "command": "/slurm", "text": ""}
    for _ in range(3):
        bot = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            BOT,
            slack.api,
            identity.bot_token,
            identity.app_token,
            stderr=asyncio.subprocess.DEVNULL,
        )
        await until(lambda: hands.see("info"), lambda info: info["bot"]["online"], seconds=20)
        assert (await hands.do("slash", **command))["ack"] == {"text": "served"}
        bot.kill()
        await bot.wait()
        await until(lambda: hands.see("info"), lambda info: not info["bot"]["online"])
        assert "dispatch_failed" in (await hands.do("slash", **command))["error"]
