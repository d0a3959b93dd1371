"""The composer: commands and names are completed, what is typed is sent as it looks."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from playwright.async_api import expect

from bot.demo.slack.workspace import PRIVATE, TRAINING
from tests.browser.conftest import Stage, keep
from tests.local_slack.conftest import until

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_command_is_completed_and_sent(stage: Stage) -> None:
    """With its description and usage from the manifest; the answer is for the person alone."""
    got: list[str] = []

    async def on_slurm(ack: Any, command: Any) -> None:
        got.append(command["text"])
        await ack(f"You asked for *{command['text']}*")

    stage.app.command("/slurm")(on_slurm)
    page = await stage.open(TRAINING)
    await page.locator("#main textarea").click()
    await page.keyboard.type("/")
    await expect(page.get_by_role("option")).to_have_count(3)
    await keep(page, "commands")
    await page.keyboard.type("sl")
    await page.keyboard.press("Enter")
    await expect(page.locator("#main textarea")).to_have_value("/slurm ")
    await expect(page.locator(".composer-hint")).to_contain_text("/slurm submit SCRIPT")
    await page.keyboard.type("jobs mine")
    await page.keyboard.press("Enter")
    message = page.locator("#main .message")
    await expect(message).to_contain_text("You asked for jobs mine")
    await expect(message).to_contain_text("Only visible to you")
    await expect(page.locator("#main textarea")).to_have_value("")
    assert got == ["jobs mine"]


async def test_a_name_is_completed_and_calls_the_app(stage: Stage) -> None:
    """The mention reaches it as an event."""
    got: list[str] = []

    async def on_mention(event: Any, say: Any) -> None:
        got.append(event["text"])
        await say(text="here", thread_ts=event.get("thread_ts", event["ts"]))

    stage.app.event("app_mention")(on_mention)
    page = await stage.open(TRAINING)
    await page.locator("#main textarea").click()
    await page.keyboard.type("hey @te")
    await page.get_by_role("option", name="testapp").click()
    await page.keyboard.type("status <!channel>")
    await page.keyboard.press("Shift+Enter")
    await page.keyboard.type("and more")
    await page.keyboard.press("Enter")
    await until(lambda: asyncio.sleep(0, got), len)
    assert got == ["hey <@U0LOCALBOT1|testapp> status &lt;!channel&gt;\nand more"]
    message = page.locator("#main .message")
    await expect(message.locator(".mention")).to_have_text("@testapp")
    await expect(message).to_contain_text("status <!channel>")
    await expect(message.locator(".replies")).to_contain_text("1 reply")


async def test_a_reply_goes_into_the_thread_and_commands_do_not(stage: Stage) -> None:
    """As in Slack."""
    ts = str((await stage.client.chat_postMessage(channel=TRAINING, text="root"))["ts"])
    page = await stage.open(f"{TRAINING}/{ts}")
    await page.locator("#thread textarea").fill("/slurm jobs")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("status").last).to_contain_text(
        "/slurm is not supported in threads"
    )
    await page.locator("#thread textarea").fill("a reply")
    await page.locator("#thread .send").click()
    await expect(page.locator("#thread .message")).to_have_count(2)
    await expect(page.locator("#main .message")).to_have_count(1)


async def test_an_unknown_command_is_not_sent(stage: Stage) -> None:
    """The text stays, so that it can be mended."""
    page = await stage.open(TRAINING)
    await page.locator("#main textarea").fill("/slrum jobs")
    await page.keyboard.press("Enter")
    await expect(page.locator(".notice")).to_contain_text("/slrum is not a valid command")
    await expect(page.locator("#main textarea")).to_have_value("/slrum jobs")


async def test_a_direct_message_reaches_the_app(stage: Stage) -> None:
    """Under Apps, beside Home."""
    got: list[str] = []

    async def on_message(event: Any, say: Any) -> None:
        got.append(event["channel_type"])
        await say("hello yourself")

    stage.app.event("message")(on_message)
    page = await stage.open("D0RESEARCH1")
    await page.locator("#main textarea").fill("hello")
    await page.keyboard.press("Enter")
    await expect(page.locator("#main .message")).to_have_count(2)
    await expect(page.locator("#main .message").last).to_contain_text("hello yourself")
    assert got == ["im"]


async def test_an_archived_channel_takes_no_messages(stage: Stage) -> None:
    """And a channel that one is not in cannot be opened."""
    page = await stage.open(TRAINING)
    await expect(page.locator("#main textarea")).to_be_visible()
    await stage.hands.do("channel", id=TRAINING, archived=True)
    await expect(page.locator(".composer-closed")).to_be_visible()
    outside = await stage.open(PRIVATE, user="outsider")
    await expect(outside.locator("#main h1")).to_contain_text("training")


async def test_what_cannot_be_sent_is_not_lost(stage: Stage) -> None:
    """It stands in the composer again, and the page says why."""
    page = await stage.open(TRAINING)
    await expect(page.locator("#main textarea")).to_be_visible()
    await page.route("**/_local/slash", lambda route: route.abort())
    await page.locator("#main textarea").fill("/slurm jobs")
    await page.keyboard.press("Enter")
    await expect(page.locator(".notice")).to_contain_text("nothing was sent")
    await expect(page.locator("#main textarea")).to_have_value("/slurm jobs")
    [complaint] = stage.complaints  # the browser logs what was cut
    assert "Failed to load resource" in complaint
    stage.complaints.clear()
