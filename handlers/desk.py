"""One act, from words or a click to its answer: every error becomes a sentence here."""

from __future__ import annotations

import logging

from bot import grammar
from bot.card import Card
from bot.cards import trouble
from bot.cards.launch import taken_on
from bot.errors import ChatError, InputRefused, SbatchatError
from bot.model import Act, ActKind
from bot.ports import Wanted
from bot.service import Service, recipes
from handlers.actions import ACTIONS
from handlers.chat import SlackChat
from handlers.commands import COMMANDS, LONG
from handlers.commands.command import typed
from handlers.shortcuts import SHORTCUTS

logger = logging.getLogger(__name__)


class Desk:
    """Carries out acts and answers them."""

    def __init__(self, *, service: Service, chat: SlackChat) -> None:
        self._service = service
        self._chat = chat

    async def perform(self, act: Act) -> None:
        """Do what the act asks and answer; the person always learns how it went."""
        try:
            card = await self._carry_out(act)
        except InputRefused as error:
            card = trouble.refused_input(error, typed(act))
            if any(wrong.field == "recipe" for wrong in error.errors):
                card = await recipes.with_choice(self._service, act, card)
        except SbatchatError as error:
            logger.info(
                "an act was refused",
                extra={"action": "act_refused", "act": act.id, "why": type(error).__name__},
            )
            card = trouble.refused(error)
        if card is not None:
            await self._answer(act, card)
        elif act.ephemeral:
            await self._settle(act)

    async def resume(self, act: Act) -> None:
        """Do what an earlier life of the bot left; who typed it may have been told it failed."""
        if act.kind is ActKind.SLASH:
            await self._answer(act, trouble.said(trouble.CAME_LATE))
        await self.perform(act)

    async def apologise(self, act: Act, error_id: str) -> None:
        """Tell the person that the bot broke."""
        await self._answer(act, trouble.broke(error_id))

    def takes_long(self, act: Act) -> bool:
        """Whether an act may take a minute, so that its person's other acts should not wait."""
        if act.kind not in {ActKind.SLASH, ActKind.MENTION}:
            return act.kind is ActKind.SHORTCUT
        try:
            parsed = grammar.parse(act.command, act.text)
        except InputRefused:
            return False
        return isinstance(parsed, grammar.Parsed) and parsed.subcommand in LONG

    async def _carry_out(self, act: Act) -> Card | None:
        if act.kind is ActKind.SHORTCUT:
            choose = SHORTCUTS.get(act.action)
            return await choose(self._service, self._chat, act) if choose else _unknown()
        if act.kind in {ActKind.BUTTON, ActKind.SELECT}:
            act_on = ACTIONS.get(act.action)
            return await act_on(self._service, act) if act_on else _unknown()
        if act.leaked:
            extra = {"action": "secret_pasted", "act": act.id, "kinds": list(act.leaked)}
            logger.warning("a secret was pasted into Slack", extra=extra)
            return trouble.pasted(act.leaked, visible=act.kind is ActKind.MENTION)
        parsed = grammar.parse(act.command, act.text)
        if isinstance(parsed, grammar.Help):
            return grammar.help_card(parsed)
        return await COMMANDS[parsed.subcommand](self._service, act, parsed)

    async def _settle(self, act: Act) -> None:
        """Take the controls off a message that only its person sees: what they did is done."""
        try:
            await self._chat.settle(act, taken_on())
        except ChatError as error:
            extra = {"action": "answer_lost", "act": act.id, "why": str(error)}
            logger.warning("a spent control stays in sight", extra=extra)

    async def _answer(self, act: Act, card: Card) -> None:
        """A public question gets a public answer; anything else is seen by its person only."""
        if act.kind is ActKind.MENTION:
            thread = act.caller.thread or act.message_ts
            await self._service.want(
                Wanted(key=f"act/{act.id}", channel=act.caller.channel, card=card, thread=thread)
            )
            return
        try:
            await self._chat.whisper(act, card)
        except ChatError as error:
            logger.warning(
                "an answer did not reach its person",
                extra={"action": "answer_lost", "act": act.id, "why": str(error)},
            )


def _unknown() -> Card:
    return trouble.said("This control belongs to another version of the bot.")
