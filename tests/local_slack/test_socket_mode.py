"""Commands, clicks and events over Socket Mode, with Slack's own Bolt."""

from __future__ import annotations

from typing import Any

from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp

from bot.demo.slack.workspace import RESEARCHER, TRAINING
from tests.local_slack.conftest import Hands


async def test_a_slash_command_is_acknowledged_and_answered(
    app: AsyncApp, connected: AsyncSocketModeHandler, hands: Hands
) -> None:
    """The acknowledgement's text is shown to the person alone, `respond` adds to it."""

    async def on_slurm(ack: Any, command: Any, respond: Any) -> None:
        await ack(f"looking at {command['text']}")
        await respond("and here it is")

    app.command("/slurm")(on_slurm)
    done = await hands.do(
        "slash", user_id=RESEARCHER, channel_id=TRAINING, command="/slurm", text="jobs"
    )
    assert done["acked"]
    assert done["ack_ms"] < 1000
    assert done["ack"] == {"text": "looking at jobs"}
    seen = await hands.messages(TRAINING)
    assert {one["text"] for one in seen} == {"looking at jobs", "and here it is"}
    assert {one["ephemeral"] for one in seen} == {RESEARCHER}


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
    button = {
        "type": "button",
        "action_id": "go",
        "text": {"type": "plain_text", "text": "Go"},
        "value": "7",
    }
    posted = await app.client.chat_postMessage(
        channel=TRAINING, text="ready?", blocks=[{"type": "actions", "elements": [button]}]
    )
    done = await hands.do(
        "click", user_id=RESEARCHER, channel_id=TRAINING, message_ts=posted["ts"], action_id="go"
    )
    assert done["acked"]
    assert clicked[0]["actions"][0]["value"] == "7"
    assert clicked[0]["message"]["text"] == "ready?"
    (message,) = await hands.messages(TRAINING)
    assert message["text"] == "gone"
