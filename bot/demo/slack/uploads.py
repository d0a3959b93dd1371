"""Files as people upload them on the page."""

from __future__ import annotations

import mimetypes
from dataclasses import dataclass, field

from aiohttp import BodyPartReader, web

from bot.demo.slack.errors import Refused
from bot.demo.slack.model import Channel, File
from bot.demo.slack.platform import Platform


@dataclass(frozen=True)
class Upload:
    """A file that a person chose."""

    name: str
    content: bytes


@dataclass
class Form:
    """What a form holds: plain fields, and files."""

    fields: dict[str, str] = field(default_factory=dict)
    files: list[Upload] = field(default_factory=list)


async def form(request: web.Request) -> Form:
    """Read a form with files."""
    if request.content_type != "multipart/form-data":
        raise Refused("no_form", "a form with files is wanted")
    found = Form()
    async for part in await request.multipart():
        if not isinstance(part, BodyPartReader) or part.name is None:
            raise Refused("no_form", "parts with names are wanted")
        if part.filename is None:
            found.fields[part.name] = await part.text()
        else:
            found.files.append(Upload(part.filename, bytes(await part.read(decode=True))))
    return found


def keep(platform: Platform, upload: Upload, owner: str, channel: Channel) -> File:
    """Keep a person's file, shared in a channel."""
    workspace = platform.workspace
    file = File(
        id=workspace.new_id("F"),
        name=upload.name,
        title=upload.name,
        size=len(upload.content),
        owner=owner,
        created=workspace.clock.seconds(),
        mimetype=kind_of(upload.name),
        content=upload.content,
        completed=True,
        channels=[channel.id],
    )
    workspace.files[file.id] = file
    return file


def kind_of(name: str) -> str:
    """The MIME type that a file's name tells; plain text when it does not."""
    return mimetypes.guess_type(name)[0] or "text/plain"
