"""The server: puts the parts together, listens, and takes everything down again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Self

from aiohttp import web

from bot.demo.slack.control import Control, refusals
from bot.demo.slack.delivery import ACK_SECONDS, RETRY_DELAYS, Courier
from bot.demo.slack.faults import Faults
from bot.demo.slack.feed import Feed
from bot.demo.slack.guard import POLICY, guard
from bot.demo.slack.identity import Identity
from bot.demo.slack.manifest import Manifest
from bot.demo.slack.platform import Platform
from bot.demo.slack.rate import Rates
from bot.demo.slack.response_urls import ResponseUrls
from bot.demo.slack.responses import Responses
from bot.demo.slack.socket_mode import SocketMode
from bot.demo.slack.storage import Storage
from bot.demo.slack.stream import Stream
from bot.demo.slack.tasks import Tasks
from bot.demo.slack.triggers import Triggers
from bot.demo.slack.web_api import WebApi
from bot.demo.slack.workspace import Workspace

LARGEST_BODY = 1 << 30
PAGE = Path(__file__).parent / "page"


def assemble(  # noqa: PLR0913 - each is a property of Slack that a test may vary
    manifest: Manifest,
    *,
    identity: Identity | None = None,
    rates: Rates | None = None,
    triggers: Triggers | None = None,
    response_urls: ResponseUrls | None = None,
    ack_seconds: float = ACK_SECONDS,
    retry_delays: Sequence[float] = RETRY_DELAYS,
) -> Platform:
    """Put the parts together; nothing listens yet."""
    identity = identity or Identity()
    tasks, faults, feed = Tasks(), Faults(), Feed()
    sockets = SocketMode(identity=identity, faults=faults, feed=feed, tasks=tasks)
    return Platform(
        identity=identity,
        manifest=manifest,
        workspace=Workspace(identity, manifest.bot_name),
        sockets=sockets,
        courier=Courier(
            tasks=tasks, transport=sockets, ack_seconds=ack_seconds, retry_delays=retry_delays
        ),
        tasks=tasks,
        faults=faults,
        feed=feed,
        rates=rates or Rates(),
        triggers=triggers or Triggers(),
        response_urls=response_urls or ResponseUrls(),
    )


class LocalSlack:
    """A running local Slack: `async with LocalSlack(platform) as slack`."""

    def __init__(self, platform: Platform, *, host: str = "127.0.0.1", port: int = 0) -> None:
        self.platform = platform
        self._host = host
        self._port = port
        self._runner: web.AppRunner | None = None

    @property
    def page(self) -> str:
        """The address for people."""
        return f"{self.platform.base_url}/"

    @property
    def api(self) -> str:
        """What an SDK takes as its base URL."""
        return f"{self.platform.base_url}/api/"

    async def __aenter__(self) -> Self:
        """Listen."""
        self._runner = web.AppRunner(
            application(self.platform, self._host), access_log=None, shutdown_timeout=1
        )
        await self._runner.setup()
        site = web.TCPSite(self._runner, self._host, self._port)
        await site.start()
        port = self._runner.addresses[0][1]
        self.platform.base_url = f"http://{self._host}:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close every connection and stop."""
        self.platform.sockets.drop()
        await self.platform.tasks.close()
        if self._runner is not None:
            await self._runner.cleanup()


def application(platform: Platform, host: str) -> web.Application:
    """All routes."""
    app = web.Application(client_max_size=LARGEST_BODY, middlewares=[guard(host), refusals])
    web_api, storage = WebApi(platform), Storage(platform)

    app.router.add_route("*", "/api/{method}", web_api.serve)
    app.router.add_get("/link/", platform.sockets.connect)
    app.router.add_post("/response/{key}", Responses(platform).serve)
    app.router.add_route("*", "/upload/v1/{key}", storage.upload)
    app.router.add_get("/files/{id}", storage.download)
    app.router.add_get("/files-pri/{id}/{name}", storage.private)
    app.router.add_get("/files-pri/{id}/download/{name}", storage.private)
    app.router.add_get("/", _index)
    app.router.add_static("/page/", PAGE)
    app.router.add_get("/_local/stream", Stream(platform).serve)
    app.router.add_routes(Control(platform).routes())
    return app


async def _index(_request: web.Request) -> web.FileResponse:
    headers = {"Content-Security-Policy": POLICY, "Cache-Control": "no-cache"}
    return web.FileResponse(PAGE / "index.html", headers=headers)
