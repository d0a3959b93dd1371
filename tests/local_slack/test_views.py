"""Modals and Home: opening, stacking, replacing, and triggers that run out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.demo.slack.manifest import Manifest
from bot.demo.slack.server import LocalSlack, assemble
from bot.demo.slack.triggers import TRIGGER_SECONDS, Triggers
from bot.demo.slack.workspace import RESEARCHER
from tests.local_slack.conftest import Hands
from tests.local_slack.samples import entry, home, modal, section, typed


@pytest.fixture
async def hasty(manifest: Manifest) -> AsyncIterator[LocalSlack]:
    """A Slack whose trigger ids last a twentieth of a second."""
    async with LocalSlack(assemble(manifest, triggers=Triggers(seconds=0.05))) as running:
        yield running


def trigger(slack: LocalSlack) -> str:
    """A fresh trigger id."""
    return slack.platform.triggers.issue(RESEARCHER)


async def test_a_trigger_opens_one_modal(client: AsyncWebClient, slack: LocalSlack) -> None:
    """The second use is refused."""
    once = trigger(slack)
    opened = await client.views_open(trigger_id=once, view=modal(section(), callback_id="form"))
    assert opened["view"]["callback_id"] == "form"
    with pytest.raises(SlackApiError) as refused:
        await client.views_open(trigger_id=once, view=modal(section()))
    assert refused.value.response["error"] == "exchanged_trigger_id"


async def test_a_bad_view_does_not_use_the_trigger_up(
    client: AsyncWebClient, slack: LocalSlack
) -> None:
    """The arguments are looked at first."""
    once = trigger(slack)
    with pytest.raises(SlackApiError, match="invalid_arguments"):
        await client.views_open(trigger_id=once, view=modal(section("")))
    assert (await client.views_open(trigger_id=once, view=modal(section())))["ok"]


async def test_a_trigger_lasts_three_seconds(hasty: LocalSlack) -> None:
    """Here a twentieth of one."""
    assert TRIGGER_SECONDS == 3
    client = AsyncWebClient(token=hasty.platform.identity.bot_token, base_url=hasty.api)
    late = trigger(hasty)
    await asyncio.sleep(0.06)
    with pytest.raises(SlackApiError) as refused:
        await client.views_open(trigger_id=late, view=modal(section()))
    assert refused.value.response["error"] == "expired_trigger_id"


async def test_three_modals_stack(client: AsyncWebClient, slack: LocalSlack, hands: Hands) -> None:
    """The fourth is refused; each knows the one below and the root."""
    first = (await client.views_open(trigger_id=trigger(slack), view=modal(section())))["view"]
    second = (await client.views_push(trigger_id=trigger(slack), view=modal(section())))["view"]
    await client.views_push(trigger_id=trigger(slack), view=modal(section()))
    assert second["previous_view_id"] == second["root_view_id"] == first["id"]
    with pytest.raises(SlackApiError) as refused:
        await client.views_push(trigger_id=trigger(slack), view=modal(section()))
    assert refused.value.response["error"] == "push_limit_reached"
    assert len((await hands.see("views", user=RESEARCHER))["modals"]) == 3


async def test_a_view_is_replaced_unless_it_changed(
    client: AsyncWebClient, slack: LocalSlack, hands: Hands
) -> None:
    """By its id with a hash; what was typed stays while its block does."""
    view = (await client.views_open(trigger_id=trigger(slack), view=modal(entry("name", typed()))))[
        "view"
    ]
    await hands.do(
        "select", user_id=RESEARCHER, view_id=view["id"], action_id="words", value="kept"
    )
    changed = (
        await client.views_update(
            view_id=view["id"], hash=view["hash"], view=modal(entry("name", typed()), section())
        )
    )["view"]
    assert changed["hash"] != view["hash"]
    assert changed["state"]["values"]["name"]["words"]["value"] == "kept"
    with pytest.raises(SlackApiError) as refused:
        await client.views_update(view_id=view["id"], hash=view["hash"], view=modal(section()))
    assert refused.value.response["error"] == "hash_conflict"


async def test_an_external_id_names_one_view(client: AsyncWebClient, slack: LocalSlack) -> None:
    """It can stand for the view id, and no other view may have it."""
    named = modal(section(), external_id="mine")
    await client.views_open(trigger_id=trigger(slack), view=named)
    assert (await client.views_update(external_id="mine", view=named))["ok"]
    with pytest.raises(SlackApiError) as refused:
        await client.views_push(trigger_id=trigger(slack), view=named)
    assert refused.value.response["error"] == "duplicate_external_id"


async def test_home_belongs_to_a_person(client: AsyncWebClient, hands: Hands) -> None:
    """Publishing again replaces it under the same id."""
    first = await client.views_publish(user_id=RESEARCHER, view=home(section("one")))
    second = await client.views_publish(user_id=RESEARCHER, view=home(section("two")))
    assert first["view"]["id"] == second["view"]["id"]
    shown = (await hands.see("views", user=RESEARCHER))["home"]
    assert shown["blocks"][0]["text"]["text"] == "two"
    assert (await hands.see("views", user="U0ADMIN0001"))["home"] is None


async def test_home_can_be_switched_off(client: AsyncWebClient, slack: LocalSlack) -> None:
    """By the manifest."""
    slack.platform.manifest = replace(slack.platform.manifest, home_enabled=False)
    with pytest.raises(SlackApiError) as refused:
        await client.views_publish(user_id=RESEARCHER, view=home(section()))
    assert refused.value.response["error"] == "not_enabled"
