"""files.*: uploads in three steps."""

from __future__ import annotations

import secrets
from typing import Any

from bot.demo.slack import posting, uploads, wire
from bot.demo.slack.arguments import Arguments, missing
from bot.demo.slack.errors import SlackError
from bot.demo.slack.methods.method import Method
from bot.demo.slack.model import File, Json
from bot.demo.slack.platform import Platform

LARGEST = 1 << 30


def upload_url(platform: Platform, arguments: Arguments) -> Json:
    """Where to send the bytes."""
    name = arguments.required("filename")
    length = arguments.number("length", 0)
    if length <= 0:
        raise missing("length")
    if length > LARGEST:
        raise SlackError("file_upload_size_restricted")
    file = File(
        id=platform.workspace.new_id("F"),
        name=name,
        title=name,
        size=length,
        owner=platform.bot,
        created=platform.workspace.clock.seconds(),
        mimetype=uploads.kind_of(name),
    )
    platform.workspace.files[file.id] = file
    key = secrets.token_urlsafe(24)
    platform.uploads[key] = file.id
    return {"upload_url": f"{platform.base_url}/upload/v1/{key}", "file_id": file.id}


def complete(platform: Platform, arguments: Arguments) -> Json:
    """Share what was uploaded, as one message, if a channel is named."""
    wanted = arguments.tree("files", "invalid_arguments")
    if not isinstance(wanted, list) or not wanted:
        raise missing("files")
    files = [_uploaded(platform, one) for one in wanted]
    channels = [
        one
        for name in ("channel_id", "channels")
        for one in (arguments.text(name) or "").split(",")
        if one
    ]
    targets = [posting.postable(platform, one) for one in channels]
    thread = arguments.text("thread_ts")
    comment = arguments.text("initial_comment")
    blocks = arguments.tree("blocks", "invalid_blocks_format")
    said = (
        posting.Draft(text="")
        if not comment and not blocks
        else posting.draft(arguments.renamed("initial_comment", "text"))
    )
    for file in files:
        file.completed = True
        file.channels = [channel.id for channel in targets]
    for channel in targets:
        if thread and platform.workspace.find(channel, thread) is None:
            raise SlackError("invalid_thread_ts")
        posting.post(
            platform, channel, said, thread_ts=thread or None, files=[file.id for file in files]
        )
    return {"files": [wire.file(platform, file) for file in files]}


def _uploaded(platform: Platform, wanted: Any) -> File:
    if not isinstance(wanted, dict) or not isinstance(wanted.get("id"), str):
        raise missing("files/0/id")
    file = platform.workspace.files.get(wanted["id"])
    if file is None or file.content is None or file.completed:
        raise SlackError("file_not_found")
    if isinstance(wanted.get("title"), str):
        file.title = wanted["title"]
    return file


def info(platform: Platform, arguments: Arguments) -> Json:
    """One file."""
    file = platform.workspace.files.get(arguments.required("file", "file_not_found"))
    if file is None or not file.completed:
        raise SlackError("file_not_found")
    return {
        "file": wire.file(platform, file),
        "comments": [],
        "response_metadata": {"next_cursor": ""},
    }


METHODS = (
    Method(name="files.getUploadURLExternal", call=upload_url, scopes=("files:write",), tier=4),
    Method(name="files.completeUploadExternal", call=complete, scopes=("files:write",), tier=4),
    Method(name="files.info", call=info, scopes=("files:read",), tier=4),
)
