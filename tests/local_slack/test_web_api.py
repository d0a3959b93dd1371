"""The Web API with Slack's own client: shapes, both verbs, threads, reading back."""

from __future__ import annotations

import json

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.demo.slack.server import LocalSlack
from bot.demo.slack.workspace import GENERAL, PRIVATE, RESEARCHER, TRAINING
from tests.local_slack.conftest import Hands
from tests.local_slack.samples import section


async def test_the_token_says_who_it_is(client: AsyncWebClient, slack: LocalSlack) -> None:
    """auth.test names the team, the bot and its user, and the scopes in a header."""
    who = await client.auth_test()
    identity = slack.platform.identity
    assert (who["team_id"], who["user_id"], who["bot_id"]) == (
        identity.team_id,
        identity.bot_user_id,
        identity.bot_id,
    )
    assert "chat:write" in who.headers["x-oauth-scopes"]


@pytest.mark.parametrize("verb", ["get", "form", "form_token", "json"])
async def test_arguments_come_any_way(
    slack: LocalSlack, session: aiohttp.ClientSession, verb: str
) -> None:
    """Query, form or JSON; the token in a header or among the arguments."""
    token = slack.platform.identity.bot_token
    address = f"{slack.api}chat.postMessage"
    blocks = [section("in blocks")]
    arguments = {"channel": TRAINING, "text": "hello", "blocks": json.dumps(blocks)}
    bearer = {"Authorization": f"Bearer {token}"}
    requests = {
        "get": ("GET", {"params": arguments, "headers": bearer}),
        "form": ("POST", {"data": arguments, "headers": bearer}),
        "form_token": ("POST", {"data": {**arguments, "token": token}}),
        "json": ("POST", {"json": {**arguments, "blocks": blocks}, "headers": bearer}),
    }
    method, options = requests[verb]
    async with session.request(method, address, **options) as answer:  # type: ignore[arg-type]  # a mixed table
        said = await answer.json()
    assert said["ok"]
    assert said["message"]["blocks"][0]["text"]["text"] == "in blocks"


async def test_a_message_reads_back_as_it_was_posted(client: AsyncWebClient) -> None:
    """With its author, and metadata only when asked for."""
    metadata = {"event_type": "told", "event_payload": {"id": "7"}}
    posted = await client.chat_postMessage(channel=TRAINING, text="hello", metadata=metadata)
    history = await client.conversations_history(channel=TRAINING, include_all_metadata=True)
    (message,) = history["messages"]
    assert message["ts"] == posted["ts"]
    assert message["metadata"] == metadata
    assert message["bot_profile"]["name"] == "testapp"
    (bare,) = (await client.conversations_history(channel=TRAINING))["messages"]
    assert "metadata" not in bare


async def test_history_is_read_in_windows_and_pages(client: AsyncWebClient, hands: Hands) -> None:
    """`oldest`, `latest`, `inclusive`, `limit` and `cursor` as Slack has them."""
    ts = []
    for number in range(5):
        said = await hands.do(
            "message", user_id=RESEARCHER, channel_id=TRAINING, text=f"message {number}"
        )
        ts.append(said["ts"])
    assert len(set(ts)) == 5

    async def texts(**window: str | int | bool) -> list[str]:
        page = await client.conversations_history(channel=TRAINING, **window)  # type: ignore[arg-type]  # each its own type
        return [str(one["text"][-1]) for one in page["messages"]]

    assert await texts() == ["4", "3", "2", "1", "0"]
    assert await texts(oldest=ts[1], latest=ts[3]) == ["2"]
    assert await texts(oldest=ts[1], latest=ts[3], inclusive=True) == ["3", "2", "1"]
    first = await client.conversations_history(channel=TRAINING, limit=2)
    assert first["has_more"]
    cursor = first["response_metadata"]["next_cursor"]
    assert await texts(limit=2, cursor=cursor) == ["2", "1"]


async def test_a_thread_has_a_root_and_replies(client: AsyncWebClient) -> None:
    """Replies stay out of the channel unless broadcast; the root counts them."""
    root = await client.chat_postMessage(channel=TRAINING, text="root")
    ts = root["ts"]
    quiet = await client.chat_postMessage(channel=TRAINING, text="quiet", thread_ts=ts)
    loud = await client.chat_postMessage(
        channel=TRAINING, text="loud", thread_ts=ts, reply_broadcast=True
    )
    deeper = await client.chat_postMessage(channel=TRAINING, text="deep", thread_ts=quiet["ts"])
    assert deeper["message"]["thread_ts"] == ts
    thread = await client.conversations_replies(channel=TRAINING, ts=ts)
    assert [one["text"] for one in thread["messages"]] == ["root", "quiet", "loud", "deep"]
    assert thread["messages"][0]["reply_count"] == 3
    later = await client.conversations_replies(channel=TRAINING, ts=ts, oldest=loud["ts"])
    assert [one["text"] for one in later["messages"]] == ["root", "deep"]
    history = await client.conversations_history(channel=TRAINING)
    assert [one["text"] for one in history["messages"]] == ["loud", "root"]


async def test_an_update_marks_the_message_as_edited(client: AsyncWebClient, hands: Hands) -> None:
    """The blocks go when only a text comes; what it said before is kept for tests."""
    posted = await client.chat_postMessage(channel=TRAINING, text="a", blocks=[section("a")])
    await client.chat_update(channel=TRAINING, ts=posted["ts"], text="b")
    (message,) = await hands.messages(TRAINING)
    assert message["text"] == "b"
    assert message["blocks"] is None
    assert message["edited"]
    assert [one["text"] for one in message["edits"]] == ["a"]
    await client.chat_delete(channel=TRAINING, ts=posted["ts"])
    assert await hands.messages(TRAINING) == []


async def test_an_ephemeral_message_is_one_person_s(client: AsyncWebClient, hands: Hands) -> None:
    """It is in nobody's history and cannot be updated."""
    shown = await client.chat_postEphemeral(channel=TRAINING, user=RESEARCHER, text="psst")
    (message,) = await hands.messages(TRAINING, user=RESEARCHER)
    assert message["ephemeral"] == RESEARCHER
    assert await hands.messages(TRAINING, user="U0ADMIN0001") == []
    assert (await client.conversations_history(channel=TRAINING))["messages"] == []
    with pytest.raises(SlackApiError, match="message_not_found"):
        await client.chat_update(channel=TRAINING, ts=shown["message_ts"], text="x")


async def test_posting_to_a_person_opens_the_direct_message(client: AsyncWebClient) -> None:
    """`channel` may be a user."""
    opened = await client.conversations_open(users=[RESEARCHER])
    posted = await client.chat_postMessage(channel=RESEARCHER, text="hello")
    assert posted["channel"] == opened["channel"]["id"]


async def test_a_public_channel_takes_posts_with_the_scope(
    client: AsyncWebClient, slack: LocalSlack
) -> None:
    """chat:write.public, or being in the channel."""
    with pytest.raises(SlackApiError, match="not_in_channel"):
        await client.chat_postMessage(channel=GENERAL, text="x")
    await client.conversations_join(channel=GENERAL)
    assert (await client.chat_postMessage(channel="#general", text="x"))["channel"] == GENERAL
    again = await client.conversations_join(channel=GENERAL)
    assert again["warning"] == "already_in_channel"


async def test_the_app_sees_what_it_may(client: AsyncWebClient, hands: Hands) -> None:
    """Public channels, and private ones that it is in."""

    async def names(types: str) -> set[str]:
        page = await client.conversations_list(types=types)
        return {one["name"] for one in page["channels"]}

    assert await names("public_channel") == {"training", "general"}
    assert await names("private_channel") == {"private-lab", "cluster-admins"}
    bot = (await hands.see("info"))["bot"]["user_id"]
    await hands.do("remove", channel_id=PRIVATE, user_id=bot)
    assert await names("private_channel") == {"cluster-admins"}
    mine = await client.users_conversations()
    assert [one["name"] for one in mine["channels"]] == ["training"]
    info = await client.conversations_info(channel=TRAINING)
    assert info["channel"]["is_member"]
    members = await client.conversations_members(channel=TRAINING)
    assert RESEARCHER in members["members"]


async def test_users_have_slack_s_shape(client: AsyncWebClient) -> None:
    """Invented names, no people."""
    user = (await client.users_info(user=RESEARCHER, include_locale=True))["user"]
    assert (user["name"], user["is_bot"], user["locale"]) == ("researcher", False, "en-US")
    everybody = await client.users_list()
    assert {one["name"] for one in everybody["members"]} >= {"admin", "outsider", "testapp"}


async def test_a_reaction_counts_once(client: AsyncWebClient) -> None:
    """The second is "already_reacted"; it can be taken back."""
    ts = (await client.chat_postMessage(channel=TRAINING, text="x"))["ts"]
    await client.reactions_add(channel=TRAINING, timestamp=ts, name="eyes")
    with pytest.raises(SlackApiError) as refused:
        await client.reactions_add(channel=TRAINING, timestamp=ts, name="eyes")
    assert refused.value.response["error"] == "already_reacted"
    (message,) = (await client.conversations_history(channel=TRAINING))["messages"]
    assert message["reactions"][0]["count"] == 1
    await client.reactions_remove(channel=TRAINING, timestamp=ts, name="eyes")
    (message,) = (await client.conversations_history(channel=TRAINING))["messages"]
    assert "reactions" not in message


async def test_blocks_are_validated_without_a_token(
    slack: LocalSlack, session: aiohttp.ClientSession
) -> None:
    """As Slack's own validator does it."""
    client = AsyncWebClient(base_url=slack.api, session=session)
    assert (await client.blocks_validate(blocks=[section("x")]))["ok"]
    assert (await client.blocks_validate(message={"text": "x", "blocks": [section()]}))["ok"]
    with pytest.raises(SlackApiError, match="invalid_blocks"):
        await client.blocks_validate(blocks=[section("")])


async def test_a_missing_scope_is_named(slack: LocalSlack, client: AsyncWebClient) -> None:
    """`needed` and `provided` say what to add to the manifest."""
    with pytest.raises(SlackApiError) as refused:
        await client.usergroups_list()
    assert refused.value.response["needed"] == "usergroups:read"
    assert "chat:write" in refused.value.response["provided"].split(",")


async def test_a_permalink_leads_to_the_message(client: AsyncWebClient) -> None:
    """Slack's form of address."""
    ts = (await client.chat_postMessage(channel=TRAINING, text="x"))["ts"]
    link = (await client.chat_getPermalink(channel=TRAINING, message_ts=ts))["permalink"]
    assert link.endswith(f"/archives/{TRAINING}/p{ts.replace('.', '')}")


async def test_what_the_app_sent_is_on_record(client: AsyncWebClient, hands: Hands) -> None:
    """With arguments, answer and time; the token is not."""
    await client.chat_postMessage(channel=TRAINING, text="first")
    (call,) = (await hands.see("traffic", method="chat.postMessage"))["calls"]
    assert call["arguments"]["text"] == "first"
    assert "token" not in call["arguments"]
    assert call["answer"]["ok"]
    await client.auth_test()
    later = (await hands.see("traffic", since=str(call["at"])))["calls"]
    assert [one["method"] for one in later] == ["auth.test"]
