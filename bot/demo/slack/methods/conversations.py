"""conversations.*: channels and what was said in them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bot.demo.slack import events, wire
from bot.demo.slack.arguments import Arguments
from bot.demo.slack.errors import SlackError
from bot.demo.slack.methods.method import Method
from bot.demo.slack.methods.paging import page
from bot.demo.slack.model import Channel, Json, Message
from bot.demo.slack.platform import Platform

_PREFIX = {"public": "channels", "private": "groups", "im": "im"}
_TYPE = {"public": "public_channel", "private": "private_channel", "im": "im"}
_TS = re.compile(r"\d+(\.\d+)?")


def _scopes(verb: str) -> tuple[str, ...]:
    return tuple(f"{prefix}:{verb}" for prefix in ("channels", "groups", "im", "mpim"))


def _need(platform: Platform, channel: Channel, verb: str) -> None:
    scope = f"{_PREFIX[channel.kind]}:{verb}"
    if scope not in platform.manifest.scopes:
        raise SlackError(
            "missing_scope", needed=scope, provided=",".join(sorted(platform.manifest.scopes))
        )


def _seen(platform: Platform, arguments: Arguments) -> Channel:
    """The channel if the app may know of it."""
    channel = platform.workspace.channel(arguments.required("channel", "channel_not_found"))
    if channel.kind != "public" and platform.bot not in channel.members:
        raise SlackError("channel_not_found")
    return channel


def _readable(platform: Platform, arguments: Arguments) -> Channel:
    channel = _seen(platform, arguments)
    _need(platform, channel, "history")
    if platform.bot not in channel.members:
        raise SlackError("not_in_channel")
    return channel


def listed(platform: Platform, arguments: Arguments) -> Json:
    """The conversations that the app can see."""
    types = (arguments.text("types") or "public_channel").split(",")
    if not set(types) <= {"public_channel", "private_channel", "mpim", "im"}:
        raise SlackError("invalid_types")
    found = [
        one
        for one in platform.workspace.channels.values()
        if _TYPE[one.kind] in types
        and (one.kind == "public" or platform.bot in one.members)
        and not (one.archived and arguments.flag("exclude_archived"))
    ]
    shown, following = page(found, arguments)
    return {
        "channels": [wire.channel(platform, one) for one in shown],
        "response_metadata": {"next_cursor": following},
    }


def info(platform: Platform, arguments: Arguments) -> Json:
    """One conversation."""
    channel = _seen(platform, arguments)
    _need(platform, channel, "read")
    return {"channel": wire.channel(platform, channel)}


def history(platform: Platform, arguments: Arguments) -> Json:
    """What was said, newest first."""
    channel = _readable(platform, arguments)
    found = list(_between(platform.workspace.newest_first(channel), arguments))
    shown, following = page(found, arguments, most=999)
    body: Json = {
        "messages": _messages(platform, shown, arguments),
        "has_more": bool(following),
        "pin_count": 0,
    }
    return body | ({"response_metadata": {"next_cursor": following}} if following else {})


def replies(platform: Platform, arguments: Arguments) -> Json:
    """A thread: its root, then the replies, oldest first."""
    channel = _readable(platform, arguments)
    ts = arguments.required("ts", "thread_not_found")
    root = platform.workspace.find(channel, ts)
    below = platform.workspace.replies(channel, ts)
    if root is None and not below:
        raise SlackError("thread_not_found")
    found = [*([root] if root else []), *_between(below, arguments)]
    shown, following = page(found, arguments, default=1000)
    body: Json = {
        "messages": _messages(platform, shown, arguments),
        "has_more": bool(following),
    }
    return body | ({"response_metadata": {"next_cursor": following}} if following else {})


def _messages(platform: Platform, found: Iterable[Message], arguments: Arguments) -> list[Json]:
    metadata = arguments.flag("include_all_metadata")
    return [wire.message(platform, one, metadata=metadata) for one in found]


def _between(found: Iterable[Message], arguments: Arguments) -> Iterable[Message]:
    oldest = _moment(arguments, "oldest")
    latest = _moment(arguments, "latest")
    inclusive = arguments.flag("inclusive")
    for one in found:
        at = _order(one.ts)
        if oldest is not None and (at < oldest or (at == oldest and not inclusive)):
            continue
        if latest is not None and (at > latest or (at == latest and not inclusive)):
            continue
        yield one


def _moment(arguments: Arguments, name: str) -> tuple[int, int] | None:
    value = arguments.text(name)
    if not value:
        return None
    if not _TS.fullmatch(value):
        raise SlackError(f"invalid_ts_{name}")
    return _order(value)


def _order(ts: str) -> tuple[int, int]:
    seconds, _, micros = ts.partition(".")
    return int(seconds), int(micros.ljust(6, "0")[:6] or 0)


def members(platform: Platform, arguments: Arguments) -> Json:
    """Who is in a conversation."""
    channel = _seen(platform, arguments)
    _need(platform, channel, "read")
    shown, following = page(sorted(channel.members), arguments)
    return {"members": list(shown), "response_metadata": {"next_cursor": following}}


def opened(platform: Platform, arguments: Arguments) -> Json:
    """The direct message with a person."""
    users = [one for one in (arguments.text("users") or "").split(",") if one]
    if len(users) != 1:
        raise SlackError("users_list_not_supplied" if not users else "not_enough_users")
    channel = platform.workspace.direct(users[0])
    if arguments.flag("return_im"):
        return {"channel": wire.channel(platform, channel), "already_open": True, "no_op": True}
    return {"channel": {"id": channel.id}}


def join(platform: Platform, arguments: Arguments) -> Json:
    """Enter a public channel."""
    channel = _seen(platform, arguments)
    if channel.kind != "public":
        raise SlackError("method_not_supported_for_channel_type")
    if channel.archived:
        raise SlackError("is_archived")
    already = platform.bot in channel.members
    channel.members.add(platform.bot)
    platform.moved(channel)
    if not already:
        events.joined(platform, channel, platform.bot)
        return {"channel": wire.channel(platform, channel)}
    return {
        "channel": wire.channel(platform, channel),
        "warning": "already_in_channel",
        "response_metadata": {"warnings": ["already_in_channel"]},
    }


def of_user(platform: Platform, arguments: Arguments) -> Json:
    """users.conversations: those that a person (or the app) is in."""
    user = arguments.text("user") or platform.bot
    platform.workspace.user(user)
    types = (arguments.text("types") or "public_channel").split(",")
    found = [
        one
        for one in platform.workspace.channels.values()
        if user in one.members
        and _TYPE[one.kind] in types
        and (one.kind == "public" or platform.bot in one.members)
        and not (one.archived and arguments.flag("exclude_archived"))
    ]
    shown, following = page(found, arguments)
    return {
        "channels": [wire.channel(platform, one) for one in shown],
        "response_metadata": {"next_cursor": following},
    }


METHODS = (
    Method(name="conversations.list", call=listed, scopes=_scopes("read"), tier=2),
    Method(name="conversations.info", call=info, scopes=_scopes("read"), tier=3),
    Method(name="conversations.history", call=history, scopes=_scopes("history"), tier=3),
    Method(name="conversations.replies", call=replies, scopes=_scopes("history"), tier=3),
    Method(name="conversations.members", call=members, scopes=_scopes("read"), tier=4),
    Method(name="conversations.open", call=opened, scopes=("im:write", "mpim:write"), tier=3),
    Method(name="conversations.join", call=join, scopes=("channels:join",), tier=3),
    Method(name="users.conversations", call=of_user, scopes=_scopes("read"), tier=3),
)
