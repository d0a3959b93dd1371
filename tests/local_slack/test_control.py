"""The control interface: what a person could not do is refused, the workspace can be varied."""

from __future__ import annotations

from typing import Any

import pytest
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.demo.slack.workspace import ADMIN, OUTSIDER, PRIVATE, RESEARCHER, TRAINING
from tests.local_slack.conftest import Hands
from tests.local_slack.samples import actions, button, option, plain, section, select

OUTSIDE = {"user_id": OUTSIDER, "channel_id": PRIVATE}
WHERE = {"user_id": RESEARCHER, "channel_id": TRAINING}


@pytest.mark.parametrize(
    ("what", "body", "code"),
    [
        ("slash", {**WHERE, "command": "/slrum"}, "unknown_command"),
        ("slash", {**WHERE}, "missing_field"),
        ("slash", {**WHERE, "user_id": "U000", "command": "/slurm"}, "user_not_found"),
        ("slash", {**WHERE, "channel_id": "C000", "command": "/slurm"}, "channel_not_found"),
        ("slash", {**OUTSIDE, "command": "/slurm"}, "not_a_member"),
        ("message", {**WHERE, "text": "  "}, "no_text"),
        ("message", {**WHERE, "text": "x", "thread_ts": "1.0"}, "thread_not_found"),
        ("message", {**OUTSIDE, "text": "x"}, "not_a_member"),
        ("click", {**WHERE, "message_ts": "1.0", "action_id": "go"}, "message_not_found"),
        ("submit", {"user_id": RESEARCHER, "view_id": "V000"}, "not_found"),
        ("home", {"user_id": RESEARCHER, "tab": "about"}, "unknown_tab"),
        ("channel", {"name": "training"}, "name_taken"),
        ("channel", {"name": "x" * 81}, "invalid_name_maxlength"),
        ("channel", {}, "invalid_name_required"),
        ("channel", {"name": "Two words"}, "invalid_name_specials"),
    ],
)  # fmt: skip
async def test_what_cannot_be_done_is_refused(
    hands: Hands, what: str, body: dict[str, Any], code: str
) -> None:
    """With a word that says why."""
    answer = await hands.do(what, **body)
    assert (answer["ok"], answer["error"]) == (False, code)


async def test_a_click_must_find_its_element(client: AsyncWebClient, hands: Hands) -> None:
    """By action id, and by value among twins."""
    blocks = [
        actions(button("go", value="1"), block_id="a"),
        actions(button("go", value="2"), block_id="b"),
    ]
    posted = await client.chat_postMessage(channel=TRAINING, text="x", blocks=blocks)
    at = {**WHERE, "message_ts": posted["ts"]}
    assert (await hands.do("click", **at, action_id="stop"))["error"] == "action_not_found"
    assert (await hands.do("click", **at, action_id="go", value="3"))["error"] == "value_not_found"
    await hands.do("click", **at, action_id="go", value="2")
    (delivery,) = (await hands.see("deliveries"))["deliveries"]
    assert delivery["payload"]["actions"][0]["block_id"] == "b"
    assert delivery["error"] == "dispatch_failed"


async def test_somebody_else_s_ephemeral_message_cannot_be_clicked(
    client: AsyncWebClient, hands: Hands
) -> None:
    """It is not on their screen."""
    shown = await client.chat_postEphemeral(
        channel=TRAINING, user=RESEARCHER, text="x", blocks=[actions(button())]
    )
    body = {"channel_id": TRAINING, "message_ts": shown["message_ts"], "action_id": "go"}
    assert (await hands.do("click", user_id=ADMIN, **body))["error"] == "message_not_found"
    assert "error" in await hands.do("click", user_id=RESEARCHER, **body)


CHOICES: list[tuple[dict[str, Any], Any, dict[str, Any]]] = [
    (select("a", "b"), "b", {"selected_option": option("b")}),
    (
        {"type": "overflow", "action_id": "pick", "options": [option("a"), option("b")]},
        "a",
        {"selected_option": option("a")},
    ),
    (
        {"type": "checkboxes", "action_id": "pick", "options": [option("a"), option("b")]},
        ["a", "b"],
        {"selected_options": [option("a"), option("b")]},
    ),
    (
        {"type": "radio_buttons", "action_id": "pick", "options": [option("a"), option("b")]},
        "b",
        {"selected_option": option("b")},
    ),
    (
        {"type": "datepicker", "action_id": "pick"},
        "2026-05-01",
        {"selected_date": "2026-05-01"},
    ),
    ({"type": "timepicker", "action_id": "pick"}, "09:30", {"selected_time": "09:30"}),
    (
        {"type": "datetimepicker", "action_id": "pick"},
        1_800_000_000,
        {"selected_date_time": 1_800_000_000},
    ),
    ({"type": "users_select", "action_id": "pick"}, ADMIN, {"selected_user": ADMIN}),
    (
        {"type": "conversations_select", "action_id": "pick"},
        TRAINING,
        {"selected_conversation": TRAINING},
    ),
    (
        {"type": "channels_select", "action_id": "pick"},
        TRAINING,
        {"selected_channel": TRAINING},
    ),
    (
        {"type": "multi_users_select", "action_id": "pick"},
        [ADMIN, RESEARCHER],
        {"selected_users": [ADMIN, RESEARCHER]},
    ),
    (
        {**select("a", "b"), "type": "multi_static_select"},
        ["a"],
        {"selected_options": [option("a")]},
    ),
]


@pytest.mark.parametrize(("element", "value", "sent"), CHOICES, ids=lambda one: str(one)[:24])
async def test_a_choice_is_sent_as_slack_names_it(
    app: AsyncApp,
    connected: AsyncSocketModeHandler,
    hands: Hands,
    element: dict[str, Any],
    value: Any,
    sent: dict[str, Any],
) -> None:
    """In `actions`, and in `state` for those that keep what was chosen."""
    chosen: list[Any] = []

    async def on_pick(ack: Any, body: Any) -> None:
        await ack()
        chosen.append(body)

    app.action("pick")(on_pick)
    posted = await app.client.chat_postMessage(
        channel=TRAINING, text="x", blocks=[actions(element, block_id="where")]
    )
    done = await hands.do("select", **WHERE, message_ts=posted["ts"], action_id="pick", value=value)
    assert done["acked"]
    (body,) = chosen
    action = body["actions"][0]
    assert action["block_id"] == "where"
    assert without_emoji({name: action[name] for name in sent}) == sent
    state = body["state"]["values"].get("where", {}).get("pick")
    if element["type"] == "overflow":
        assert state is None
    else:
        assert without_emoji({name: state[name] for name in sent}) == sent


def without_emoji(tree: Any) -> Any:
    """As it was sent, without the flag that Slack adds to each text."""
    if isinstance(tree, list):
        return [without_emoji(one) for one in tree]
    if isinstance(tree, dict):
        return {name: without_emoji(one) for name, one in tree.items() if name != "emoji"}
    return tree


async def test_an_option_that_is_not_there_cannot_be_chosen(
    client: AsyncWebClient, hands: Hands
) -> None:
    """Nothing is sent."""
    posted = await client.chat_postMessage(
        channel=TRAINING, text="x", blocks=[section("x", accessory=select("a"))]
    )
    at = {**WHERE, "message_ts": posted["ts"], "action_id": "pick", "value": "z"}
    assert (await hands.do("select", **at))["error"] == "option_not_found"
    assert (await hands.see("deliveries"))["deliveries"] == []


async def test_suggestions_come_from_the_app(
    app: AsyncApp, connected: AsyncSocketModeHandler, hands: Hands
) -> None:
    """For an external select, as one types."""

    async def on_suggest(ack: Any, payload: Any) -> None:
        await ack(options=[{"text": plain(payload["value"]), "value": "x"}])

    app.options("pick")(on_suggest)
    element = {"type": "external_select", "action_id": "pick", "min_query_length": 1}
    posted = await app.client.chat_postMessage(
        channel=TRAINING, text="x", blocks=[actions(element)]
    )
    found = await hands.do(
        "options", **WHERE, message_ts=posted["ts"], action_id="pick", value="a3m"
    )
    assert found["ack"]["options"][0]["text"]["text"] == "a3m"


async def test_the_workspace_can_be_varied(client: AsyncWebClient, hands: Hands) -> None:
    """New people and channels, the app invited and removed, archives."""
    user = (await hands.do("user", name="newcomer"))["user"]["id"]
    channel = (await hands.do("channel", name="lab", private=True, members=[user]))["channel"]["id"]
    bot = (await hands.see("info"))["bot"]["user_id"]
    await hands.do("invite", channel_id=channel, user_id=bot)
    assert (await client.chat_postMessage(channel=channel, text="hello"))["ok"]
    assert (await hands.do("channel", id=channel, archived=True))["channel"]["archived"]
    await hands.do("remove", channel_id=channel, user_id=bot)
    info = await hands.see("info")
    assert user in {one["id"] for one in info["users"]}
    assert {one["name"]: one["members"] for one in info["channels"]}["lab"] == [user]
