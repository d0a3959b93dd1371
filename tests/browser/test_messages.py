"""What a channel shows, in light and dark, on a desk and on a phone."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from playwright.async_api import Page, Route, expect

from bot.demo.slack.model import Message
from bot.demo.slack.workspace import ADMIN, GENERAL, RESEARCHER, TRAINING
from tests.browser.conftest import Stage, keep
from tests.browser.scene import JOB, furnish
from tests.local_slack.conftest import until
from tests.local_slack.samples import BLOCKS, home, section

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.parametrize("screen", ["desk", "phone"])
async def test_a_busy_channel_can_be_read(stage: Stage, screen: str) -> None:
    """Everything is there, nothing is wider than the screen, in light and dark."""
    root = await furnish(stage)
    page = await stage.open(TRAINING, phone=screen == "phone")
    await expect(page.locator("#main .message.ephemeral")).to_contain_text("no partition a4x")
    await expect(page.locator(f'#main [data-ts="{root}"]')).to_contain_text("(edited)")
    await in_both_lights(page, f"channel-{screen}")
    await page.locator(f'#main [data-ts="{root}"] .replies').click()
    await expect(page.locator("#thread .message")).to_have_count(4)
    await in_both_lights(page, f"thread-{screen}")


async def in_both_lights(page: Page, name: str) -> None:
    """Keep a picture of each, and see that nothing sticks out."""
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await keep(page, f"{name}-light")
    await page.emulate_media(color_scheme="dark")
    await keep(page, f"{name}-dark")
    await page.emulate_media(color_scheme="light")


async def test_nothing_that_is_said_becomes_markup(stage: Stage) -> None:
    """Neither tags nor scripts nor addresses of scripts, wherever they stand."""
    evil = '<img src=x onerror="document.title=1"> <script>document.title=1</script>'
    await stage.client.chat_postMessage(channel=TRAINING, text=evil)
    await stage.client.chat_postMessage(channel=TRAINING, text=evil, blocks=[section(evil)])
    await stage.client.chat_postMessage(
        channel=TRAINING,
        text="x",
        blocks=[
            {"type": "markdown", "text": f"[click](javascript:alert(1)) {evil}"},
            {"type": "header", "text": {"type": "plain_text", "text": evil}},
        ],
    )
    page = await stage.open(TRAINING)
    await expect(page.locator("#main .message")).to_have_count(3)
    assert await page.locator("#main :is(img, script)").count() == 0
    assert await page.locator('#main a[href^="javascript"]').count() == 0
    await expect(page.locator("#main .message").nth(0)).to_contain_text("<script>")
    await expect(page).to_have_title("training · Local Slack")


async def test_mrkdwn_looks_as_in_slack(stage: Stage) -> None:
    """Emphasis, code, fences, quotes, links, mentions, dates, entities."""
    text = "\n".join(
        [
            "*bold* _slanted_ ~gone~ `co*de*` 2 * 3 * 4 snake_case_name *not bold*x",
            "&gt; quoted &amp; escaped",
            f"<@{RESEARCHER}> <#{TRAINING}> <!here> &lt;!channel&gt;",
            "<https://example.org|a link> <!date^0^{date_num}|then> :tada:",
            "```in a *fence*\n<@U0ADMIN0001>```",
        ]
    )
    await stage.client.chat_postMessage(channel=TRAINING, text=text)
    page = await stage.open(TRAINING)
    words = page.locator("#main .words")
    await expect(words.locator("b")).to_have_text(["bold"])
    await expect(words.locator("i")).to_have_text("slanted")
    await expect(words.locator("s")).to_have_text("gone")
    await expect(words.locator("code")).to_have_text("co*de*")
    await expect(words.locator("blockquote")).to_have_text("quoted & escaped")
    await expect(words.locator(".mention")).to_have_text(["@researcher", "#training", "@here"])
    await expect(words.locator("pre")).to_have_text("in a *fence*\n@admin")
    await expect(words.locator(".stamp")).to_have_text("1970-01-01")
    await expect(words).to_contain_text("snake_case_name *not bold*x")
    await expect(words).to_contain_text("<!channel>")
    await expect(words).to_contain_text("🎉")
    await expect(words.get_by_role("link", name="a link")).to_have_attribute(
        "href", "https://example.org/"
    )


async def test_every_type_of_block_is_drawn(stage: Stage) -> None:
    """In a message or, for those that only go there, in a modal or Home."""
    for name, block in BLOCKS.items():
        if name not in {"alert", "table"}:
            await stage.client.chat_postMessage(channel=TRAINING, text=name, blocks=[block])
    page = await stage.open(TRAINING)
    drawn = page.locator("#main .message-body > .blocks")
    await expect(drawn).to_have_count(len(BLOCKS) - 2)
    assert await page.get_by_text("A block of type").count() == 0
    await keep(page, "blocks")
    await stage.client.views_publish(
        user_id=RESEARCHER, view=home(BLOCKS["table"], BLOCKS["carousel"])
    )
    await page.goto(f"{stage.slack.page}#home")
    await expect(page.locator(".home td, .home th")).to_have_count(2)


async def test_a_change_appears_without_a_reload(stage: Stage) -> None:
    """New, edited, deleted; in the thread as well."""
    page = await stage.open(TRAINING)
    await expect(page.get_by_text("This is the very beginning of #training")).to_be_visible()
    ts = str((await stage.client.chat_postMessage(channel=TRAINING, text="first"))["ts"])
    message = page.locator(f'#main [data-ts="{ts}"]')
    await expect(message).to_contain_text("first")
    await stage.client.chat_update(channel=TRAINING, ts=ts, text="second")
    await expect(message).to_contain_text("second (edited)")
    await stage.client.chat_postMessage(channel=TRAINING, thread_ts=ts, text="below")
    await message.locator(".replies").click()
    await expect(page.locator("#thread .message")).to_have_count(2)
    await stage.client.chat_postMessage(channel=TRAINING, thread_ts=ts, text="deeper")
    await expect(page.locator("#thread .message")).to_have_count(3)
    await stage.client.chat_delete(channel=TRAINING, ts=ts)
    await expect(page.locator("#main .message")).to_have_count(0)


async def test_an_ephemeral_message_is_on_one_person_s_page(stage: Stage) -> None:
    """With its mark; the other page stays empty."""
    mine = await stage.open(TRAINING)
    theirs = await stage.open(TRAINING, user="admin")
    await stage.client.chat_postEphemeral(channel=TRAINING, user=RESEARCHER, text="psst")
    await expect(mine.locator("#main .message")).to_contain_text("Only visible to you")
    await stage.client.chat_postEphemeral(channel=TRAINING, user=ADMIN, text="for admin")
    await expect(theirs.locator("#main .message")).to_have_count(1)
    await expect(theirs.locator("#main .message")).to_contain_text("for admin")


async def test_unread_channels_are_marked_and_people_switched(stage: Stage) -> None:
    """Until they are looked at; switching shows another person's channels."""
    page = await stage.open(TRAINING)
    await expect(page.locator("#main .composer")).to_be_visible()
    await stage.hands.do("message", user_id=ADMIN, channel_id=GENERAL, text="hello all")
    other = page.locator("#sidebar .place", has_text="general")
    await expect(other).to_have_class("place unread")
    await expect(page).to_have_title("(1) training · Local Slack")
    await other.click()
    await expect(other).to_have_class("place")
    await expect(page.locator("#main .message")).to_contain_text("hello all")
    await page.locator(".switcher").click()
    await page.get_by_role("option", name="outsider").click()
    await expect(page.locator(".switcher")).to_contain_text("outsider")
    await expect(page.locator("#sidebar")).not_to_contain_text("private-lab")


async def test_on_a_phone_one_goes_from_the_list_to_a_channel_and_back(stage: Stage) -> None:
    """One column at a time."""
    page = await stage.open(phone=True)
    await expect(page.locator("#sidebar")).to_be_visible()
    await expect(page.locator("#main")).to_be_hidden()
    await keep(page, "list-phone")
    await page.locator("#sidebar .place", has_text="training").tap()
    await expect(page.locator("#main")).to_be_visible()
    await page.locator("#main .back").tap()
    await expect(page.locator("#sidebar")).to_be_visible()


async def test_a_long_channel_opens_at_its_end(stage: Stage) -> None:
    """The newest of thousands, the earlier ones on demand."""
    workspace = stage.slack.platform.workspace
    for number in range(3000):
        ts = workspace.clock.ts()
        workspace.add(Message(ts=ts, channel=TRAINING, user=ADMIN, text=f"message {number}"))
    page = await stage.open(TRAINING)
    await expect(page.get_by_text("message 2999", exact=True)).to_be_in_viewport()
    await expect(page.locator("#main .message")).to_have_count(200)
    await page.locator(".earlier").click()
    await expect(page.locator("#main .message")).to_have_count(800)


async def test_who_reads_further_up_is_told_of_what_is_new(stage: Stage) -> None:
    """And stays where they read; one tap leads down, and so does sending something."""
    workspace = stage.slack.platform.workspace
    for number in range(60):
        ts = workspace.clock.ts()
        workspace.add(Message(ts=ts, channel=TRAINING, user=ADMIN, text=f"message {number}"))
    page = await stage.open(TRAINING, phone=True)
    newest = page.get_by_text("message 59", exact=True)
    await expect(newest).to_be_in_viewport()
    mark = page.locator("#main .below")
    await expect(mark).to_be_hidden()
    await page.get_by_text("message 5", exact=True).scroll_into_view_if_needed()
    await stage.client.chat_postMessage(channel=TRAINING, text="job 75 has failed")
    await expect(mark).to_be_visible()
    await expect(page.get_by_text("message 5", exact=True)).to_be_in_viewport()
    await keep(page, "new-messages")
    await mark.tap()
    await expect(page.get_by_text("job 75 has failed")).to_be_in_viewport()
    await expect(mark).to_be_hidden()
    await page.get_by_text("message 5", exact=True).scroll_into_view_if_needed()
    await page.locator("#main textarea").fill("well seen")
    await page.locator("#main .send").tap()
    await expect(page.locator("#main .message").last).to_be_in_viewport()


async def test_a_click_in_a_message_reaches_the_app(stage: Stage) -> None:
    """Buttons with a value, selects, menus; a confirm dialog can be declined."""
    heard: list[tuple[str, Any]] = []

    async def on_any(ack: Any, action: Any) -> None:
        await ack()
        chosen = action.get("selected_option") or {}
        heard.append((action["action_id"], action.get("value") or chosen.get("value")))

    for name in ("logs", "cancel", "pick", "more"):
        stage.app.action(name)(on_any)
    await stage.client.chat_postMessage(channel=TRAINING, text="job 75", blocks=JOB)
    page = await stage.open(TRAINING)
    await page.get_by_role("button", name="Show Logs").click()
    await page.get_by_role("button", name="Cancel Job").click()
    await expect(page.get_by_role("dialog")).to_contain_text("It has run for 2 hours")
    await keep(page, "confirm")
    await page.get_by_role("button", name="Keep Running").click()
    await page.get_by_role("button", name="Cancel Job").click()
    await page.locator('[data-confirm="yes"]').click()
    await page.locator('[data-action="pick"]').click()
    await page.get_by_role("option", name="Option a3u").click()
    await page.locator("[data-action=more]").click()
    await page.get_by_role("option", name="Option mute").click()
    await until(lambda: asyncio.sleep(0, heard), lambda found: len(found) == 4)
    assert heard == [("logs", "75"), ("cancel", "75"), ("pick", "a3u"), ("more", "mute")]
    await expect(page.locator('[data-action="pick"]')).to_have_text("Option a3u")


async def test_when_the_bot_is_away_the_page_says_so(stage: Stage) -> None:
    """And a command fails in Slack's words."""
    page = await stage.open(TRAINING)
    await expect(page.locator("#main .composer")).to_be_visible()
    await stage.handler.close_async()  # type: ignore[no-untyped-call]  # untyped in Bolt
    await expect(page.locator(".offline")).to_be_visible()
    await page.locator("#main textarea").fill("/slurm jobs")
    await page.keyboard.press("Enter")
    await expect(page.locator("#main .message")).to_contain_text(
        '/slurm failed with the error "dispatch_failed"'
    )
    await keep(page, "offline")


async def test_what_is_said_while_the_page_loads_is_not_lost(stage: Stage) -> None:
    """The answer to its first question is older than what it hears meanwhile."""
    page = await stage.open("home")
    await expect(page.locator(".home")).to_be_visible()

    async def overtake(route: Route) -> None:
        answer = await route.fetch()
        await stage.client.chat_postMessage(channel=TRAINING, text="said meanwhile")
        await asyncio.sleep(0.2)  # the page hears of it before its answer comes
        await route.fulfill(response=answer)

    await page.route("**/_local/messages?**", overtake, times=1)
    await page.locator("#sidebar .place", has_text="training").click()
    await expect(page.locator("#main .message")).to_contain_text("said meanwhile")
