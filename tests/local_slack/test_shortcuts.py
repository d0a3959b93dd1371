"""A message's menu, and what people upload: what the app gets of both."""

from __future__ import annotations

from typing import Any

import aiohttp
import pytest
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.demo.slack.manifest import BadManifest, parse
from bot.demo.slack.server import LocalSlack
from bot.demo.slack.workspace import ADMIN, GENERAL, OUTSIDER, RESEARCHER, TRAINING
from tests.local_slack.conftest import Hands, until

WHERE = {"user_id": RESEARCHER, "channel_id": TRAINING}


async def test_a_shortcut_brings_the_message_to_the_app(
    hands: Hands, app: AsyncApp, connected: AsyncSocketModeHandler
) -> None:
    """With its text, its files, its place, and a response URL that answers the person alone."""
    seen: list[dict[str, Any]] = []

    @app.shortcut("diagnose_log")
    async def asked(ack: Any, body: dict[str, Any], respond: Any) -> None:
        await ack()
        seen.append(body)
        await respond(text="a cause")

    said = await hands.upload({"train.log": b"boom"}, text="what is this?", **WHERE)
    done = await hands.do("shortcut", **WHERE, message_ts=said["ts"], callback_id="diagnose_log")

    assert (done["acked"], done["error"]) == (True, None)
    (body,) = seen
    assert (body["type"], body["callback_id"]) == ("message_action", "diagnose_log")
    assert (body["channel"]["id"], body["message_ts"]) == (TRAINING, said["ts"])
    assert body["message"]["text"] == "what is this?"
    assert [file["name"] for file in body["message"]["files"]] == ["train.log"]
    shown = await until(lambda: hands.messages(TRAINING), lambda all_: len(all_) == 2)
    assert (shown[-1]["ephemeral"], shown[-1]["text"]) == (RESEARCHER, "a cause")


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"callback_id": "elsewhere"}, "unknown_shortcut"),
        ({"callback_id": "nothing"}, "unknown_shortcut"),
        ({"message_ts": "1.0"}, "message_not_found"),
        ({"user_id": "U000"}, "not_a_member"),
    ],
)
async def test_only_what_the_menu_offers_can_be_chosen(
    hands: Hands, changes: dict[str, str], code: str
) -> None:
    """By who sees the message; a global shortcut is not of messages."""
    said = await hands.do("message", **WHERE, text="x")
    body = {**WHERE, "message_ts": said["ts"], "callback_id": "diagnose_log", **changes}
    assert (await hands.do("shortcut", **body))["error"] == code


async def test_what_one_person_alone_sees_has_no_menu(client: AsyncWebClient, hands: Hands) -> None:
    """As in Slack."""
    posted = await client.chat_postEphemeral(channel=TRAINING, user=RESEARCHER, text="psst")
    body = {**WHERE, "message_ts": posted["message_ts"], "callback_id": "diagnose_log"}
    assert (await hands.do("shortcut", **body))["error"] == "message_not_found"


async def fetched(session: aiohttp.ClientSession, url: str, token: str) -> tuple[int, bytes, str]:
    """Return status, content and where it was sent instead."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with session.get(url, headers=headers, allow_redirects=False) as answer:
        return answer.status, await answer.read(), answer.headers.get("Location", "")


async def test_a_private_file_is_given_for_the_bots_token_alone(
    slack: LocalSlack, hands: Hands, session: aiohttp.ClientSession
) -> None:
    """Anybody else is sent to a page to log in at, with a status that looks harmless."""
    await hands.upload({"my log.txt": b"boom"}, **WHERE)
    (message,) = await hands.messages(TRAINING)
    (file,) = message["files"]
    token = slack.platform.identity.bot_token
    for url in (file["url_private"], file["url_private_download"]):
        assert (await fetched(session, url, token))[:2] == (200, b"boom")
        for wrong in ("", "xoxb-wrong", slack.platform.identity.app_token):
            status, content, where = await fetched(session, url, wrong)
            assert (status, content) == (302, b"")
            assert "redir" in where
    assert slack.platform.traffic.since(0, "download")[0].answer == "4 bytes"


async def test_a_file_of_a_channel_without_the_app_is_not_given(
    slack: LocalSlack, hands: Hands, session: aiohttp.ClientSession
) -> None:
    """The scope reaches as far as the app's channels."""
    await hands.upload({"a.log": b"boom"}, user_id=ADMIN, channel_id=GENERAL)
    (message,) = await hands.messages(GENERAL)
    url = message["files"][0]["url_private_download"]
    assert (await fetched(session, url, slack.platform.identity.bot_token))[0] == 302


async def test_an_upload_must_hold_files(hands: Hands) -> None:
    """And come from who is in the channel."""
    assert (await hands.do("upload", **WHERE))["error"] == "no_form"
    outside = {"user_id": OUTSIDER, "channel_id": "C0PRIVATE01"}
    assert (await hands.upload({"a": b"x"}, **outside))["error"] == "not_a_member"


@pytest.mark.parametrize(
    "wrong", [{"name": "x" * 25}, {"description": ""}, {"callback_id": "x" * 256}]
)
def test_a_shortcut_is_as_short_as_slack_wants(wrong: dict[str, str]) -> None:
    """Else the manifest cannot be installed."""
    one = {"name": "Do", "type": "message", "callback_id": "do", "description": "Does", **wrong}
    features = {"bot_user": {"display_name": "x"}, "shortcuts": [one]}
    raw = {"display_information": {"name": "x"}, "features": features}
    with pytest.raises(BadManifest):
        parse({**raw, "oauth_config": {"scopes": {"bot": []}}})
