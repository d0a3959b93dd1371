"""What the services say of a secret, and that it travels in a header alone."""

from __future__ import annotations

import asyncio
import logging
from base64 import b64decode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from aiohttp import web
from pydantic import SecretStr

from bot.ports import Verdict
from bot.vouching import Services

GOOD, BAD = "hf_goodgoodgoodgood1", "hf_badbadbadbadbad1"


@dataclass
class Service:
    """Both services, on this machine."""

    url: str = ""
    asked: list[str] = field(default_factory=list)
    """Method and address of every request."""
    instead: int = 0
    """The status to answer with, whatever is asked."""
    slow: float = 0.0

    async def whoami(self, request: web.Request) -> web.Response:
        """Answer as Hugging Face does."""
        self.asked.append(f"{request.method} {request.rel_url}")
        await asyncio.sleep(self.slow)
        if self.instead:
            raise web.HTTPFound("/elsewhere") if self.instead == 302 else web.HTTPBadGateway
        good = request.headers["Authorization"] == f"Bearer {GOOD}"
        return web.json_response({}, status=200 if good else 401)

    async def graphql(self, request: web.Request) -> web.Response:
        """Answer as W&B does."""
        self.asked.append(f"{request.method} {request.rel_url}")
        kind, _, coded = request.headers["Authorization"].partition(" ")
        login, _, password = b64decode(coded).decode().partition(":")
        assert kind == "Basic"
        assert login == "api"
        assert "viewer" in (await request.json())["query"]
        viewer = {"id": "me"} if password == GOOD else None
        return web.json_response({"data": {"viewer": viewer}})


@asynccontextmanager
async def serving() -> AsyncIterator[Service]:
    """Let both services run."""
    service = Service()
    app = web.Application()
    app.router.add_get("/api/whoami-v2", service.whoami)
    app.router.add_post("/graphql", service.graphql)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        service.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield service
    finally:
        await runner.cleanup()


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    """Both services."""
    async with serving() as running:
        yield running


@pytest.mark.parametrize(("value", "verdict"), [(GOOD, Verdict.ACCEPTED), (BAD, Verdict.REFUSED)])
@pytest.mark.parametrize("name", ["HF_TOKEN", "WANDB_API_KEY"])
async def test_each_service_is_asked_about_its_own(
    service: Service,
    name: str,
    value: str,
    verdict: Verdict,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """No address and no line of the log holds the value."""
    caplog.set_level(logging.DEBUG)
    services = Services(service.url, service.url)
    assert await services.vouch(name, SecretStr(value)) is verdict
    assert len(service.asked) == 1
    assert value not in str(service.asked)
    assert not [record for record in caplog.records if value in str(record.__dict__)]


async def test_of_other_secrets_nobody_is_asked(service: Service) -> None:
    """A service learns of its own tokens only."""
    services = Services(service.url, service.url)
    assert await services.vouch("NGC_API_KEY", SecretStr(GOOD)) is Verdict.NOT_ASKED
    assert service.asked == []


async def test_a_service_that_is_ill_says_nothing_of_the_token(service: Service) -> None:
    """Neither is a redirect followed with the token."""
    services = Services(service.url, service.url)
    for status in (502, 302):
        service.instead = status
        assert await services.vouch("HF_TOKEN", SecretStr(GOOD)) is Verdict.NOT_REACHED
    assert len(service.asked) == 2


async def test_a_service_that_is_away_is_said_to_be(service: Service) -> None:
    """Nobody listens there."""
    services = Services("http://127.0.0.1:9", "http://127.0.0.1:9")
    for name in ("HF_TOKEN", "WANDB_API_KEY"):
        assert await services.vouch(name, SecretStr(GOOD)) is Verdict.NOT_REACHED


async def test_a_service_that_is_slow_is_given_up(service: Service) -> None:
    """After five seconds."""
    service.slow = 60.0
    services = Services(service.url, service.url)
    async with asyncio.timeout(8):
        assert await services.vouch("HF_TOKEN", SecretStr(GOOD)) is Verdict.NOT_REACHED
