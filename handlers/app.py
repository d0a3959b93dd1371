"""register(app): every listener. A listener keeps the act, acknowledges, and is done."""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp

from bot.errors import SbatchatError
from bot.model import Act
from handlers import acts

logger = logging.getLogger(__name__)

COMMANDS = ("/nemo", "/slurm")
EVENTS = ("app_mention", "message")

Accept = Callable[[Act], Awaitable[bool]]


def register(app: AsyncApp, accept: Accept) -> None:
    """Attach the listeners; `accept` keeps an act durably, so that it outlives a crash."""
    listeners = _Listeners(accept)
    for name in COMMANDS:
        app.command(name)(listeners.slash)
    app.action(re.compile(".*"))(listeners.control)
    for event in EVENTS:
        app.event(event)(listeners.message)
    app.error(failed)


class _Listeners:
    """What Slack calls. Nothing happens here but keeping the act and acknowledging it."""

    def __init__(self, accept: Accept) -> None:
        self._accept = accept

    async def slash(self, ack: AsyncAck, command: dict[str, Any]) -> None:
        act = acts.slash(command)
        try:
            await self._accept(act)
        except SbatchatError as error:
            await ack(text=f"That was not run: {error.sentence} Please try again.")
            return
        await ack()
        logger.info("acknowledged", extra={"action": "act_acknowledged", "act": act.id})

    async def control(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        act = acts.control(body)
        if act is not None:
            await self._accept(act)
        await ack()

    async def message(self, ack: AsyncAck, event: dict[str, Any], body: dict[str, Any]) -> None:
        act = acts.message(event, body.get("team_id") or "")
        if act is not None:
            await self._accept(act)
        await ack()


async def failed(error: Exception, body: dict[str, Any]) -> None:
    """Log a delivery that was not kept; Slack tells the person that it was not acknowledged."""
    logger.error(
        "a delivery from Slack was not kept",
        exc_info=error,
        extra={"action": "delivery_failed", "type": body.get("type", "")},
    )
