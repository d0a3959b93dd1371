"""The bytes of uploads: they come in once, to an address made for them; the app may fetch them."""

from __future__ import annotations

from aiohttp import BodyPartReader, web

from bot.demo.slack import serving
from bot.demo.slack.model import File, Json
from bot.demo.slack.platform import Platform
from bot.demo.slack.serving import Outcome

METHOD, DOWNLOAD = "upload", "download"  # their names in traffic and faults

#: shown in the browser; everything else is only ever downloaded
_SHOWN = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "text/plain"})


class Storage:
    """Serves `/upload/v1/KEY`, `/files/ID` to people and `/files-pri/TEAM-ID/…` to the app."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform

    async def upload(self, request: web.Request) -> web.StreamResponse:
        """Take the bytes; their number must be the one announced."""
        return await serving.serve(self._platform, request, METHOD, self._take)

    async def _take(self, request: web.Request) -> Outcome:
        key = request.match_info["key"]
        file = self._platform.workspace.files.get(self._platform.uploads.get(key, ""))
        if file is None:
            return Outcome(body="no such upload", status=404)
        content = await _content(request)
        named: Json = {"file": file.id, "bytes": len(content)}
        if len(content) != file.size:
            return Outcome(body=f"expected {file.size} bytes", status=400, arguments=named)
        del self._platform.uploads[key]
        file.content = content
        return Outcome(body=f"OK - {len(content)}", arguments=named)

    async def private(self, request: web.Request) -> web.StreamResponse:
        """The bytes, for who holds the bot's token; whoever may not read them is sent to log in."""
        return await serving.serve(self._platform, request, DOWNLOAD, self._give)

    async def _give(self, request: web.Request) -> Outcome:
        file_id = request.match_info["id"].partition("-")[2]
        file = self._platform.workspace.files.get(file_id)
        named: Json = {"file": file_id}
        if file is None or file.content is None or not self._readable(request, file):
            sign_in = {"Location": f"{self._platform.base_url}/?redir={request.path}"}
            return Outcome(body="", status=302, headers=sign_in, arguments=named)
        headers = {"Content-Type": file.mimetype, "Content-Disposition": "attachment"}
        return Outcome(body=file.content, headers=headers, arguments=named)

    def _readable(self, request: web.Request, file: File) -> bool:
        """Whether the app may: with its token and scope, where it is a member or the owner."""
        platform = self._platform
        kind, _, token = request.headers.get("Authorization", "").partition(" ")
        if kind != "Bearer" or not platform.identity.is_bot_token(token):
            return False
        channels = (platform.workspace.channels[one] for one in file.channels)
        shared = file.owner == platform.bot or any(platform.bot in one.members for one in channels)
        return shared and "files:read" in platform.manifest.scopes

    async def download(self, request: web.Request) -> web.Response:
        """The bytes, for people on the page."""
        file = self._platform.workspace.files.get(request.match_info["id"])
        if file is None or file.content is None or not file.completed:
            return web.Response(status=404, text="no such file")
        kind = file.mimetype if file.mimetype in _SHOWN else "application/octet-stream"
        headers = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox"}
        if request.query.get("download") or kind == "application/octet-stream":
            headers["Content-Disposition"] = "attachment"
        return web.Response(body=file.content, content_type=kind, headers=headers)


async def _content(request: web.Request) -> bytes:
    if request.content_type != "multipart/form-data":
        return await request.read()
    async for part in await request.multipart():
        if isinstance(part, BodyPartReader) and part.filename is not None:
            return bytes(await part.read(decode=True))
    return b""
