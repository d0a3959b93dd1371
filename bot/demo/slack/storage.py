"""The bytes of uploads: they come in once, to an address made for them."""

from __future__ import annotations

from aiohttp import BodyPartReader, web

from bot.demo.slack import serving
from bot.demo.slack.model import Json
from bot.demo.slack.platform import Platform
from bot.demo.slack.serving import Outcome

METHOD = "upload"  # its name in traffic and faults

#: shown in the browser; everything else is only ever downloaded
_SHOWN = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "text/plain"})


class Storage:
    """Serves `/upload/v1/KEY` and `/files/ID`."""

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
