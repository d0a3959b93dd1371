"""What people did and the bot must still answer. An act is kept first, then done."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import deque
from collections.abc import Awaitable, Callable

from bot.errors import StoreFailed
from bot.model import Act
from bot.ports import Store

logger = logging.getLogger(__name__)

FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
"""Seconds between tries to reach a database that fails."""

Perform = Callable[[Act], Awaitable[None]]
Apologise = Callable[[Act, str], Awaitable[None]]
"""Tells the person that the bot broke; the text is the id under which the log says how."""


def _nothing(_act: Act) -> bool:
    return False


class Inbox:
    """Keeps acts and performs them: at once, those of one person one after the other.

    What is `aside` of a person's other acts (since it takes long, and they do not depend on it)
    holds up none of them.

    An act that was kept and not finished is resumed by the next life of the bot. One that several
    lives in a row did not survive is given up, with an apology.
    """

    def __init__(  # noqa: PLR0913  # each says one thing about acts
        self,
        store: Store,
        perform: Perform,
        resume: Perform,
        apologise: Apologise,
        *,
        aside: Callable[[Act], bool] = _nothing,
        abreast: int = 16,
        lives: int = 3,
    ) -> None:
        self._store = store
        self._perform = perform
        self._resume = resume
        self._apologise = apologise
        self._aside = aside
        self._slots = asyncio.Semaphore(abreast)
        self._lives = lives
        self._group: asyncio.TaskGroup | None = None
        self._early: list[Act] = []
        self._lanes: dict[tuple[str, str, str], deque[tuple[Act, bool]]] = {}
        """By team, person and, for what is aside, the act."""

    async def accept(self, act: Act) -> bool:
        """Keep an act and see to it; False when it was known before. Raises StoreFailed."""
        logger.info("an act came", extra={"action": "act_received", "act": act.id})
        if not await self._store.accept(act):
            logger.info("the act was known", extra={"action": "act_known", "act": act.id})
            return False
        logger.info("the act is kept", extra={"action": "act_stored", "act": act.id})
        if self._group is None:
            self._early.append(act)
        else:
            self._put(self._group, act, again=False)
        return True

    async def run(self) -> None:
        """Perform what an earlier life left open, and then what comes, until cancelled."""
        left = await self._store.open_acts()
        # Nothing is performed while the store is read, so that nothing is performed twice.
        known = {act.id for act in left}
        new = [act for act in self._early if act.id not in known]
        mine = {act.id for act in self._early}
        self._early = []
        async with asyncio.TaskGroup() as group:
            self._group = group
            try:
                for act in (*left, *new):
                    self._put(group, act, again=act.id not in mine)
                await asyncio.Event().wait()
            finally:
                self._group = None

    def _put(self, group: asyncio.TaskGroup, act: Act, *, again: bool) -> None:
        person = (act.caller.team, act.caller.user, act.id if self._aside(act) else "")
        if person in self._lanes:
            self._lanes[person].append((act, again))
        else:
            self._lanes[person] = deque([(act, again)])
            group.create_task(self._lane(person))

    async def _lane(self, person: tuple[str, str, str]) -> None:
        """Do the acts of one person in order."""
        lane = self._lanes[person]
        try:
            while lane:
                act, again = lane[0]
                async with self._slots:
                    await self._do(act, again=again)
                await self._finish(act)
                lane.popleft()
        finally:
            del self._lanes[person]

    async def _do(self, act: Act, *, again: bool) -> None:
        logger.info("an act begins", extra={"action": "act_begun", "act": act.id})
        try:
            error_id = await _caught(self._again if again else self._perform, act)
        except asyncio.CancelledError:
            await self._set_aside(act)
            raise
        logger.info("an act is done", extra={"action": "act_done", "act": act.id})
        if error_id:
            await _caught(lambda broken: self._apologise(broken, error_id), act)

    async def _again(self, act: Act) -> None:
        if await self._store.begin(act.id) > self._lives:
            raise RuntimeError(f"{self._lives} lives of the bot did not survive this act")
        await self._resume(act)

    async def _set_aside(self, act: Act) -> None:
        """Leave an act to the next life, and do not hold this one against it."""
        try:
            await self._store.set_aside(act.id)
        except StoreFailed as error:
            logger.warning(
                "an act is left, and counted: %s",
                error,
                extra={"action": "act_left", "act": act.id},
            )
        else:
            logger.info("an act is left", extra={"action": "act_left", "act": act.id})

    async def _finish(self, act: Act) -> None:
        """Write down that an act is done, however long the database needs."""
        wait = FIRST_WAIT
        while True:
            try:
                await self._store.finish(act.id)
            except StoreFailed as error:
                if wait == FIRST_WAIT:
                    logger.error(  # noqa: TRY400  # the sentence says it; the trace adds nothing
                        "an act is done and cannot be written down as done: %s",
                        error,
                        extra={"action": "act_not_finished", "act": act.id},
                    )
                await asyncio.sleep(wait)
                wait = min(2 * wait, LONGEST_WAIT)
            else:
                logger.info("an act is finished", extra={"action": "act_finished", "act": act.id})
                return


async def _caught(work: Perform, act: Act) -> str:
    """Do some work for an act; return the id under which its failure was logged, or empty."""
    try:
        await work(act)
    except Exception:  # one act that breaks must not silence the others
        error_id = secrets.token_hex(4)
        logger.exception(
            "an act broke", extra={"action": "act_broke", "act": act.id, "error_id": error_id}
        )
        return error_id
    return ""
