"""A cluster that does not answer: one message when that is certain, one when it is over."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection
from datetime import UTC, datetime

from bot.cards.job import healed, outage
from bot.errors import ClusterError
from bot.ports import Store, Wanted

logger = logging.getLogger(__name__)

ANNOUNCE_AFTER = 20.0
"""Seconds of silence that are nobody's business."""


class Outage:
    """Remembers since when a cluster is silent, and who was told."""

    def __init__(self, *, cluster: str, store: Store, wake: Callable[[], None]) -> None:
        self._cluster = cluster
        self._store = store
        self._wake = wake
        self._heard = datetime.now(UTC)
        self._began: float | None = None
        self._told: tuple[str, ...] = ()

    @property
    def lasts(self) -> bool:
        """Whether the cluster is silent now."""
        return self._began is not None

    async def silent(self, error: ClusterError, channels: Collection[str]) -> None:
        """The cluster did not answer; tell these channels once, when it stays so."""
        if self._began is None:
            self._began = time.monotonic()
            logger.warning(
                "%s does not answer: %s",
                self._cluster,
                error.sentence,
                extra={"action": "cluster_silent", "cluster": self._cluster},
            )
        if self._told or time.monotonic() - self._began < ANNOUNCE_AFTER:
            return
        self._told = tuple(sorted(channels))
        card = outage(self._cluster, self._heard, error.sentence)
        await self._store.want(
            *(Wanted(key=self._key(channel), channel=channel, card=card) for channel in self._told)
        )
        self._wake()

    async def answers(self) -> None:
        """The cluster answered; tell those who know of its silence."""
        since, told, lasted = self._heard, self._told, self.lasts
        keys = {channel: self._key(channel) for channel in told}
        self._heard, self._began, self._told = datetime.now(UTC), None, ()
        if not lasted:
            return
        logger.warning(
            "%s answers again",
            self._cluster,
            extra={"action": "cluster_answers", "cluster": self._cluster},
        )
        card = healed(self._cluster, since, self._heard)
        await self._store.want(
            *(
                Wanted(key=f"{key}/healed", channel=channel, card=card, parent=key)
                for channel, key in keys.items()
            )
        )
        self._wake()

    def _key(self, channel: str) -> str:
        return f"outage/{self._cluster}/{self._heard:%Y%m%dT%H%M%S}/{channel}"
