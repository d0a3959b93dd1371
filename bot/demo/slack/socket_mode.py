"""Socket Mode: the app connects to us and takes its envelopes over a WebSocket."""

from __future__ import annotations

import asyncio
import json
import random
import secrets
import time
from dataclasses import dataclass
from typing import Any, Literal

from aiohttp import WSMsgType, web

from bot.demo.slack.delivery import Ack, Envelope
from bot.demo.slack.faults import Faults
from bot.demo.slack.feed import Feed
from bot.demo.slack.identity import Identity
from bot.demo.slack.tasks import Tasks

MOST_LINKS = 10
LINK_SECONDS = 18_060  # how long Slack says a connection lives
PING_SECONDS = 10

Reason = Literal["warning", "refresh_requested", "link_disabled", "too_many_websockets"]


@dataclass(eq=False)
class Link:
    """One open connection."""

    socket: web.WebSocketResponse
    transport: asyncio.Transport | None
    open: bool = True


class SocketMode:
    """The links of the app and the envelopes that wait for an acknowledgement."""

    def __init__(self, *, identity: Identity, faults: Faults, feed: Feed, tasks: Tasks) -> None:
        self.links: list[Link] = []
        self.sessions = 0  # how many connections there ever were
        self._identity = identity
        self._faults = faults
        self._feed = feed
        self._tasks = tasks
        self._tickets: set[str] = set()
        self._waiting: dict[str, asyncio.Future[Any]] = {}

    def ticket(self) -> str:
        """A key that opens one connection."""
        ticket = secrets.token_urlsafe(24)
        self._tickets.add(ticket)
        return ticket

    async def connect(self, request: web.Request) -> web.StreamResponse:
        """Serve one connection until it ends."""
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            return web.Response(status=403, text="invalid ticket")
        self._tickets.discard(ticket)
        socket = web.WebSocketResponse(heartbeat=PING_SECONDS, max_msg_size=1 << 20)
        await socket.prepare(request)
        if len(self.links) >= MOST_LINKS:
            await _say_goodbye(socket, "too_many_websockets")
            return socket
        link = Link(socket, request.transport)
        self.links.append(link)
        self.sessions += 1
        self._feed.publish("bot", {"online": True})
        try:
            await socket.send_json(self._hello())
            await self._listen(link)
        except ConnectionError:
            pass  # the app vanished; finally says so
        finally:
            self._forget(link)
        return socket

    def _hello(self) -> dict[str, Any]:
        return {
            "type": "hello",
            "num_connections": len(self.links),
            "connection_info": {"app_id": self._identity.app_id},
            "debug_info": {
                "host": "local-slack",
                "build_number": 1,
                "approximate_connection_time": LINK_SECONDS,
            },
        }

    async def _listen(self, link: Link) -> None:
        async for message in link.socket:
            if message.type is not WSMsgType.TEXT:
                continue
            try:
                answer = json.loads(message.data)
            except json.JSONDecodeError:
                continue  # Slack ignores what it cannot read
            if isinstance(answer, dict):
                waiting = self._waiting.get(str(answer.get("envelope_id")))
                if waiting is not None and not waiting.done():
                    waiting.set_result(answer.get("payload"))

    def _forget(self, link: Link) -> None:
        link.open = False
        if link in self.links:
            self.links.remove(link)
        if not self.links:
            self._feed.publish("bot", {"online": False})

    async def send(self, envelope: Envelope, seconds: float) -> Ack:
        """Send to any one link and wait for the acknowledgement."""
        waiting: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[envelope.id] = waiting
        started = time.perf_counter()
        try:
            async with asyncio.timeout(seconds):
                if not await self._push(envelope):
                    return Ack(acked=False, error="dispatch_failed", lost=True)
                if self._faults.doubled():
                    await self._push(envelope)
                payload = await waiting
        except TimeoutError:
            return Ack(acked=False, error="operation_timeout")
        finally:
            del self._waiting[envelope.id]
        return Ack(acked=True, ms=(time.perf_counter() - started) * 1000, payload=payload)

    async def _push(self, envelope: Envelope) -> bool:
        """Write to a random link; tries another when one turns out dead."""
        frame = json.dumps(_frame(envelope))
        while links := [one for one in self.links if one.open and not one.socket.closed]:
            link = random.choice(links)  # noqa: S311 - which link, not a secret
            try:
                await link.socket.send_str(frame)
            except ConnectionError:
                self._forget(link)
            else:
                return True
        return False

    async def disconnect(self, reason: Reason) -> None:
        """Tell every link to go; Slack closes it for all reasons but a warning."""
        for link in list(self.links):
            if reason != "warning":
                self._forget(link)
            self._tasks.start(_say_goodbye(link.socket, reason))

    def drop(self) -> int:
        """Cut every connection without a word; answers how many there were."""
        links = list(self.links)
        for link in links:
            self._forget(link)
            if link.transport is not None:
                link.transport.abort()
        return len(links)


async def _say_goodbye(socket: web.WebSocketResponse, reason: Reason) -> None:
    try:
        await socket.send_json(
            {"type": "disconnect", "reason": reason, "debug_info": {"host": "local-slack"}}
        )
        if reason != "warning":
            await socket.close()
    except ConnectionError:
        return


def _frame(envelope: Envelope) -> dict[str, Any]:
    frame: dict[str, Any] = {
        "envelope_id": envelope.id,
        "type": envelope.kind,
        "payload": envelope.payload,
        "accepts_response_payload": envelope.kind != "events_api",
    }
    if envelope.kind == "events_api":
        frame |= {"retry_attempt": envelope.retry_attempt, "retry_reason": envelope.retry_reason}
    return frame
