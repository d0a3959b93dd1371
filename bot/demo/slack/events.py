"""Events that the app subscribed to."""

from __future__ import annotations

from bot.demo.slack import wire
from bot.demo.slack.model import Channel, Json, Message
from bot.demo.slack.platform import Platform

_MESSAGE_EVENT = {"public": "message.channels", "private": "message.groups", "im": "message.im"}
_CHANNEL_TYPE = {"public": "channel", "private": "group", "im": "im"}


def emit(platform: Platform, event: Json) -> None:
    """Send an event, wrapped as Slack wraps it."""
    identity = platform.identity
    platform.courier.emit(
        {
            "token": identity.verification_token,
            "team_id": identity.team_id,
            "api_app_id": identity.app_id,
            "event": event,
            "type": "event_callback",
            "event_id": platform.workspace.new_id("Ev"),
            "event_time": platform.workspace.clock.seconds(),
            "authorizations": [
                {
                    "enterprise_id": None,
                    "team_id": identity.team_id,
                    "user_id": identity.bot_user_id,
                    "is_bot": True,
                    "is_enterprise_install": False,
                }
            ],
            "is_ext_shared_channel": False,
            "event_context": f"4-{platform.workspace.new_id('E')}",
        }
    )


def announce(platform: Platform, channel: Channel, message: Message) -> None:
    """Send the events that a new message causes, if the app is in the channel and asked."""
    if platform.bot not in channel.members:
        return
    wanted = platform.manifest.events
    body = wire.message(platform, message) | {
        "channel": channel.id,
        "event_ts": message.ts,
    }
    if _MESSAGE_EVENT[channel.kind] in wanted:
        emit(platform, body | {"channel_type": _CHANNEL_TYPE[channel.kind]})
    mentioned = platform.bot in message.notified and message.user != platform.bot
    if mentioned and channel.kind != "im" and "app_mention" in wanted:
        emit(platform, body | {"type": "app_mention"})


def home_opened(platform: Platform, user: str, tab: str) -> None:
    """A person opened the app's Home or Messages tab."""
    if "app_home_opened" not in platform.manifest.events:
        return
    event: Json = {
        "type": "app_home_opened",
        "user": user,
        "channel": platform.workspace.direct(user).id,
        "tab": tab,
        "event_ts": platform.workspace.clock.ts(),
    }
    if tab == "home" and user in platform.views.homes:
        event["view"] = wire.view(platform, platform.views.homes[user])
    emit(platform, event)


def joined(platform: Platform, channel: Channel, user: str) -> None:
    """Somebody joined a channel that the app is in."""
    if "member_joined_channel" in platform.manifest.events and platform.bot in channel.members:
        emit(
            platform,
            {
                "type": "member_joined_channel",
                "user": user,
                "channel": channel.id,
                "channel_type": "C" if channel.kind == "public" else "G",
                "team": platform.identity.team_id,
                "event_ts": platform.workspace.clock.ts(),
            },
        )
