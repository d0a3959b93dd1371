"""Live updates for one page: what changed, as far as the person there may see it."""

from __future__ import annotations

import asyncio
import json

from aiohttp import web

from bot.demo.slack import shown
from bot.demo.slack.model import Json
from bot.demo.slack.platform import Platform

_BEAT_SECONDS = 15


class Stream:
    """Serves `/_local/stream?user=U…` as server-sent events."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Write changes until the page goes away."""
        reader = self._platform.workspace.user(request.query.get("user", "")).id
        response = web.StreamResponse(
            headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"}
        )
        with self._platform.feed.subscribe() as changes:  # before the page hears that it is on
            try:
                await response.prepare(request)
                await response.write(b"retry: 1000\n\n")
                while True:
                    await response.write(await self._next(changes, reader))
            except ConnectionError:
                return response  # the page was closed

    async def _next(self, changes: asyncio.Queue[Json], reader: str) -> bytes:
        try:
            async with asyncio.timeout(_BEAT_SECONDS):
                change = await changes.get()
        except TimeoutError:
            return b": still here\n\n"
        seen = self._seen(change, reader)
        return b"" if seen is None else f"data: {json.dumps(seen)}\n\n".encode()

    def _seen(self, change: Json, reader: str) -> Json | None:
        """The change with its content as of now; nothing if it is not for the reader."""
        if change["kind"] == "view" and change["user"] != reader:
            return None
        if change["kind"] != "message":
            return change
        channel = self._platform.workspace.channels[change["channel"]]
        if reader not in channel.members:
            return None
        message = channel.messages.get(change["ts"])
        if message is not None and message.ephemeral_to not in {None, reader}:
            return None
        return change | {"message": message and shown.message(self._platform, message)}
