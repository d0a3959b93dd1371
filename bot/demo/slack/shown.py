"""What the control interface and the page show of the workspace."""

from __future__ import annotations

from bot.demo.slack import wire
from bot.demo.slack.delivery import Delivery
from bot.demo.slack.model import Channel, Json, Message, User, View
from bot.demo.slack.platform import Platform


def user(one: User) -> Json:
    """A person."""
    return {
        "id": one.id,
        "name": one.name,
        "title": one.title,
        "is_admin": one.is_admin,
        "is_bot": one.is_bot,
    }


def channel(one: Channel, reader: str | None = None) -> Json:
    """A channel; `latest` is the newest message that the reader sees there."""
    seen = (
        message.ts
        for message in reversed(one.messages.values())
        if message.ephemeral_to in {None, reader} and (not message.is_reply or message.broadcast)
    )
    return {
        "id": one.id,
        "name": one.name,
        "kind": one.kind,
        "topic": one.topic,
        "archived": one.archived,
        "members": sorted(one.members),
        "person": one.person,
        "latest": next(seen, None),
    }


def message(platform: Platform, one: Message) -> Json:
    """A message with all that tests and the page want to know."""
    replies = platform.workspace.replies(platform.workspace.channels[one.channel], one.ts)
    files = platform.workspace.files
    return {
        "ts": one.ts,
        "channel": one.channel,
        "user": one.user,
        "username": one.username,
        "text": one.text,
        "blocks": one.blocks,
        "attachments": one.attachments,
        "metadata": one.metadata,
        "thread_ts": one.thread_ts,
        "broadcast": one.broadcast,
        "reply_count": len(replies),
        "latest_reply": replies[-1].ts if replies else None,
        "ephemeral": one.ephemeral_to,
        "by_bot": one.by_bot,
        "edited": one.edited_ts,
        "edits": [{"ts": edit.ts, "text": edit.text, "blocks": edit.blocks} for edit in one.edits],
        "reactions": one.reactions,
        "files": [wire.file(platform, files[key]) for key in one.files if key in files],
        "notified": sorted(one.notified),
    }


def messages(
    platform: Platform,
    place: Channel,
    *,
    thread_ts: str | None = None,
    reader: str | None = None,
    newest: int | None = None,
) -> list[Json]:
    """Everything in a channel or one thread; with `reader`, only what that person sees."""
    found = [
        one
        for one in place.messages.values()
        if thread_ts is None or thread_ts in {one.ts, one.thread_ts}
    ]
    if reader is not None:
        found = [one for one in found if one.ephemeral_to in {None, reader}]
    kept = found if newest is None else found[-newest:]
    return [message(platform, one) for one in kept]


def view(platform: Platform, one: View) -> Json:
    """An open view with what was entered, its errors, and the app's body."""
    return wire.view(platform, one) | {"user": one.user, "errors": one.errors, "notice": one.notice}


def views(platform: Platform, user_id: str) -> Json:
    """A person's modals, topmost last, and Home."""
    home = platform.views.homes.get(user_id)
    return {
        "modals": [view(platform, one) for one in platform.views.stacks.get(user_id, [])],
        "home": view(platform, home) if home else None,
    }


def delivery(one: Delivery) -> Json:
    """One attempt to deliver an envelope."""
    return {
        "at": one.at,
        "envelope_id": one.envelope.id,
        "type": one.envelope.kind,
        "payload": one.envelope.payload,
        "retry_attempt": one.envelope.retry_attempt,
        "acked": one.ack.acked,
        "ack_ms": one.ack.ms,
        "ack": one.ack.payload,
        "error": one.ack.error,
    }


def info(platform: Platform, reader: str | None = None) -> Json:
    """The team at a glance; no tokens."""
    identity, workspace = platform.identity, platform.workspace
    return {
        "team": {"id": identity.team_id, "name": identity.team_name},
        "app": {"id": identity.app_id, "name": platform.manifest.name},
        "bot": {
            "user_id": identity.bot_user_id,
            "bot_id": identity.bot_id,
            "online": platform.online,
            "connections": len(platform.sockets.links),
            "sessions": platform.sockets.sessions,
        },
        "users": [user(one) for one in workspace.users.values()],
        "channels": [channel(one, reader) for one in workspace.channels.values()],
        "commands": [
            {"name": one.name, "description": one.description, "usage_hint": one.usage_hint}
            for one in platform.manifest.commands
        ],
        "shortcuts": [
            {
                "name": one.name,
                "callback_id": one.callback_id,
                "description": one.description,
            }
            for one in platform.manifest.shortcuts
        ],
        "home_enabled": platform.manifest.home_enabled,
    }
