"""What the entries of a message's menu do: callback_id → use case."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from bot.card import Card
from bot.cards.pasted import reading
from bot.errors import ChatError
from bot.model import Act
from bot.ports import Wanted
from bot.service import Service, pasted
from handlers.chat import SlackChat

logger = logging.getLogger(__name__)

Choose = Callable[[Service, SlackChat, Act], Awaitable[Card | None]]


async def diagnose_log(service: Service, chat: SlackChat, act: Act) -> Card | None:
    """Say what went wrong in a message: in its thread, or to the person alone.

    The thread is for channels that the rules name and the bot is in; elsewhere nobody asked for it.
    """
    service.welcome(act)
    open_to_all = service.admits(act) and await chat.present(act.caller.channel, act.message_ts)
    if open_to_all:
        try:
            await chat.whisper(act, reading(act))
        except ChatError as error:
            extra = {"action": "answer_lost", "act": act.id, "why": str(error)}
            logger.warning("nobody was told that a log is being read", extra=extra)
    card = await pasted.diagnosis(act, chat.fetch)
    if not open_to_all:
        return card
    thread = act.caller.thread or act.message_ts
    await service.want(
        Wanted(key=f"act/{act.id}", channel=act.caller.channel, card=card, thread=thread)
    )
    return None


SHORTCUTS: dict[str, Choose] = {"diagnose_log": diagnose_log}
