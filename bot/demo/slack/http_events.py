"""Signed HTTP: envelopes as POST requests to the app's request URL."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import secrets
import time
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

import aiohttp

from bot.demo.slack.delivery import Ack, Envelope
from bot.demo.slack.errors import Refused
from bot.demo.slack.identity import Identity
from bot.demo.slack.platform import Platform


class HttpEvents:
    """One request URL for events, commands and interactions."""

    def __init__(self, *, identity: Identity, url: str) -> None:
        self._identity = identity
        self._url = url

    async def verify(self) -> None:
        """Slack's handshake: the app must send the challenge back; raises Refused."""
        challenge = secrets.token_urlsafe(24)
        body = {
            "token": self._identity.verification_token,
            "challenge": challenge,
            "type": "url_verification",
        }
        try:
            status, answer = await self._post(json.dumps(body), "application/json", {}, 3)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise Refused("url_verification_failed", str(error)) from error
        said = answer.get("challenge") if isinstance(answer, dict) else answer
        if status != HTTPStatus.OK or said != challenge:
            raise Refused("url_verification_failed", f"status {status}: not the challenge")

    async def send(self, envelope: Envelope, seconds: float) -> Ack:
        """Post once; the answer's body is the acknowledgement."""
        body, kind, headers = _request(envelope)
        started = time.perf_counter()
        try:
            status, answer = await self._post(body, kind, headers, seconds)
        except TimeoutError:
            return Ack(acked=False, error="operation_timeout")
        except aiohttp.ClientError:
            return Ack(acked=False, error="dispatch_failed")
        if status != HTTPStatus.OK:
            return Ack(acked=False, error="http_service_error")
        return Ack(acked=True, ms=(time.perf_counter() - started) * 1000, payload=answer)

    async def _post(
        self, body: str, kind: str, headers: dict[str, str], seconds: float
    ) -> tuple[int, Any]:
        signed = headers | self._signature(body) | {"Content-Type": kind}
        async with (
            asyncio.timeout(seconds),
            aiohttp.ClientSession() as session,
            session.post(self._url, data=body.encode(), headers=signed) as response,
        ):
            return response.status, _answer(await response.text(), response.content_type)

    def _signature(self, body: str) -> dict[str, str]:
        timestamp = str(int(time.time()))
        key = self._identity.signing_secret.encode()
        digest = hmac.new(key, f"v0:{timestamp}:{body}".encode(), hashlib.sha256)
        return {
            "X-Slack-Request-Timestamp": timestamp,
            "X-Slack-Signature": f"v0={digest.hexdigest()}",
        }


async def use(platform: Platform, url: str | None) -> None:
    """Deliver to that URL once it has answered the handshake; without one by Socket Mode again."""
    if url is None:
        platform.courier.transport = platform.sockets
    else:
        http = HttpEvents(identity=platform.identity, url=url)
        await http.verify()
        platform.courier.transport = http
    platform.request_url = url
    platform.feed.publish("bot", {"online": platform.online})


def _request(envelope: Envelope) -> tuple[str, str, dict[str, str]]:
    headers: dict[str, str] = {}
    if envelope.retry_attempt:
        headers["X-Slack-Retry-Num"] = str(envelope.retry_attempt)
        headers["X-Slack-Retry-Reason"] = (
            "http_timeout" if envelope.retry_reason == "timeout" else envelope.retry_reason
        )
    form = "application/x-www-form-urlencoded"
    if envelope.kind == "events_api":
        return json.dumps(envelope.payload), "application/json", headers
    if envelope.kind == "slash_commands":
        return urlencode(envelope.payload), form, headers
    return urlencode({"payload": json.dumps(envelope.payload)}), form, headers


def _answer(text: str, content_type: str) -> Any:
    if not text:
        return None
    if content_type == "application/json":
        try:
            return json.loads(text)
        except json.JSONDecodeError:
            return text
    return text
