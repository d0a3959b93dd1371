"""Makes Slack agree with the messages that the store wants shown, in Slack's own time.

Level, not edge: each round reads what differs and begins what may be told now. A first post is
written down before it is sent; when nobody knows whether it arrived, the channel is looked at
before it is sent again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from bot.errors import ChatError, ChatRateLimited, ChatUnreachable, MessageRefused, StoreFailed
from bot.pace import SLACK, Pace, Times
from bot.ports import Chat, Posted, Store

logger = logging.getLogger(__name__)

UNUSABLE = frozenset(
    {"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long", "no_text"}
)
"""Codes that mean that the card was drawn wrongly: a bug of ours."""
LOCKED_OUT = frozenset(
    {"account_inactive", "invalid_auth", "not_authed", "token_expired", "token_revoked"}
)
"""Codes that say nothing of the message: the bot's own entry is closed until somebody opens it."""


HORIZON = 30.0
"""Seconds ahead that a round looks for messages with a `not_before`, and the longest sleep."""


def _now() -> datetime:
    return datetime.now(UTC)


def _time() -> float:
    """Return the loop's clock, which is never set."""
    return asyncio.get_running_loop().time()


class Outbox:
    """One loop that tells Slack what `Store.due` says; `wake` it after something was wanted."""

    def __init__(
        self,
        store: Store,
        chat: Chat,
        *,
        clock: Callable[[], datetime] = _now,
        pace: Pace = SLACK,
    ) -> None:
        self._store = store
        self._chat = chat
        self._clock = clock
        self._pace = pace
        self._times = Times(pace)
        self._woken = asyncio.Event()
        self._in_hand: dict[str, Posted] = {}
        self._looked_for: set[str] = set()
        self._troubles: set[str] = set()

    def wake(self) -> None:
        """Look at the store now rather than later."""
        self._woken.set()

    async def run(self) -> None:
        """Tell Slack what it must still be told, until cancelled."""
        async with asyncio.TaskGroup() as group:
            while True:
                self._woken.clear()
                wait = await self._round(group)
                self._times.forget(_time())
                with suppress(TimeoutError):
                    async with asyncio.timeout(wait):
                        await self._woken.wait()

    async def _round(self, group: asyncio.TaskGroup) -> float:
        """Begin what may be told now; return the seconds until more may be."""
        # A message whose turn ends while the store is read comes back as it was before.
        stale = dict(self._in_hand)
        try:
            rows = await self._store.due(self._clock() + timedelta(seconds=HORIZON))
        except StoreFailed as error:
            self._trouble("store", error)
            return self._pace.grace
        self._well("store")
        wait = HORIZON
        # First posts to a channel go one by one, in the order in which they were wanted.
        taken = {row.wanted.channel for row in stale.values() if not row.ts}
        for row in rows:
            if row.wanted.key in stale or (not row.ts and row.wanted.channel in taken):
                continue
            early = self._early(row, _time())
            if early > 0:
                wait = min(wait, early)
            elif self._abreast(row):
                self._begin(group, row)
            if not row.ts and not self._postponed(row):
                taken.add(row.wanted.channel)
        return wait

    def _begin(self, group: asyncio.TaskGroup, row: Posted) -> None:
        self._in_hand[row.wanted.key] = row
        if row.ts:
            self._times.updated(row.wanted.key, _time())
        group.create_task(self._turn(row))

    def _abreast(self, row: Posted) -> bool:
        """Tell whether there is room for one more of its kind; a turn that ends wakes the loop."""
        if not row.ts:
            return True
        return sum(1 for other in self._in_hand.values() if other.ts) < self._pace.abreast

    def _postponed(self, row: Posted) -> bool:
        return row.wanted.not_before is not None and row.wanted.not_before > self._clock()

    def _early(self, row: Posted, now: float) -> float:
        """Return by how many seconds it is too early for this message."""
        at = max(self._times.all, self._times.message(row.wanted.key))
        if row.ts:
            return max(at, self._times.updates) - now
        at = max(at, self._times.post(row.wanted.channel))
        if row.attempted is not None:
            passed = max(0.0, (self._clock() - row.attempted).total_seconds())
            at = max(at, now + self._pace.grace - passed)
        if row.wanted.not_before is not None:
            at = max(at, now + (row.wanted.not_before - self._clock()).total_seconds())
        return at - now

    async def _turn(self, row: Posted) -> None:
        """Tell Slack of one message; whatever happens, the loop goes on."""
        try:
            await self._tell(row)
        except StoreFailed as error:
            self._trouble("store", error)
            self._times.failed(row.wanted.key, _time())
        finally:
            del self._in_hand[row.wanted.key]
            self.wake()

    async def _tell(self, row: Posted) -> None:
        try:
            await self._step(row)(row)
        except ChatRateLimited as error:
            self._slow_down(row, _time() + error.retry_after)
        except ChatUnreachable as error:
            self._trouble("slack", error)
            self._times.failed(row.wanted.key, _time())
        except MessageRefused as error:
            if error.code in LOCKED_OUT:
                self._trouble("slack", error)
                self._times.all = _time() + self._pace.longest
            else:
                await self._refuse(row, error.code)
        except StoreFailed:
            raise
        except Exception:  # one card that breaks must not silence the others
            logger.exception("a message broke", extra=_extra("message_broke", row))
            await self._refuse(row, "broken")
        else:
            self._times.forgive(row.wanted.key)
            self._well("slack")

    def _step(self, row: Posted) -> Callable[[Posted], Awaitable[None]]:
        if row.ts:
            return self._update
        if row.wanted.parent and not (row.wanted.thread or row.parent_ts):
            return self._orphan
        return self._post if row.attempted is None else self._look

    async def _post(self, row: Posted) -> None:
        key, channel = row.wanted.key, row.wanted.channel
        await self._store.attempting(key, row.revision, self._clock())
        logger.info("a post is written down", extra=_extra("post_marked", row))
        self._times.posted(channel, _time())
        logger.info("a post goes out", extra=_extra("post_sent", row))
        try:
            ts = await self._chat.post(channel, _thread(row), row.wanted.card, key)
        except (ChatRateLimited, MessageRefused):
            await self._store.not_shown(key)
            raise
        logger.info("a post is answered", extra=_extra("post_answered", row))
        await self._store.shown(key, ts, row.revision)
        self._times.rest(key, _time() + self._pace.settle)
        logger.info("a post is kept", extra=_extra("post_stored", row))

    async def _look(self, row: Posted) -> None:
        """Find out whether a post arrived, and post again when two looks do not find it."""
        key = row.wanted.key
        ts = await self._found(row)
        logger.info("a post was looked for", extra=_extra("post_looked_for", row))
        if ts:
            self._looked_for.discard(key)
            await self._store.found(key, ts)
            logger.info("a post had arrived", extra=_extra("post_found", row))
        elif key in self._looked_for:
            self._looked_for.discard(key)
            await self._post(row)
        else:
            # Slack may still be at work on it.
            self._looked_for.add(key)
            self._times.rest(key, _time() + 2 * self._pace.grace)

    async def _found(self, row: Posted) -> str:
        since = row.attempted or self._clock()
        try:
            return await self._chat.find(row.wanted.channel, _thread(row), row.wanted.key, since)
        except MessageRefused as error:
            if error.code in LOCKED_OUT:
                raise
            # Seen twice is better than never seen.
            logger.warning(
                "a post cannot be looked for: %s", error, extra=_extra("post_not_lookable", row)
            )
            return ""

    async def _update(self, row: Posted) -> None:
        key = row.wanted.key
        logger.info("an update goes out", extra=_extra("update_sent", row))
        await self._chat.update(row.wanted.channel, row.ts, row.wanted.card, key)
        logger.info("an update is answered", extra=_extra("update_answered", row))
        await self._store.shown(key, row.ts, row.revision)
        logger.info("an update is kept", extra=_extra("update_stored", row))

    async def _orphan(self, row: Posted) -> None:
        """Refuse an answer to a message that was refused."""
        parent = await self._store.message(row.wanted.parent)
        if parent is not None and parent.refused and not parent.ts:
            await self._refuse(row, parent.refused)

    async def _refuse(self, row: Posted, code: str) -> None:
        await self._store.refused(row.wanted.key, row.revision, code)
        self._times.forgive(row.wanted.key)
        logger.log(
            logging.ERROR if code in UNUSABLE else logging.WARNING,
            "Slack will not take a message: %s",
            code,
            extra=_extra("card_refused" if code in UNUSABLE else "message_refused", row),
        )

    def _slow_down(self, row: Posted, until: float) -> None:
        logger.info("Slack asks to wait", extra=_extra("rate_limited", row))
        if row.ts:
            self._times.too_many_updates(until)
        else:
            self._times.hold(row.wanted.channel, until)

    def _trouble(self, what: str, error: ChatError | StoreFailed) -> None:
        """Say once that something does not work."""
        if what not in self._troubles:
            self._troubles.add(what)
            logger.warning("%s", error.sentence, extra={"action": f"{what}_trouble"})

    def _well(self, what: str) -> None:
        """Say once that it works again."""
        if what in self._troubles:
            self._troubles.discard(what)
            logger.info("it works again", extra={"action": f"{what}_well"})


def _thread(row: Posted) -> str:
    return row.wanted.thread or row.parent_ts


def _extra(action: str, row: Posted) -> dict[str, object]:
    return {
        "action": action,
        "key": row.wanted.key,
        "channel": row.wanted.channel,
        "revision": row.revision,
    }
