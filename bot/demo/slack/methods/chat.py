"""chat.*: messages."""

from __future__ import annotations

from bot.demo.slack import posting, wire
from bot.demo.slack.arguments import Arguments
from bot.demo.slack.errors import SlackError
from bot.demo.slack.methods.method import Method
from bot.demo.slack.model import Channel, Json, Message
from bot.demo.slack.platform import Platform


def post_message(platform: Platform, arguments: Arguments) -> Json:
    """Put a message into a channel or a thread."""
    channel = posting.postable(platform, arguments.required("channel", "channel_not_found"))
    said = posting.draft(arguments)
    thread = _thread(platform, channel, arguments)
    wait = platform.rates.take_post(channel.id)
    if wait is not None:
        raise SlackError("ratelimited", retry_after=wait)
    message = posting.post(
        platform,
        channel,
        said,
        thread_ts=thread,
        broadcast=thread is not None and arguments.flag("reply_broadcast"),
        subtype="bot_message" if arguments.text("username") else None,
        username=arguments.text("username"),
    )
    return {
        "channel": channel.id,
        "ts": message.ts,
        "message": wire.message(platform, message, metadata=True),
    }


def _thread(platform: Platform, channel: Channel, arguments: Arguments) -> str | None:
    ts = arguments.text("thread_ts")
    if not ts:
        return None
    parent = platform.workspace.find(channel, ts)
    if parent is None and ts not in channel.threads:
        raise SlackError("thread_not_found")
    if parent is not None and parent.is_reply:
        return parent.thread_ts  # Slack hangs it under the root
    return ts


def post_ephemeral(platform: Platform, arguments: Arguments) -> Json:
    """Show a message to one person of the channel."""
    channel = posting.postable(platform, arguments.required("channel", "channel_not_found"))
    user = arguments.required("user", "user_not_found")
    platform.workspace.user(user)
    if user not in channel.members:
        raise SlackError("user_not_in_channel")
    said = posting.draft(arguments)
    message = posting.post(
        platform,
        channel,
        said,
        ephemeral_to=user,
        thread_ts=_thread(platform, channel, arguments),
    )
    return {"message_ts": message.ts}


def update(platform: Platform, arguments: Arguments) -> Json:
    """Change one of the app's own messages."""
    channel, message = _own(platform, arguments, "cant_update_message")
    said = posting.draft(arguments, longest=posting.LONGEST_UPDATE)
    posting.change(platform, message, said)
    return {
        "channel": channel.id,
        "ts": message.ts,
        "text": message.text,
        "message": wire.message(platform, message, metadata=True),
    }


def delete(platform: Platform, arguments: Arguments) -> Json:
    """Remove one of the app's own messages."""
    channel, message = _own(platform, arguments, "cant_delete_message")
    platform.workspace.remove(message)
    platform.changed(message)
    return {"channel": channel.id, "ts": message.ts}


def _own(platform: Platform, arguments: Arguments, error: str) -> tuple[Channel, Message]:
    channel = platform.workspace.channel(arguments.required("channel", "channel_not_found"))
    if channel.archived:
        raise SlackError("is_archived")
    ts = arguments.required("ts", "message_not_found")
    message = platform.workspace.find(channel, ts)
    if message is None:
        raise SlackError("message_not_found")
    if message.user != platform.bot:
        raise SlackError(error)
    return channel, message


def permalink(platform: Platform, arguments: Arguments) -> Json:
    """A link to a message."""
    channel = platform.workspace.channel(arguments.required("channel", "channel_not_found"))
    ts = arguments.required("message_ts", "message_not_found")
    message = platform.workspace.find(channel, ts)
    if message is None:
        raise SlackError("message_not_found")
    link = f"{platform.base_url}/archives/{channel.id}/p{ts.replace('.', '')}"
    if message.is_reply:
        link += f"?thread_ts={message.thread_ts}&cid={channel.id}"
    return {"channel": channel.id, "permalink": link}


_WRITE = ("chat:write",)
METHODS = (
    Method(name="chat.postMessage", call=post_message, scopes=_WRITE, tier=0),
    Method(name="chat.postEphemeral", call=post_ephemeral, scopes=_WRITE, tier=4),
    Method(name="chat.update", call=update, scopes=_WRITE, tier=3),
    Method(name="chat.delete", call=delete, scopes=_WRITE, tier=3),
    Method(name="chat.getPermalink", call=permalink, tier=4),
)
