"""Putting a message into a channel, changing it, and what must be true of it before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bot.demo.slack import texts
from bot.demo.slack.arguments import Arguments
from bot.demo.slack.errors import SlackError
from bot.demo.slack.events import announce
from bot.demo.slack.model import Channel, Edit, Json, Message
from bot.demo.slack.platform import Platform
from bot.demo.slack.validate import content, metadata

LONGEST_TEXT = 40_000
LONGEST_UPDATE = 4_000


@dataclass(frozen=True, kw_only=True)
class Draft:
    """What a message is to say; `None` where the app said nothing of it."""

    text: str | None
    blocks: list[Json] | None = None
    attachments: list[Json] | None = None
    metadata: Json | None = None


def draft(arguments: Arguments, *, longest: int = LONGEST_TEXT, total: bool = True) -> Draft:
    """Read and check the content of a message; `total` applies the limit over all blocks."""
    text = arguments.text("text")
    markdown = arguments.text("markdown_text")
    blocks = content.blocks(arguments.tree("blocks", "invalid_blocks_format"), total=total)
    attachments = content.attachments(arguments.tree("attachments", "invalid_attachments"))
    labelled = metadata.checked(arguments.tree("metadata", "invalid_metadata_format"))
    if markdown is not None:
        blocks = content.from_markdown(markdown, text=text, blocks=blocks)
    if not (text and text.strip()) and not blocks and not attachments:
        raise SlackError("no_text")
    if text is not None and len(text) > longest:
        raise SlackError("msg_too_long")
    stored = None if text is None else texts.stored(text)
    return Draft(text=stored, blocks=blocks, attachments=attachments, metadata=labelled)


def postable(platform: Platform, channel_id: str) -> Channel:
    """The channel the app may write to; opens the direct message when given a user."""
    workspace = platform.workspace
    if channel_id.startswith("U"):
        if channel_id not in workspace.users:
            raise SlackError("channel_not_found")
        return workspace.direct(channel_id)
    channel = workspace.channel(channel_id)
    member = platform.bot in channel.members
    if channel.kind == "private" and not member:
        raise SlackError("channel_not_found")
    if channel.archived:
        raise SlackError("is_archived")
    if not member and "chat:write.public" not in platform.manifest.scopes:
        raise SlackError("not_in_channel")
    return channel


def post(platform: Platform, channel: Channel, said: Draft, **more: Any) -> Message:
    """Put the app's message into the channel."""
    message = Message(
        ts=platform.workspace.clock.ts(),
        channel=channel.id,
        user=platform.bot,
        by_bot=True,
        text=said.text or "",
        blocks=said.blocks,
        attachments=said.attachments,
        metadata=said.metadata,
        notified=texts.called(said.text or "", said.blocks),
        **more,
    )
    platform.workspace.add(message)
    platform.changed(message)
    if message.ephemeral_to is None:
        announce(platform, channel, message)
    return message


def change(platform: Platform, message: Message, said: Draft) -> None:
    """Replace what a message says; what it no longer says is gone."""
    now = platform.workspace.clock.ts()
    message.edits.append(
        Edit(ts=message.edited_ts or message.ts, text=message.text, blocks=message.blocks)
    )
    if said.text is not None or said.blocks is not None:
        message.text = said.text or ""
        message.blocks = said.blocks
    if said.attachments is not None:
        message.attachments = said.attachments or None
    if said.metadata is not None:
        message.metadata = said.metadata
    message.edited_ts = now
    message.notified |= texts.called(message.text, message.blocks)
    message.state.clear()
    platform.changed(message)
