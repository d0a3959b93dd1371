"""A cluster that does not answer: one message when that is certain, one when it is over.

Level, not edge: the messages themselves are the memory of who was told of what, and since when.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection
from datetime import UTC, datetime

from bot.card import Card, Moment
from bot.cards.job import healed, outage
from bot.errors import ClusterError
from bot.ports import Store, Wanted

logger = logging.getLogger(__name__)

ANNOUNCE_AFTER = 20.0
"""Seconds of silence that are nobody's business."""


class Outage:
    """Knows since when a cluster is silent, and who was told."""

    def __init__(
        self,
        *,
        cluster: str,
        store: Store,
        wake: Callable[[], None],
        announce_after: float = ANNOUNCE_AFTER,
    ) -> None:
        self._cluster = cluster
        self._store = store
        self._wake = wake
        self._announce_after = announce_after
        self._heard = datetime.now(UTC)
        self._began: float | None = None
        self._told: dict[str, Wanted] = {}
        """What stands in each channel about this silence."""

    @property
    def lasts(self) -> bool:
        """Whether the cluster is silent now, or people still think so."""
        return self._began is not None or bool(self._told)

    async def load(self, channels: Collection[str]) -> None:
        """Take up the silence that an earlier life told these channels of."""
        for channel in channels:
            await self._last(channel)

    async def silent(self, error: ClusterError, channels: Collection[str], asked: float) -> None:
        """The cluster did not answer; tell these channels once, when it stays so.

        `asked` is when it was asked, by the clock of `time.monotonic`.
        """
        if self._began is None:
            self._began = asked
            logger.warning(
                "%s does not answer: %s",
                self._cluster,
                error.sentence,
                extra={"action": "cluster_silent", "cluster": self._cluster},
            )
        if time.monotonic() - self._began < self._announce_after:
            return
        card = outage(self._cluster, self._heard, error.sentence)
        for channel in sorted(set(channels) - self._told.keys()):
            number = await self._last(channel)
            if channel not in self._told:
                key = self._key(channel, number + 1)
                told = Wanted(key=key, channel=channel, card=card)
                await self._store.want(told)
                self._told[channel] = told
                self._wake()

    async def answers(self) -> None:
        """The cluster answered; tell those who know of its silence."""
        now = datetime.now(UTC)
        if self.lasts:
            logger.warning(
                "%s answers again",
                self._cluster,
                extra={"action": "cluster_answers", "cluster": self._cluster},
            )
            await self._store.want(*(self._healed(told, now) for told in self._told.values()))
            self._wake()
        self._heard, self._began, self._told = now, None, {}

    def _healed(self, told: Wanted, now: datetime) -> Wanted:
        card = healed(self._cluster, _since(told.card) or self._heard, now)
        return Wanted(key=_over(told.key), channel=told.channel, card=card, parent=told.key)

    async def _last(self, channel: str) -> int:
        """Return the number of a channel's last silence, and take it up if it is not over."""
        number, last = 0, None
        while (found := await self._store.message(self._key(channel, number + 1))) is not None:
            number, last = number + 1, found.wanted
        if last is not None and await self._store.message(_over(last.key)) is None:
            self._told[channel] = last
        return number

    def _key(self, channel: str, number: int) -> str:
        return f"outage/{self._cluster}/{channel}/{number}"


def _over(key: str) -> str:
    return f"{key}/healed"


def _since(card: Card) -> datetime | None:
    """Return since when a card says that there is silence."""
    return next((span.at for span in card.lead if isinstance(span, Moment)), None)
