"""A browser on the local Slack's page, with a small Bolt app behind it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.demo.slack.manifest import load
from bot.demo.slack.rate import Rates
from bot.demo.slack.server import LocalSlack, assemble
from tests.local_slack.conftest import MANIFEST, Hands

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
ARTIFACTS = Path(__file__).parents[2] / "artifacts"


@dataclass(kw_only=True)
class Stage:
    """A local Slack, an app that is connected to it, and a person's page."""

    slack: LocalSlack
    app: AsyncApp
    handler: AsyncSocketModeHandler
    hands: Hands
    browser: Browser
    pages: list[Page] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    @property
    def client(self) -> AsyncWebClient:
        """The app's Web API client."""
        return self.app.client

    async def open(
        self, where: str = "", *, user: str = "researcher", phone: bool = False, dark: bool = False
    ) -> Page:
        """Open the page at a place, as a person; collects every error it logs."""
        context = await self.browser.new_context(
            viewport=PHONE if phone else DESKTOP,  # type: ignore[arg-type]  # a typed dict of two numbers
            has_touch=phone,
            is_mobile=phone,
            color_scheme="dark" if dark else "light",
            locale="en-US",
            timezone_id="UTC",
        )
        page = await context.new_page()
        page.set_default_timeout(5000)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._heard)
        await page.goto(f"{self.slack.page}?user={user}#{where}")
        self.pages.append(page)
        return page

    def _heard(self, message: Any) -> None:
        if message.type == "error":
            self.complaints.append(message.text)


async def keep(page: Page, name: str) -> None:
    """Keep a screenshot for people to look at."""
    ARTIFACTS.mkdir(exist_ok=True)
    await page.wait_for_timeout(150)  # let what moves come to rest
    await page.screenshot(path=ARTIFACTS / f"local-slack-{name}.png")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """The distribution's Chromium."""
    async with async_playwright() as playwright:
        running = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield running
        await running.close()


@pytest_asyncio.fixture(loop_scope="session")
async def stage(browser: Browser) -> AsyncIterator[Stage]:
    """Everything for one test; fails if a page logged an error."""
    platform = assemble(load(MANIFEST), rates=Rates(enabled=False))
    async with LocalSlack(platform) as slack, aiohttp.ClientSession() as session:
        client = AsyncWebClient(
            token=platform.identity.bot_token, base_url=slack.api, session=session
        )
        app = AsyncApp(client=client, request_verification_enabled=False)
        handler = AsyncSocketModeHandler(app, platform.identity.app_token, ping_interval=0.2)
        await handler.connect_async()  # type: ignore[no-untyped-call]  # untyped in Bolt
        set_up = Stage(
            slack=slack,
            app=app,
            handler=handler,
            hands=Hands(slack, session),
            browser=browser,
        )
        yield set_up
        for page in set_up.pages:
            await page.context.close()
        await handler.close_async()  # type: ignore[no-untyped-call]  # untyped in Bolt
    assert set_up.complaints == []
