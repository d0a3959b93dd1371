"""Cards sent the way the bot sends them, to a local Slack that takes them at any rate."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.card import Card
from bot.demo.slack.manifest import load
from bot.demo.slack.rate import Rates
from bot.demo.slack.server import LocalSlack, assemble
from bot.demo.slack.workspace import RESEARCHER, TRAINING
from bot.model import Act, ActKind, Caller
from bot.redact import redact_card
from handlers.chat import SlackChat
from tests.payloads.recorder import Json, drawn

MANIFEST = Path(__file__).parents[2] / "manifest.yml"


async def sent(cards: Iterable[Card], *, in_every_way: bool = True) -> list[Json]:
    """Return what goes over the wire for these cards: posted, updated, shown to one person.

    They are only posted unless `in_every_way`. Raises MessageRefused for a card that the local
    Slack does not take.
    """
    platform = assemble(load(MANIFEST), rates=Rates(enabled=False))
    async with LocalSlack(platform) as slack, aiohttp.ClientSession() as session:
        token = platform.identity.bot_token
        client = AsyncWebClient(token=token, base_url=slack.api, session=session)
        chat = SlackChat(client=client, redact=redact_card)
        for number, card in enumerate(cards):
            key = f"request/{number}"
            ts = await chat.post(TRAINING, "", card, key)
            if in_every_way:
                await chat.post(TRAINING, ts, card, f"{key}/answer")
                await chat.update(TRAINING, ts, card, key)
                await chat.whisper(_act(), card)
                url_key = platform.response_urls.issue(RESEARCHER, TRAINING)
                await chat.whisper(_act(f"{platform.base_url}/response/{url_key}"), card)
        return drawn(call.shown() for call in platform.traffic.since(0))


def _act(reply_url: str = "") -> Act:
    caller = Caller(team="T0TEAM", user=RESEARCHER, channel=TRAINING)
    return Act(id="1", kind=ActKind.SLASH, caller=caller, at=datetime.now(UTC), reply_url=reply_url)
