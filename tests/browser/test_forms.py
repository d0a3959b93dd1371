"""Modals and Home in the browser: every kind of field, errors at their place, views that stack."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from bot.demo.slack.workspace import ADMIN, RESEARCHER, TRAINING
from tests.browser.conftest import Stage, keep
from tests.local_slack.samples import (
    BLOCKS,
    Json,
    actions,
    button,
    entry,
    home,
    modal,
    mrkdwn,
    option,
    plain,
    section,
    select,
    typed,
)

pytestmark = pytest.mark.asyncio(loop_scope="session")

FORM = modal(
    section("Run a recipe on the cluster."),
    entry("recipe", typed("recipe", placeholder=plain("pretrain/llama3p1_2b_pt.py"))),
    entry(
        "nodes",
        {
            "type": "number_input",
            "action_id": "nodes",
            "is_decimal_allowed": False,
            "min_value": "1",
            "initial_value": "2",
        },
        hint=plain("Eight GPUs each."),
    ),
    entry("partition", {**select("a3m", "a3u"), "action_id": "partition"}),
    entry("notes", typed("notes", multiline=True), optional=True),
    title=plain("Run a Recipe"),
    submit=plain("Run"),
    close=plain("Not Now"),
    callback_id="form",
)

EVERYTHING = modal(
    entry("text", typed("text")),
    entry("mail", {"type": "email_text_input", "action_id": "mail"}),
    entry("url", {"type": "url_text_input", "action_id": "url"}),
    entry("date", {"type": "datepicker", "action_id": "date"}),
    entry("time", {"type": "timepicker", "action_id": "time"}),
    entry(
        "boxes",
        {"type": "checkboxes", "action_id": "boxes", "options": [option("a"), option("b")]},
    ),
    entry(
        "radio",
        {"type": "radio_buttons", "action_id": "radio", "options": [option("a"), option("b")]},
    ),
    entry("person", {"type": "users_select", "action_id": "person"}),
    entry("many", {**select("a", "b", "c"), "type": "multi_static_select", "action_id": "many"}),
    entry("channel", {"type": "channels_select", "action_id": "channel"}),
    callback_id="form",
)


async def opened(stage: Stage, view: Json, **how: Any) -> Page:
    """A page on which the app has opened a modal."""
    page = await stage.open(TRAINING, **how)
    await expect(page.locator("#main .composer")).to_be_visible()
    trigger = stage.slack.platform.triggers.issue(RESEARCHER)
    await stage.client.views_open(trigger_id=trigger, view=view)
    await expect(page.get_by_role("dialog")).to_be_visible()
    return page


async def test_a_form_is_filled_in_and_its_errors_shown(stage: Stage) -> None:
    """First what Slack finds, then what the app finds, then it is gone."""
    got: list[Any] = []

    async def on_submit(ack: Any, view: Any) -> None:
        got.append(view["state"]["values"])
        if len(got) == 1:
            await ack(response_action="errors", errors={"recipe": "There is no such recipe."})
        else:
            await ack()

    stage.app.view("form")(on_submit)
    page = await opened(stage, FORM)
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Run").click()
    await expect(dialog.locator(".field-error")).to_have_count(2)
    await dialog.get_by_label("Field").first.fill("pretrain/lama.py")
    await dialog.locator('[data-action="partition"]').click()
    await page.get_by_role("option", name="Option a3u").click()
    await expect(dialog.locator(".field-error")).to_have_count(0)
    await dialog.get_by_role("button", name="Run").click()
    await expect(dialog.locator(".field-error")).to_have_text("There is no such recipe.")
    await expect(dialog.locator('[data-action="recipe"]')).to_have_value("pretrain/lama.py")
    await keep(page, "form-errors")
    await dialog.locator('[data-action="recipe"]').fill("pretrain/llama.py")
    await dialog.get_by_role("button", name="Run").click()
    await expect(dialog).to_have_count(0)
    assert got[1]["recipe"]["recipe"]["value"] == "pretrain/llama.py"
    assert got[1]["nodes"]["nodes"]["value"] == "2"
    assert got[1]["partition"]["partition"]["selected_option"]["value"] == "a3u"


async def fill_everything(page: Page) -> None:
    """Put something into each field."""

    def at(action: str) -> Locator:
        return page.locator(f'[data-action="{action}"]')

    async def pick(action: str, *names: str) -> None:
        await at(action).click()
        for name in names:
            await page.get_by_role("option", name=name).click()

    await at("text").fill("words")
    await at("mail").fill("a@example.org")
    await at("url").fill("https://example.org")
    await at("date").fill("2026-05-01")
    await at("time").fill("09:30")
    await at("boxes").get_by_text("Option b").click()
    await at("radio").get_by_text("Option a").click()
    await pick("person", "admin")
    await pick("many", "Option a", "Option c")
    await page.get_by_role("button", name="Done").click()
    await pick("channel", "#training")


async def test_every_kind_of_field_can_be_filled_in(stage: Stage) -> None:
    """And is sent as Slack names it."""
    got: list[Any] = []

    async def on_submit(ack: Any, view: Any) -> None:
        got.append(view["state"]["values"])
        await ack()

    stage.app.view("form")(on_submit)
    page = await opened(stage, EVERYTHING)
    await fill_everything(page)
    await keep(page, "form-fields")
    await page.locator("[data-submit]").click()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    (values,) = got
    assert values["date"]["date"]["selected_date"] == "2026-05-01"
    assert values["time"]["time"]["selected_time"] == "09:30"
    assert [one["value"] for one in values["boxes"]["boxes"]["selected_options"]] == ["b"]
    assert values["radio"]["radio"]["selected_option"]["value"] == "a"
    assert values["person"]["person"]["selected_user"] == ADMIN
    assert [one["value"] for one in values["many"]["many"]["selected_options"]] == ["a", "c"]
    assert values["channel"]["channel"]["selected_channel"] == TRAINING


async def test_a_view_that_is_replaced_keeps_what_was_typed(stage: Stage) -> None:
    """The field and the caret as well."""
    page = await opened(stage, FORM)
    field = page.locator('[data-action="recipe"]')
    await field.fill("pretrain/llama")
    (view,) = stage.slack.platform.views.stacks[RESEARCHER]
    await stage.client.views_update(view_id=view.id, view={**FORM, "title": plain("Second")})
    await expect(page.get_by_role("dialog")).to_contain_text("Second")
    await expect(field).to_have_value("pretrain/llama")
    await expect(field).to_be_focused()


async def test_a_modal_on_a_modal_on_a_phone(stage: Stage) -> None:
    """The topmost is shown; closing it shows the one below."""

    async def on_go(ack: Any, body: Any, client: Any) -> None:
        await ack()
        alert = BLOCKS["alert"]
        second = modal(alert, section("Second"), title=plain("Second"))
        await client.views_push(trigger_id=body["trigger_id"], view=second)

    stage.app.action("go")(on_go)
    first = modal(section("First", accessory=button("go")), title=plain("First"))
    page = await opened(stage, first, phone=True)
    await page.get_by_role("button", name="Go").tap()
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text("Second")
    await keep(page, "modal-phone")
    await page.keyboard.press("Escape")
    await expect(dialog).to_contain_text("First")
    await dialog.get_by_role("button", name="Close").last.tap()
    await expect(dialog).to_have_count(0)


async def test_home_is_shown_and_works(stage: Stage) -> None:
    """It is opened, published in answer, and its buttons send."""
    heard: list[str] = []

    async def on_home(event: Any, client: Any) -> None:
        await client.views_publish(
            user_id=event["user"],
            view=home(
                {"type": "header", "text": plain("Your jobs")},
                section("*llama* runs on `a3m`", accessory=button("go", value="75")),
                {"type": "divider"},
                {"type": "context", "elements": [mrkdwn("Updated just now")]},
                actions(button("refresh")),
            ),
        )

    async def on_go(ack: Any, action: Any, client: Any, body: Any) -> None:
        await ack()
        heard.append(action["value"])
        await client.views_publish(user_id=body["user"]["id"], view=home(section("Done")))

    stage.app.event("app_home_opened")(on_home)
    stage.app.action("go")(on_go)
    page = await stage.open("home")
    await expect(page.locator(".home")).to_contain_text("Your jobs")
    await keep(page, "home")
    await page.get_by_role("button", name="Go").first.click()
    await expect(page.locator(".home")).to_contain_text("Done")
    assert heard == ["75"]


async def test_an_external_select_asks_the_app(stage: Stage) -> None:
    """As one types."""
    chosen: list[str] = []

    async def on_suggest(ack: Any, payload: Any) -> None:
        names = ["a3m", "a3u"]
        found = [one for one in names if payload["value"] in one]
        await ack(options=[{"text": plain(one), "value": one} for one in found])

    async def on_where(ack: Any, action: Any) -> None:
        await ack()
        chosen.append(action["selected_option"]["value"])

    stage.app.options("where")(on_suggest)
    stage.app.action("where")(on_where)
    element = {"type": "external_select", "action_id": "where", "min_query_length": 1}
    await stage.client.chat_postMessage(channel=TRAINING, text="x", blocks=[actions(element)])
    page = await stage.open(TRAINING)
    await page.locator('[data-action="where"]').click()
    await page.get_by_label("Search").fill("a3u")
    await page.get_by_role("option", name="a3u").click()
    await expect(page.locator('[data-action="where"]')).to_have_text("a3u")
    assert chosen == ["a3u"]
