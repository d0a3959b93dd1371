"""A local Slack for each test, and a person's hands on it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import aiohttp
import pytest
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.demo.slack.manifest import Manifest, load
from bot.demo.slack.server import LocalSlack, assemble

Seen = TypeVar("Seen")
MANIFEST = Path(__file__).parent / "manifest.yml"


class Hands:
    """The control interface, as scripts use it."""

    def __init__(self, slack: LocalSlack, session: aiohttp.ClientSession) -> None:
        self._base = slack.platform.base_url
        self._session = session

    async def do(self, what: str, **body: Any) -> dict[str, Any]:
        """POST /_local/WHAT."""
        async with self._session.post(f"{self._base}/_local/{what}", json=body) as answer:
            return dict(await answer.json())

    async def upload(self, files: dict[str, bytes], **fields: str) -> dict[str, Any]:
        """POST /_local/upload: files by name."""
        form = aiohttp.FormData(fields)
        for name, content in files.items():
            form.add_field("file", content, filename=name)
        async with self._session.post(f"{self._base}/_local/upload", data=form) as answer:
            return dict(await answer.json())

    async def see(self, what: str, **query: Any) -> dict[str, Any]:
        """GET /_local/WHAT."""
        async with self._session.get(f"{self._base}/_local/{what}", params=query) as answer:
            return dict(await answer.json())

    async def messages(self, channel: str, **query: Any) -> list[dict[str, Any]]:
        """What a channel shows."""
        return list((await self.see("messages", channel=channel, **query))["messages"])


async def until(
    look: Callable[[], Awaitable[Seen]], fits: Callable[[Seen], Any], seconds: float = 5
) -> Seen:
    """Look again until it fits; fails when it never does."""
    async with asyncio.timeout(seconds):
        while not fits(seen := await look()):
            await asyncio.sleep(0.01)
    return seen


@pytest.fixture
def manifest() -> Manifest:
    """The test app's manifest."""
    return load(MANIFEST)


@pytest.fixture
async def slack(manifest: Manifest) -> AsyncIterator[LocalSlack]:
    """A local Slack that listens; events are retried quickly."""
    async with LocalSlack(assemble(manifest, retry_delays=(0, 0.05, 0.05))) as running:
        yield running


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    """A plain HTTP client."""
    async with aiohttp.ClientSession() as plain:
        yield plain


@pytest.fixture
def hands(slack: LocalSlack, session: aiohttp.ClientSession) -> Hands:
    """The control interface."""
    return Hands(slack, session)


@pytest.fixture
def client(slack: LocalSlack, session: aiohttp.ClientSession) -> AsyncWebClient:
    """Slack's own Web API client, pointed here."""
    token = slack.platform.identity.bot_token
    return AsyncWebClient(token=token, base_url=slack.api, session=session)


@pytest.fixture
async def app(client: AsyncWebClient) -> AsyncApp:
    """A Bolt app that talks to the local Slack; tests add listeners and `connect` it."""
    return AsyncApp(client=client, request_verification_enabled=False)


@pytest.fixture
async def connected(slack: LocalSlack, app: AsyncApp) -> AsyncIterator[AsyncSocketModeHandler]:
    """The app in Socket Mode."""
    token = slack.platform.identity.app_token
    handler = AsyncSocketModeHandler(app, token, ping_interval=0.2)  # notices a cut soon
    await handler.connect_async()  # type: ignore[no-untyped-call]  # untyped in Bolt
    yield handler
    await handler.close_async()  # type: ignore[no-untyped-call]  # untyped in Bolt
