"""The app's answers that do not come through the Web API: acknowledgements and response URLs."""

from __future__ import annotations

from typing import Any

from bot.demo.slack import posting, texts
from bot.demo.slack.arguments import Arguments
from bot.demo.slack.errors import SlackError
from bot.demo.slack.model import Channel, Json, Message
from bot.demo.slack.platform import Platform
from bot.demo.slack.response_urls import ResponseUrl

SLACKBOT = "USLACKBOT"


def typed(platform: Platform, text: str, *, escaped: bool) -> str:
    """A command's text as it is sent: with `should_escape`, mentions become ids."""
    if not escaped:
        return text
    return texts.typed(text, *platform.workspace.names())


def slackbot(
    platform: Platform, channel: Channel, user_id: str, text: str, thread_ts: str | None = None
) -> Message:
    """A notice by Slack itself, to one person."""
    message = platform.workspace.add(
        Message(
            ts=platform.workspace.clock.ts(),
            channel=channel.id,
            user=SLACKBOT,
            text=text,
            ephemeral_to=user_id,
            thread_ts=thread_ts,
        )
    )
    platform.changed(message)
    return message


def to_command(platform: Platform, channel: Channel, user_id: str, line: str, payload: Any) -> None:
    """Show what an acknowledgement of a slash command said."""
    body = {"text": payload} if isinstance(payload, str) else payload
    if not isinstance(body, dict) or not ({"text", "blocks", "attachments"} & body.keys()):
        return
    if body.get("response_type") == "in_channel":  # then the command is shown as well
        echo = Message(
            ts=platform.workspace.clock.ts(),
            channel=channel.id,
            user=user_id,
            text=texts.stored(line),
        )
        platform.changed(platform.workspace.add(echo))
    said = posting.draft(Arguments(body, ""), total=False)
    in_channel = body.get("response_type") == "in_channel"
    posting.post(platform, channel, said, ephemeral_to=None if in_channel else user_id)


def to_url(platform: Platform, url: ResponseUrl, body: Json) -> None:
    """Carry out what was posted to a response URL."""
    channel = platform.workspace.channels[url.channel]
    original = channel.messages.get(url.message_ts or "")
    if body.get("delete_original"):
        if original is not None:
            platform.workspace.remove(original)
            platform.changed(original)
        return
    said = posting.draft(Arguments(body, ""), total=False)
    if _replaces(body, original) and original is not None:
        posting.change(platform, original, said)
        return
    kind = body.get("response_type", "ephemeral")
    if kind not in {"ephemeral", "in_channel"}:
        raise SlackError("invalid_response_type")
    thread = body.get("thread_ts") or (url.thread_ts if kind == "ephemeral" else None)
    posting.post(
        platform,
        channel,
        said,
        ephemeral_to=url.user if kind == "ephemeral" else None,
        thread_ts=thread,
    )


def _replaces(body: Json, original: Message | None) -> bool:
    """Slack replaces an ephemeral message unless told not to; others only when told to."""
    if original is None:
        return False
    default = original.ephemeral_to is not None and "response_type" not in body
    return bool(body.get("replace_original", default))
