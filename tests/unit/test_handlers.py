"""What Slack delivers becomes one act, kept before it is acknowledged."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from slack_bolt.async_app import AsyncApp, AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from bot.cards.trouble import CAME_LATE
from bot.demo.slack.manifest import load
from bot.demo.slack.server import LocalSlack, assemble
from bot.demo.slack.workspace import RESEARCHER, TRAINING
from bot.errors import StoreFailed
from bot.model import Act, ActKind
from handlers import acts
from handlers.app import COMMANDS, LATE, NOT_KEPT, register
from tests.unit.telling import until

Json = dict[str, Any]
MANIFEST = Path(__file__).parents[2] / "manifest.yml"


def command(**changes: Any) -> Json:
    """A slash command as Slack delivers it."""
    usual = {
        "team_id": "T1",
        "user_id": "U1",
        "channel_id": "C1",
        "command": "/slurm",
        "text": "jobs",
        "trigger_id": "1.2.3",
        "response_url": "https://hooks.example.org/1",
    }
    return usual | changes


def event(**changes: Any) -> Json:
    """A mention in a channel."""
    usual = {
        "type": "app_mention",
        "user": "U1",
        "channel": "C1",
        "ts": "100.1",
        "text": "<@U0BOT> jobs",
    }
    return usual | changes


def click(*, action: Json | None = None, **changes: Any) -> Json:
    """A click on a button of a message."""
    button = {"type": "button", "action_id": "cancel_job", "value": "alice:75", "action_ts": "9.9"}
    usual = {
        "type": "block_actions",
        "team": {"id": "T1"},
        "user": {"id": "U1"},
        "channel": {"id": "C1"},
        "message": {"ts": "100.1", "thread_ts": "99.0"},
        "actions": [action or button],
        "trigger_id": "1.2.3",
        "response_url": "https://hooks.example.org/1",
    }
    return usual | changes


def chosen(value: str) -> Json:
    """A choice in a select."""
    option = {"text": {"type": "plain_text", "text": "x"}, "value": value}
    return {"type": "static_select", "action_id": "resubmit_partition", "selected_option": option}


def test_a_delivery_that_comes_again_is_the_same_act() -> None:
    """Whenever, and to whichever process, it comes; its text has no part in that."""
    again, other = command(text="jobs all"), command(trigger_id="1.2.4")

    assert acts.slash(command()).id == acts.slash(again).id != acts.slash(other).id
    assert acts.control(click()) != acts.control(click(trigger_id="1.2.4"))
    assert _id(acts.control(click())) == _id(acts.control(click()))
    assert _id(acts.message(event(), "T1")) != _id(acts.message(event(ts="100.2"), "T1"))


def test_teams_and_kinds_never_share_an_act() -> None:
    """Their ids are unique within a team and a kind only."""
    ids = {
        acts.slash(command()).id,
        acts.slash(command(team_id="T2")).id,
        acts.slash(command(team_id="", enterprise_id="E1")).id,
        _id(acts.control(click())),
        _id(acts.control(click(team={"id": "T2"}))),
        _id(acts.message(event(ts="1.2.3"), "T1")),
    }

    assert len(ids) == 6


def test_a_mention_in_a_direct_message_is_one_act_though_two_events_tell_of_it() -> None:
    """Its ts names it."""
    mention, direct = event(), event(type="message", channel_type="im")

    assert _id(acts.message(mention, "T1")) == _id(acts.message(direct, "T1"))


def test_an_old_client_without_trigger_ids_is_told_apart_by_the_time_of_the_click() -> None:
    """Slack gives every action a time of its own."""
    first, second = click(trigger_id=""), click(trigger_id="")
    second["actions"][0]["action_ts"] = "9.8"

    assert _id(acts.control(first)) != _id(acts.control(second))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<@U0BOT> jobs all", "jobs all"),
        ("<@U0BOT|sbatchat>, jobs", "jobs"),
        ("  <@U0BOT>: why 75", "why 75"),
        ("jobs <@U0BOT>", "jobs <@U0BOT>"),
        ("", ""),
    ],
)
def test_the_mention_in_front_is_no_word_of_the_command(text: str, words: str) -> None:
    """One that stands elsewhere is left to the grammar."""
    act = acts.message(event(text=text, thread_ts="99.0"), "T1")

    assert act is not None
    assert (act.text, act.caller.thread, act.message_ts) == (words, "99.0", "100.1")


@pytest.mark.parametrize(
    "changes", [{"subtype": "message_changed"}, {"bot_id": "B1"}, {"user": None}]
)
def test_what_no_person_wrote_is_no_act(changes: Json) -> None:
    """Above all, nothing that the bot itself wrote."""
    assert acts.message(event(**changes), "T1") is None


@pytest.mark.parametrize("subtype", ["file_share", "thread_broadcast", "me_message"])
def test_words_beside_a_file_are_a_persons_words(subtype: str) -> None:
    """A token that comes with a file is told of like any other."""
    act = acts.message(event(subtype=subtype, text="hf_" + "a1" * 17), "T1")

    assert act is not None
    assert act.leaked == ("hugging_face",)


@pytest.mark.parametrize("missing", ["actions", "message", "channel"])
def test_a_control_outside_a_message_is_no_act(missing: str) -> None:
    """As on a Home tab."""
    assert acts.control(click(**{missing: None})) is None


def test_a_control_on_a_message_that_one_person_sees_is_an_act_without_the_message() -> None:
    """Slack tells its place alone."""
    place = {"type": "message", "message_ts": "100.2", "thread_ts": "99.0", "is_ephemeral": True}

    act = acts.control(click(message=None, container=place))

    assert act is not None
    assert act.ephemeral
    assert (act.message_ts, act.caller.thread) == ("100.2", "99.0")
    assert acts.control(click(message=None, container={"type": "view"})) is None
    assert not _is_ephemeral(acts.control(click()))


def _is_ephemeral(act: Act | None) -> bool:
    assert act is not None
    return act.ephemeral


def test_a_click_and_a_choice_say_what_they_act_on() -> None:
    """And where they were made."""
    button, select = acts.control(click()), acts.control(click(action=chosen("alice:75|a3u")))

    assert button is not None
    assert (button.kind, button.action, button.value) == (
        ActKind.BUTTON,
        "cancel_job",
        "alice:75",
    )
    assert (button.caller.user, button.caller.channel, button.caller.thread) == ("U1", "C1", "99.0")
    assert select is not None
    assert (select.kind, select.value) == (ActKind.SELECT, "alice:75|a3u")


@pytest.mark.parametrize(
    "token", ["xoxb-" + "1234567890-abcdef", "hf_" + "aB3" * 11, "ghp_" + "a1B2" * 9]
)
def test_a_pasted_token_is_taken_out_before_anything_is_kept(token: str) -> None:
    """The words around it stay."""
    typed = f"submit train.sh --export HF_TOKEN={token}"
    kept = (acts.slash(command(text=typed)), acts.message(event(text=typed), "T1"))

    for act in kept:
        assert act is not None
        assert token not in act.model_dump_json()
        assert act.text.startswith("submit train.sh --export HF_TOKEN=")


def test_an_act_remembers_that_something_was_taken_out_of_it() -> None:
    """The desk then says so instead of running what is left."""
    typed = "submit train.sh HF_TOKEN=hf_" + "aB3" * 11
    for act in (acts.slash(command(text=typed)), acts.message(event(text=typed), "T1")):
        assert act is not None
        assert act.leaked == ("hugging_face",)
    assert acts.slash(command(text="submit train.sh")).leaked == ()


def test_a_secret_of_the_bots_own_is_known_whatever_it_looks_like() -> None:
    """It has no shape that gives it away."""
    act = acts.slash(command(text="submit correct-horse-battery"), {"correct-horse-battery"})
    assert (act.text, act.leaked) == ("submit [redacted]", ("other",))


def _id(act: Act | None) -> str:
    assert act is not None
    return act.id


@dataclass
class Door:
    """The listeners, and what they hand on."""

    app: AsyncApp
    slack: LocalSlack
    acts: list[Act] = field(default_factory=list)
    error: Exception | None = None
    slow: float = 0.0
    """Seconds that keeping an act takes."""

    async def accept(self, act: Act) -> bool:
        """Keep an act, unless that fails."""
        if self.error is not None:
            raise self.error
        await asyncio.sleep(self.slow)
        self.acts.append(act)
        return True

    async def deliver(self, body: Json) -> BoltResponse:
        """Deliver as Socket Mode does; the answer is what is acknowledged."""
        return await self.app.async_dispatch(AsyncBoltRequest(body=body, mode="socket_mode"))


@pytest.fixture
async def door() -> AsyncIterator[Door]:
    """The bot's listeners in front of a local Slack."""
    platform = assemble(load(MANIFEST))
    async with LocalSlack(platform) as slack, aiohttp.ClientSession() as session:
        token = platform.identity.bot_token
        client = AsyncWebClient(token=token, base_url=slack.api, session=session)
        made = Door(AsyncApp(client=client, request_verification_enabled=False), slack)
        register(made.app, made.accept)
        yield made


def told(body: Json, **changes: Any) -> Json:
    """An event in its envelope."""
    return {"type": "event_callback", "team_id": "T1", "event": body, **changes}


@pytest.mark.parametrize("name", COMMANDS)
async def test_a_command_is_kept_and_acknowledged_without_a_word(door: Door, name: str) -> None:
    """The answer comes later, by other ways."""
    answer = await door.deliver(command(command=name))

    assert (answer.status, answer.body) == (200, "")
    assert [act.command for act in door.acts] == [name]


async def test_a_command_that_slack_calls_failed_is_told_to_have_arrived(door: Door) -> None:
    """Who types it again would have it done twice."""
    door.slow = LATE.total_seconds() + 0.1
    platform = door.slack.platform
    url = f"{platform.base_url}/response/{platform.response_urls.issue(RESEARCHER, TRAINING)}"

    await door.deliver(command(response_url=url))

    channel = platform.workspace.channels[TRAINING].messages
    await until(lambda: [one.text for one in channel.values()] == [CAME_LATE])
    assert len(door.acts) == 1


async def test_any_control_is_kept_and_acknowledged(door: Door) -> None:
    """Also one that this version does not know: whoever clicked is told."""
    unknown = {"type": "button", "action_id": "from_long_ago", "value": "v", "action_ts": "1.1"}

    assert (await door.deliver(click())).status == 200
    assert (await door.deliver(click(action=unknown))).status == 200
    assert [act.action for act in door.acts] == ["cancel_job", "from_long_ago"]


async def test_mentions_and_direct_messages_are_kept_and_other_events_only_acknowledged(
    door: Door,
) -> None:
    """A bot's own message is an event as well."""
    direct = event(type="message", channel="D1", channel_type="im", ts="100.2")

    for one in (event(), direct, event(type="message", bot_id="B1", ts="100.3")):
        assert (await door.deliver(told(one))).status == 200
    assert [act.caller.channel for act in door.acts] == ["C1", "D1"]


async def test_a_command_that_cannot_be_kept_is_answered_at_once(door: Door) -> None:
    """Its person is the only one who can send it again."""
    door.error = StoreFailed("database or disk is full")

    answer = await door.deliver(command())

    assert answer.status == 200
    assert NOT_KEPT in answer.body


async def test_an_event_that_cannot_be_kept_is_not_acknowledged(door: Door) -> None:
    """Slack delivers it again."""
    door.error = StoreFailed("database or disk is full")
    assert (await door.deliver(told(event()))).status == 503

    door.error = None
    assert (await door.deliver(told(event()))).status == 200
    assert len(door.acts) == 1


async def test_a_fault_of_the_bot_is_logged_and_never_acknowledged(
    door: Door, caplog: pytest.LogCaptureFixture
) -> None:
    """An acknowledged command that nobody keeps would be lost without a word."""
    door.error = RuntimeError("nobody thought of this")

    with caplog.at_level(logging.ERROR, "handlers.app"):
        answer = await door.deliver(command())

    assert answer.status != 200
    assert "delivery_failed" in [getattr(record, "action", "") for record in caplog.records]


async def test_a_click_that_cannot_be_kept_is_answered_to_its_person(door: Door) -> None:
    """On the response URL, since the acknowledgement of a click says nothing."""
    door.error = StoreFailed("database or disk is full")
    platform = door.slack.platform
    key = platform.response_urls.issue(RESEARCHER, TRAINING)

    await door.deliver(click(response_url=f"{platform.base_url}/response/{key}"))

    await until(lambda: bool(platform.traffic.since(0, "response_url")))
    [call] = platform.traffic.since(0, "response_url")
    assert call.answer == "ok"
    assert (call.arguments["text"], call.arguments["response_type"]) == (NOT_KEPT, "ephemeral")
