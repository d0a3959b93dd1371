"""register(app): every listener. A listener keeps the act, acknowledges, and is done."""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable, Collection
from datetime import UTC, datetime, timedelta
from typing import Any

from slack_bolt import BoltResponse
from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncRespond

from bot.cards.trouble import CAME_LATE
from bot.errors import StoreFailed
from bot.model import Act
from handlers import acts

logger = logging.getLogger(__name__)

COMMANDS = ("/nemo", "/nemo-rl", "/slurm")
EVENTS = ("app_mention", "message")

NOT_KEPT = "That was not run: the bot cannot write its database now. Please try again later."

LATE = timedelta(seconds=2.5)
"""A command acknowledged later than this is told as failed by Slack, which waits three seconds."""

Next = Callable[[], Awaitable[Any]]
Accept = Callable[[Act], Awaitable[bool]]


def register(app: AsyncApp, accept: Accept, known: Collection[str] = ()) -> None:
    """Attach the listeners; `accept` keeps an act durably, so that it outlives a crash.

    `known` are values of secrets, which are kept out of every act.
    """
    listeners = _Listeners(accept, known)
    for name in COMMANDS:
        app.command(name)(listeners.slash)
    app.action(re.compile(".*"))(listeners.control)
    app.shortcut(re.compile(".*"))(listeners.shortcut)
    for event in EVENTS:
        # Bolt acknowledges events before their listener, but after its middleware.
        app.event(event, middleware=[listeners.message])(kept)
    app.error(failed)


class _Listeners:
    """What Slack calls. Nothing happens here but keeping the act and acknowledging it."""

    def __init__(self, accept: Accept, known: Collection[str]) -> None:
        self._accept = accept
        self._known = known

    async def slash(self, ack: AsyncAck, command: dict[str, Any], respond: AsyncRespond) -> None:
        act = acts.slash(command, self._known)
        if not await self._kept(act):
            await ack(text=NOT_KEPT)
            return
        await ack()
        logger.info("acknowledged", extra={"action": "act_acknowledged", "act": act.id})
        if datetime.now(UTC) - act.at > LATE:
            await respond(text=CAME_LATE, response_type="ephemeral", replace_original=False)

    async def control(self, ack: AsyncAck, body: dict[str, Any], respond: AsyncRespond) -> None:
        act = acts.control(body)
        kept = act is None or await self._kept(act)
        await ack()
        if not kept:
            await respond(text=NOT_KEPT, response_type="ephemeral", replace_original=False)

    async def shortcut(self, ack: AsyncAck, body: dict[str, Any], respond: AsyncRespond) -> None:
        act = acts.shortcut(body, self._known)
        kept = act is None or await self._kept(act)
        await ack()
        if not kept:
            await respond(text=NOT_KEPT, response_type="ephemeral", replace_original=False)

    async def message(
        self, event: dict[str, Any], body: dict[str, Any], next: Next
    ) -> BoltResponse | None:
        act = acts.message(event, body.get("team_id") or "", self._known)
        if act is None or await self._kept(act):
            await next()
            return None
        # Slack delivers an event again that is not acknowledged.
        return BoltResponse(status=503)

    async def _kept(self, act: Act) -> bool:
        try:
            await self._accept(act)
        except StoreFailed as error:
            logger.error(  # noqa: TRY400  # the sentence says it; the trace adds nothing
                "an act was not kept: %s",
                error.sentence,
                extra={"action": "act_not_kept", "act": act.id},
            )
            return False
        return True


async def kept() -> None:
    """Nothing is left to do for an event that was kept."""


async def failed(error: Exception, body: dict[str, Any]) -> None:
    """Log a delivery that was not kept; Slack tells the person that it was not acknowledged."""
    logger.error(
        "a delivery from Slack was not kept",
        exc_info=error,
        extra={"action": "delivery_failed", "type": body.get("type", "")},
    )
