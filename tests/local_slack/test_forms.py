"""Filling in, submitting and closing modals; the app's answers carried out."""

from __future__ import annotations

from typing import Any

import pytest
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp

from bot.demo.slack.server import LocalSlack
from bot.demo.slack.workspace import ADMIN, RESEARCHER, TRAINING
from tests.local_slack.conftest import Hands
from tests.local_slack.samples import (
    Json,
    actions,
    button,
    entry,
    modal,
    plain,
    section,
    select,
    typed,
)


async def opened(app: AsyncApp, slack: LocalSlack, view: Json) -> str:
    """A modal on the researcher's screen."""
    trigger = slack.platform.triggers.issue(RESEARCHER)
    return str((await app.client.views_open(trigger_id=trigger, view=view))["view"]["id"])


def answering(app: AsyncApp, **answer: Any) -> list[Any]:
    """Let the app answer each submission so; collects what it was sent."""
    got: list[Any] = []

    async def on_submit(ack: Any, body: Any) -> None:
        got.append(body)
        await ack(**answer)

    app.view("form")(on_submit)
    return got


FORM = modal(
    entry("name", typed()),
    entry("size", select("small", "large"), optional=True),
    callback_id="form",
    private_metadata="job 7",
)


async def test_a_submission_carries_what_was_filled_in(
    app: AsyncApp, connected: AsyncSocketModeHandler, slack: LocalSlack, hands: Hands
) -> None:
    """And an empty answer closes the modal."""
    got = answering(app)
    view_id = await opened(app, slack, FORM)
    values = {"name": {"words": "llama"}, "pick": "large"}
    done = await hands.do("submit", user_id=RESEARCHER, view_id=view_id, values=values)
    assert done["acked"]
    state = got[0]["view"]["state"]["values"]
    assert state["name"]["words"] == {"type": "plain_text_input", "value": "llama"}
    assert state["size"]["pick"]["selected_option"]["value"] == "large"
    assert got[0]["view"]["private_metadata"] == "job 7"
    assert (await hands.see("views", user=RESEARCHER))["modals"] == []


async def test_errors_are_shown_at_their_fields(
    app: AsyncApp, connected: AsyncSocketModeHandler, slack: LocalSlack, hands: Hands
) -> None:
    """The modal stays open with what was typed."""
    answering(app, response_action="errors", errors={"name": "No such recipe."})
    view_id = await opened(app, slack, FORM)
    done = await hands.do("submit", user_id=RESEARCHER, view_id=view_id, values={"words": "x"})
    assert done["errors"] == {"name": "No such recipe."}
    (view,) = (await hands.see("views", user=RESEARCHER))["modals"]
    assert view["errors"] == {"name": "No such recipe."}
    assert view["state"]["values"]["name"]["words"]["value"] == "x"


@pytest.mark.parametrize(
    ("answer", "titles"),
    [
        ({"response_action": "update", "view": modal(section(), title=plain("Two"))}, ["Two"]),
        (
            {"response_action": "push", "view": modal(section(), title=plain("Two"))},
            ["Form", "Two"],
        ),
        ({"response_action": "clear"}, []),
    ],
)
async def test_the_answer_changes_the_stack(
    app: AsyncApp,
    connected: AsyncSocketModeHandler,
    slack: LocalSlack,
    hands: Hands,
    answer: Json,
    titles: list[str],
) -> None:
    """update, push, clear."""
    answering(app, **answer)
    view_id = await opened(app, slack, FORM)
    await hands.do("submit", user_id=RESEARCHER, view_id=view_id, values={"words": "x"})
    modals = (await hands.see("views", user=RESEARCHER))["modals"]
    assert [one["title"]["text"] for one in modals] == titles


async def test_a_bad_view_in_an_answer_is_trouble(
    app: AsyncApp, connected: AsyncSocketModeHandler, slack: LocalSlack, hands: Hands
) -> None:
    """The person sees that it failed."""
    answering(app, response_action="update", view=modal(section("")))
    view_id = await opened(app, slack, FORM)
    done = await hands.do("submit", user_id=RESEARCHER, view_id=view_id, values={"words": "x"})
    assert "trouble" in done["error"]


FIELDS: list[tuple[Json, Any, str]] = [
    (typed(), "", "Please complete this required field."),
    (typed(min_length=3), "ab", "Use at least 3 characters."),
    (typed(max_length=3), "abcd", "Use at most 3 characters."),
    (
        {"type": "number_input", "action_id": "words", "is_decimal_allowed": False},
        "1.5",
        "Enter a whole number.",
    ),
    (
        {
            "type": "number_input",
            "action_id": "words",
            "is_decimal_allowed": False,
            "min_value": "1",
        },
        "0",
        "Enter a number of at least 1.",
    ),
    ({"type": "email_text_input", "action_id": "words"}, "x", "Enter a valid email address."),
    ({"type": "url_text_input", "action_id": "words"}, "x", "Enter a valid URL."),
]


@pytest.mark.parametrize("field", FIELDS, ids=lambda one: one[2])
async def test_slack_s_own_checks_come_first(
    app: AsyncApp,
    connected: AsyncSocketModeHandler,
    slack: LocalSlack,
    hands: Hands,
    field: tuple[Json, Any, str],
) -> None:
    """The app is not even asked."""
    element, value, said = field
    got = answering(app)
    view_id = await opened(app, slack, modal(entry("name", element), callback_id="form"))
    refused = await hands.do("submit", user_id=RESEARCHER, view_id=view_id, values={"words": value})
    assert (refused["error"], refused["message"]) == ("incomplete", said)
    assert got == []


async def test_an_input_speaks_only_when_told_to(
    app: AsyncApp, connected: AsyncSocketModeHandler, slack: LocalSlack, hands: Hands
) -> None:
    """`dispatch_action` makes a field send block_actions."""
    heard: list[Any] = []

    async def on_words(ack: Any, body: Any) -> None:
        await ack()
        heard.append(body["view"]["state"]["values"])

    app.action("words")(on_words)
    view = modal(
        entry("quiet", {**typed(), "action_id": "silent"}),
        entry("loud", typed(), dispatch_action=True),
    )
    view_id = await opened(app, slack, view)
    who = {"user_id": RESEARCHER, "view_id": view_id}
    await hands.do("select", **who, action_id="silent", value="one")
    await hands.do("select", **who, action_id="words", value="two")
    (state,) = heard
    assert state["quiet"]["silent"]["value"] == "one"
    assert state["loud"]["words"]["value"] == "two"


async def test_closing_is_told_if_the_app_asked(
    app: AsyncApp, connected: AsyncSocketModeHandler, slack: LocalSlack, hands: Hands
) -> None:
    """`notify_on_close`."""
    closed: list[Any] = []

    async def on_closed(ack: Any, body: Any) -> None:
        await ack()
        closed.append(body["is_cleared"])

    app.view_closed("form")(on_closed)
    quiet = await opened(app, slack, modal(section(), callback_id="form"))
    await hands.do("close", user_id=RESEARCHER, view_id=quiet)
    loud = await opened(app, slack, modal(section(), callback_id="form", notify_on_close=True))
    await hands.do("close", user_id=RESEARCHER, view_id=loud)
    assert closed == [False]
    assert (await hands.see("views", user=RESEARCHER))["modals"] == []


async def test_a_button_in_a_modal_can_push_another(
    app: AsyncApp, connected: AsyncSocketModeHandler, slack: LocalSlack, hands: Hands
) -> None:
    """With the trigger of the click."""

    async def on_go(ack: Any, body: Any, client: Any) -> None:
        await ack()
        await client.views_push(trigger_id=body["trigger_id"], view=modal(section()))

    app.action("go")(on_go)
    view_id = await opened(app, slack, modal(actions(button())))
    await hands.do("click", user_id=RESEARCHER, view_id=view_id, action_id="go")
    assert len((await hands.see("views", user=RESEARCHER))["modals"]) == 2


async def test_somebody_else_s_modal_cannot_be_submitted(
    app: AsyncApp, slack: LocalSlack, hands: Hands
) -> None:
    """It is not on their screen."""
    view_id = await opened(app, slack, FORM)
    answer = await hands.do("submit", user_id=ADMIN, view_id=view_id, values={})
    assert answer["error"] == "view_not_found"


async def test_a_channel_select_can_give_a_response_url(
    app: AsyncApp, connected: AsyncSocketModeHandler, slack: LocalSlack, hands: Hands
) -> None:
    """With `response_url_enabled`."""
    got = answering(app)
    element = {
        "type": "conversations_select",
        "action_id": "where",
        "response_url_enabled": True,
    }
    view_id = await opened(app, slack, modal(entry("to", element), callback_id="form"))
    await hands.do("submit", user_id=RESEARCHER, view_id=view_id, values={"where": TRAINING})
    (url,) = got[0]["response_urls"]
    assert (url["channel_id"], url["action_id"]) == (TRAINING, "where")
