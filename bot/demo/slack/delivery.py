"""Bringing a payload to the app and its answer back, by whichever transport is set up."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from bot.demo.slack.model import Json
from bot.demo.slack.tasks import Tasks

ACK_SECONDS = 3.0
RETRY_DELAYS = (0.0, 60.0, 300.0)  # at once, after a minute, after five
_KEPT = 100_000
_REASONS = {
    "operation_timeout": "timeout",
    "http_service_error": "http_error",
    "dispatch_failed": "connection_failed",
}


@dataclass(kw_only=True)
class Envelope:
    """One payload on its way."""

    kind: Literal["slash_commands", "interactive", "events_api"]
    payload: Json
    retry_attempt: int = 0
    retry_reason: str = ""
    id: str = field(default_factory=lambda: str(uuid.uuid4()))


@dataclass(frozen=True, kw_only=True)
class Ack:
    """How the app took it; `error` is the word that people see."""

    acked: bool
    ms: float | None = None
    payload: Any = None
    error: str | None = None
    lost: bool = False  # there was nobody to try


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """A record of one attempt."""

    at: float
    envelope: Envelope
    ack: Ack


class Transport(Protocol):
    """One attempt to deliver, within `seconds`."""

    async def send(self, envelope: Envelope, seconds: float) -> Ack:
        """Deliver once."""
        ...


class Courier:
    """Delivers envelopes and repeats events that nobody took."""

    def __init__(
        self,
        *,
        tasks: Tasks,
        transport: Transport,
        ack_seconds: float = ACK_SECONDS,
        retry_delays: Sequence[float] = RETRY_DELAYS,
    ) -> None:
        self.transport = transport
        self.deliveries: deque[Delivery] = deque(maxlen=_KEPT)
        self._tasks = tasks
        self.ack_seconds = ack_seconds
        self._retry_delays = tuple(retry_delays)

    async def deliver(self, envelope: Envelope) -> Ack:
        """One attempt; commands and interactions get no other."""
        at = time.time()
        ack = await self.transport.send(envelope, self.ack_seconds)
        self.deliveries.append(Delivery(at=at, envelope=envelope, ack=ack))
        return ack

    def emit(self, payload: Json) -> None:
        """Deliver an event in the background, up to three times more if it is not acknowledged."""
        self._tasks.start(self._emit(payload))

    async def _emit(self, payload: Json) -> None:
        ack = await self.deliver(Envelope(kind="events_api", payload=payload))
        for attempt, delay in enumerate(self._retry_delays, start=1):
            if ack.acked or ack.lost:
                return
            await asyncio.sleep(delay)
            again = Envelope(
                kind="events_api",
                payload=payload,
                retry_attempt=attempt,
                retry_reason=_REASONS[str(ack.error)],
            )
            ack = await self.deliver(again)
