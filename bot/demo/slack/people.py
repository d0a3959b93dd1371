"""What people do to the workspace without the app: write, invite, create."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from bot.demo.slack import events, texts, uploads
from bot.demo.slack.errors import Refused, SlackError
from bot.demo.slack.model import Channel, Json, Message, User
from bot.demo.slack.platform import Platform
from bot.demo.slack.uploads import Upload


def say(  # noqa: PLR0913  # each is a thing that a message can have
    platform: Platform,
    user_id: str,
    channel_id: str,
    text: str,
    *,
    thread_ts: str | None = None,
    typed: bool = False,
    files: Sequence[Upload] = (),
) -> Message:
    """Write into a channel or a thread; the app hears of it if it subscribed.

    `text` is in Slack's form (`<@U…>`) unless it is as `typed` (`@name`).
    """
    workspace = platform.workspace
    workspace.user(user_id)
    channel = workspace.channel(channel_id)
    if user_id not in channel.members:
        raise Refused("not_a_member", f"{user_id} is not in {channel_id}")
    if channel.archived:
        raise SlackError("is_archived")
    if not text.strip() and not files:
        raise SlackError("no_text")
    if thread_ts and workspace.find(channel, thread_ts) is None:
        raise SlackError("thread_not_found")
    stored = texts.typed(text, *workspace.names()) if typed else texts.stored(text)
    message = workspace.add(
        Message(
            ts=workspace.clock.ts(),
            channel=channel.id,
            user=user_id,
            text=stored,
            thread_ts=thread_ts,
            client_msg_id=str(uuid.uuid4()),
            subtype="file_share" if files else None,
            files=[uploads.keep(platform, one, user_id, channel).id for one in files],
            notified=texts.mentions(stored),
        )
    )
    platform.changed(message)
    events.announce(platform, channel, message)
    return message


def open_home(platform: Platform, user_id: str, tab: str) -> None:
    """Open the app's Home or Messages tab."""
    platform.workspace.user(user_id)
    if tab not in {"home", "messages"}:
        raise Refused("unknown_tab", "home or messages")
    events.home_opened(platform, user_id, tab)


def channel(platform: Platform, body: Json) -> Channel:
    """Create a channel, or change the one named by `id`."""
    workspace = platform.workspace
    if "id" in body:
        found = workspace.channel(body["id"])
    else:
        found = workspace.add_channel(
            str(body.get("name", "")),
            kind="private" if body.get("private") else "public",
            members=body.get("members", [one.id for one in workspace.users.values()]),
        )
    found.archived = bool(body.get("archived", found.archived))
    found.topic = str(body.get("topic", found.topic))
    platform.moved(found)
    return found


def user(platform: Platform, body: Json) -> User:
    """Let a new person into the team and its public channels."""
    workspace = platform.workspace
    one = workspace.add_user(
        User(
            id=workspace.new_id("U"),
            name=str(body.get("name") or "guest"),
            title=str(body.get("title", "")),
            is_admin=bool(body.get("is_admin")),
        )
    )
    for found in workspace.channels.values():
        if found.kind == "public":
            found.members.add(one.id)
            platform.moved(found)
    return one


def invite(platform: Platform, channel_id: str, user_id: str) -> None:
    """Bring a person, or the app, into a channel."""
    found = platform.workspace.channel(channel_id)
    platform.workspace.user(user_id)
    if user_id not in found.members:
        found.members.add(user_id)
        events.joined(platform, found, user_id)
        platform.moved(found)


def remove(platform: Platform, channel_id: str, user_id: str) -> None:
    """Take a person, or the app, out of a channel."""
    found = platform.workspace.channel(channel_id)
    found.members.discard(platform.workspace.user(user_id).id)
    platform.moved(found)
