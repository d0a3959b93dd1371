"""reactions.*."""

from __future__ import annotations

import re

from bot.demo.slack.arguments import Arguments
from bot.demo.slack.errors import SlackError
from bot.demo.slack.methods.method import Method
from bot.demo.slack.model import Json, Message
from bot.demo.slack.platform import Platform

_NAME = re.compile(r"[a-z0-9_+'-]{1,100}(::skin-tone-[2-6])?")


def add(platform: Platform, arguments: Arguments) -> Json:
    """React to a message."""
    message, name = _target(platform, arguments)
    users = message.reactions.setdefault(name, [])
    if platform.bot in users:
        raise SlackError("already_reacted")
    users.append(platform.bot)
    platform.changed(message)
    return {}


def remove(platform: Platform, arguments: Arguments) -> Json:
    """Take the app's reaction back."""
    message, name = _target(platform, arguments)
    users = message.reactions.get(name, [])
    if platform.bot not in users:
        raise SlackError("no_reaction")
    users.remove(platform.bot)
    if not users:
        del message.reactions[name]
    platform.changed(message)
    return {}


def _target(platform: Platform, arguments: Arguments) -> tuple[Message, str]:
    name = arguments.required("name", "invalid_name").strip(":")
    if not _NAME.fullmatch(name):
        raise SlackError("invalid_name")
    channel = platform.workspace.channel(arguments.required("channel", "channel_not_found"))
    if platform.bot not in channel.members:
        raise SlackError("not_in_channel" if channel.kind == "public" else "channel_not_found")
    ts = arguments.required("timestamp", "bad_timestamp")
    message = platform.workspace.find(channel, ts)
    if message is None:
        raise SlackError("message_not_found")
    return message, name


METHODS = (
    Method(name="reactions.add", call=add, scopes=("reactions:write",), tier=3),
    Method(name="reactions.remove", call=remove, scopes=("reactions:write",), tier=2),
)
