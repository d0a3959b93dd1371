"""Commands, clicks and events over Socket Mode, with Slack's own Bolt."""

from __future__ import annotations

import asyncio
from typing import Any

from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp

from bot.demo.slack.server import LocalSlack
from bot.demo.slack.workspace import PRIVATE, RESEARCHER, TRAINING
from tests.local_slack.conftest import Hands, until
from tests.local_slack.samples import actions, button, home, section

SLASH = {"user_id": RESEARCHER, "channel_id": TRAINING, "command": "/slurm", "text": "jobs"}


async def test_a_slash_command_is_acknowledged_and_answered(
    app: AsyncApp, connected: AsyncSocketModeHandler, hands: Hands
) -> None:
    """The acknowledgement's text is shown to the person alone, `respond` adds to it."""

    async def on_slurm(ack: Any, command: Any, respond: Any) -> None:
        await ack(f"looking at {command['text']}")
        await respond("and here it is")

    app.command("/slurm")(on_slurm)
    done = await hands.do("slash", **SLASH)
    assert done["acked"]
    assert done["ack_ms"] < 1000
    assert done["ack"] == {"text": "looking at jobs"}
    seen = await hands.messages(TRAINING)
    assert {one["text"] for one in seen} == {"looking at jobs", "and here it is"}
    assert {one["ephemeral"] for one in seen} == {RESEARCHER}


async def test_an_answer_in_the_channel_shows_the_command(
    app: AsyncApp, connected: AsyncSocketModeHandler, hands: Hands
) -> None:
    """As Slack does when the acknowledgement itself is `in_channel`."""

    async def on_slurm(ack: Any) -> None:
        await ack(text="for all", response_type="in_channel")

    app.command("/slurm")(on_slurm)
    await hands.do("slash", **SLASH)
    seen = await hands.messages(TRAINING)
    assert [(one["user"], one["text"], one["ephemeral"]) for one in seen] == [
        (RESEARCHER, "/slurm jobs", None),
        ("U0LOCALBOT1", "for all", None),
    ]


async def test_a_command_carries_what_slack_sends(
    app: AsyncApp, connected: AsyncSocketModeHandler, hands: Hands
) -> None:
    """Mentions become ids, and markup is escaped, as `should_escape` asks."""
    got: list[Any] = []

    async def on_slurm(ack: Any, body: Any) -> None:
        await ack()
        got.append(body)

    app.command("/slurm")(on_slurm)
    done = await hands.do("slash", **{**SLASH, "text": "ask @admin in #general if 1 < 2"})
    (body,) = got
    assert body["text"] == "ask <@U0ADMIN0001|admin> in <#C0GENERAL01|general> if 1 &lt; 2"
    assert body["channel_name"] == "training"
    assert body["user_name"] == "researcher"
    assert body["team_id"] == "T0LOCAL0001"
    assert body["trigger_id"] == done["trigger_id"]
    assert "/response/" in body["response_url"]


async def test_without_a_connection_the_person_is_told(hands: Hands) -> None:
    """In Slack's words."""
    done = await hands.do("slash", **SLASH)
    assert not done["acked"]
    assert done["error"] == '/slurm failed with the error "dispatch_failed"'
    (notice,) = await hands.messages(TRAINING)
    assert (notice["text"], notice["ephemeral"]) == (done["error"], RESEARCHER)


async def test_a_command_that_is_not_acknowledged_times_out(
    app: AsyncApp, connected: AsyncSocketModeHandler, hands: Hands, slack: LocalSlack
) -> None:
    """After three seconds, here a twentieth of one; what the bot said later still arrives."""
    slack.platform.courier.ack_seconds = 0.05

    async def on_slurm(ack: Any, respond: Any) -> None:
        await asyncio.sleep(0.1)
        await ack("late")
        await respond("later")

    app.command("/slurm")(on_slurm)
    done = await hands.do("slash", **SLASH)
    assert done["error"] == '/slurm failed with the error "operation_timeout"'
    seen = await until(lambda: hands.messages(TRAINING), lambda found: len(found) == 2)
    assert [one["text"] for one in seen] == [done["error"], "later"]


async def test_a_click_reaches_the_app_with_what_it_needs(
    app: AsyncApp, connected: AsyncSocketModeHandler, hands: Hands
) -> None:
    """`block_actions` carries the message, the value and a response URL."""
    clicked: list[Any] = []

    async def on_go(ack: Any, body: Any, respond: Any) -> None:
        await ack()
        clicked.append(body)
        await respond(text="gone", replace_original=True)

    app.action("go")(on_go)
    posted = await app.client.chat_postMessage(
        channel=TRAINING, text="ready?", blocks=[actions(button(value="7"))]
    )
    done = await hands.do(
        "click", user_id=RESEARCHER, channel_id=TRAINING, message_ts=posted["ts"], action_id="go"
    )
    assert done["acked"]
    (body,) = clicked
    assert body["actions"][0]["value"] == "7"
    assert body["message"]["text"] == "ready?"
    assert body["container"]["message_ts"] == posted["ts"]
    assert body["user"]["id"] == RESEARCHER
    (message,) = await until(
        lambda: hands.messages(TRAINING), lambda found: found[0]["text"] == "gone"
    )
    assert message["blocks"] is None


async def test_mentions_and_direct_messages_are_events(
    app: AsyncApp, connected: AsyncSocketModeHandler, hands: Hands
) -> None:
    """A mention is one `app_mention`; a direct message is `message` with its channel type."""
    events: list[Any] = []

    async def on_event(event: Any) -> None:
        events.append((event["type"], event["text"], event.get("channel_type")))

    app.event("app_mention")(on_event)
    app.event("message")(on_event)
    await hands.do("message", user_id=RESEARCHER, channel_id=TRAINING, text="<@U0LOCALBOT1> status")
    await hands.do("message", user_id=RESEARCHER, channel_id=TRAINING, text="nothing for the bot")
    await hands.do("message", user_id=RESEARCHER, channel_id="D0RESEARCH1", text="help")
    await until(lambda: asyncio.sleep(0, events), lambda found: len(found) == 2)
    assert sorted(events) == [
        ("app_mention", "<@U0LOCALBOT1> status", None),
        ("message", "help", "im"),
    ]


async def test_a_mention_in_a_thread_names_the_thread(
    app: AsyncApp, connected: AsyncSocketModeHandler, hands: Hands
) -> None:
    """So that the bot knows which job is meant."""
    events: list[Any] = []

    async def on_event(event: Any) -> None:
        events.append(event)

    app.event("app_mention")(on_event)
    root = (await app.client.chat_postMessage(channel=TRAINING, text="job 7"))["ts"]
    await hands.do(
        "message",
        user_id=RESEARCHER,
        channel_id=TRAINING,
        text="<@U0LOCALBOT1> logs",
        thread_ts=root,
    )
    await until(lambda: asyncio.sleep(0, events), len)
    assert events[0]["thread_ts"] == root


async def test_twenty_commands_a_second_are_no_trouble(
    app: AsyncApp, connected: AsyncSocketModeHandler, hands: Hands
) -> None:
    """Sixty at once are all acknowledged."""

    async def on_slurm(ack: Any) -> None:
        await ack()

    app.command("/slurm")(on_slurm)
    done = await asyncio.gather(*(hands.do("slash", **SLASH) for _ in range(60)))
    assert all(one["acked"] for one in done)


async def test_joining_a_channel_is_an_event(
    app: AsyncApp, connected: AsyncSocketModeHandler, hands: Hands
) -> None:
    """When the app subscribed to it."""
    joined: list[Any] = []

    async def on_join(event: Any) -> None:
        joined.append((event["user"], event["channel"]))

    app.event("member_joined_channel")(on_join)
    await hands.do("invite", channel_id=PRIVATE, user_id="U0OUTSIDER1")
    await until(lambda: asyncio.sleep(0, joined), len)
    assert joined == [("U0OUTSIDER1", PRIVATE)]


async def test_opening_home_is_an_event(
    app: AsyncApp, connected: AsyncSocketModeHandler, hands: Hands
) -> None:
    """And the app publishes in answer."""

    async def on_home(event: Any, client: Any) -> None:
        await client.views_publish(user_id=event["user"], view=home(section("your jobs")))

    app.event("app_home_opened")(on_home)
    await hands.do("home", user_id=RESEARCHER)
    seen = await until(lambda: hands.see("views", user=RESEARCHER), lambda found: found["home"])
    assert seen["home"]["blocks"][0]["text"]["text"] == "your jobs"
