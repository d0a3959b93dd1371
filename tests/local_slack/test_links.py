"""Connections of Socket Mode: opened, counted, cut, and what is in flight meanwhile."""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp
import pytest
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.demo.slack.server import LocalSlack
from bot.demo.slack.workspace import RESEARCHER, TRAINING
from tests.local_slack.conftest import Hands, until

SLASH = {"user_id": RESEARCHER, "channel_id": TRAINING, "command": "/slurm", "text": "jobs"}


async def raw_link(
    slack: LocalSlack, session: aiohttp.ClientSession
) -> aiohttp.client._WSRequestContextManager:
    """A connection without Bolt."""
    client = AsyncWebClient(base_url=slack.api, session=session)
    opened = await client.apps_connections_open(app_token=slack.platform.identity.app_token)
    return session.ws_connect(opened["url"])


async def test_an_event_that_nobody_takes_is_sent_again(
    slack: LocalSlack, hands: Hands, session: aiohttp.ClientSession
) -> None:
    """Three times more, each with its number."""
    slack.platform.courier.ack_seconds = 0.03
    async with await raw_link(slack, session) as link:
        await link.receive_json()
        await hands.do(
            "message", user_id=RESEARCHER, channel_id=TRAINING, text="<@U0LOCALBOT1> hello"
        )
        frames = [await link.receive_json(timeout=2) for _ in range(4)]
        assert [one["retry_attempt"] for one in frames] == [0, 1, 2, 3]
        assert frames[1]["retry_reason"] == "timeout"
        assert len({one["payload"]["event_id"] for one in frames}) == 1
        assert len({one["envelope_id"] for one in frames}) == 4


async def test_hello_counts_the_connections(
    slack: LocalSlack, session: aiohttp.ClientSession
) -> None:
    """So that a bot can warn when two copies run; the eleventh is turned away."""
    links = [await raw_link(slack, session) for _ in range(10)]
    opened = [await link for link in links]
    hellos = [await link.receive_json() for link in opened]
    assert [one["num_connections"] for one in hellos] == list(range(1, 11))
    assert hellos[0]["debug_info"]["approximate_connection_time"] > 0
    async with await raw_link(slack, session) as eleventh:
        goodbye = await eleventh.receive_json()
        assert (goodbye["type"], goodbye["reason"]) == ("disconnect", "too_many_websockets")
    for link in opened:
        await link.close()


async def test_a_link_address_works_once(slack: LocalSlack, session: aiohttp.ClientSession) -> None:
    """The second use is refused."""
    client = AsyncWebClient(base_url=slack.api, session=session)
    opened = await client.apps_connections_open(app_token=slack.platform.identity.app_token)
    async with session.ws_connect(opened["url"]):
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await session.ws_connect(opened["url"])


@pytest.mark.parametrize("how", [{"disconnect": "refresh_requested"}, {"drop_sockets": True}])
async def test_bolt_comes_back_after_a_disconnect(
    app: AsyncApp, connected: AsyncSocketModeHandler, hands: Hands, how: dict[str, Any]
) -> None:
    """Asked to refresh, or cut without a word."""

    async def on_slurm(ack: Any) -> None:
        await ack("still here")

    app.command("/slurm")(on_slurm)
    old = (await hands.see("info"))["bot"]["sessions"]
    await hands.do("faults", **how)
    await until(
        lambda: hands.see("info"),
        lambda info: info["bot"]["online"] and info["bot"]["sessions"] > old,
    )
    # What is on its way over the old link when that closes is lost, as with Slack.
    await until(
        lambda: hands.do("slash", **SLASH),
        lambda answer: answer["ack"] == {"text": "still here"},
    )


async def test_a_warning_leaves_the_link_open(
    slack: LocalSlack, session: aiohttp.ClientSession, hands: Hands
) -> None:
    """Slack gives about ten seconds' notice."""
    async with await raw_link(slack, session) as link:
        await link.receive_json()
        await hands.do("faults", disconnect="warning")
        assert (await link.receive_json())["reason"] == "warning"
        assert (await hands.see("info"))["bot"]["online"]


async def test_an_envelope_can_come_twice(
    app: AsyncApp, connected: AsyncSocketModeHandler, hands: Hands
) -> None:
    """Bolt runs the listener twice; so must a bot be ready for it."""
    seen: list[str] = []

    async def on_slurm(ack: Any, body: Any) -> None:
        await ack()
        seen.append(body["trigger_id"])

    app.command("/slurm")(on_slurm)
    await hands.do("faults", duplicate_envelopes=1)
    await hands.do("slash", **SLASH)
    await until(lambda: asyncio.sleep(0, seen), lambda found: len(found) == 2)
    assert len(set(seen)) == 1
    await hands.do("slash", **SLASH)
    await asyncio.sleep(0.05)
    assert len(seen) == 3


async def test_envelopes_are_spread_over_the_links(
    slack: LocalSlack, session: aiohttp.ClientSession, hands: Hands
) -> None:
    """At random; each goes to one."""
    counts = [0, 0]

    async def serve(which: int) -> None:
        async with await raw_link(slack, session) as link:
            async for frame in link:
                body = frame.json()
                if body["type"] == "slash_commands":
                    counts[which] += 1
                    await link.send_json({"envelope_id": body["envelope_id"]})

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(serve(which)) for which in (0, 1)]
        await until(lambda: hands.see("info"), lambda info: info["bot"]["connections"] == 2)
        for _ in range(40):
            assert (await hands.do("slash", **SLASH))["acked"]
        for task in tasks:
            task.cancel()
    assert sum(counts) == 40
    assert min(counts) > 0


async def test_a_bot_that_vanished_leaves_no_trace(
    slack: LocalSlack, session: aiohttp.ClientSession, hands: Hands
) -> None:
    """Its link is forgotten as soon as the connection breaks, and the next one serves."""
    first = await (await raw_link(slack, session))
    await first.receive_json()
    transport = first.get_extra_info("socket")
    transport.shutdown(2)
    await until(lambda: hands.see("info"), lambda info: not info["bot"]["online"])
    done = await hands.do("slash", **SLASH)
    assert "dispatch_failed" in done["error"]
