"""Ticks on time: the only door to APScheduler. It drives; the store remembers."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from apscheduler.schedulers.asyncio import AsyncIOScheduler

logger = logging.getLogger(__name__)

Tick = Callable[[], Awaitable[float]]
"""Does one turn and returns the seconds until the next."""

SOON = 0.3
"""Seconds; what is wanted at once within this time happens once."""
AFTER_A_FAULT = 30.0


class Clockwork:
    """Runs ticks one after the other, each at its own pace."""

    def __init__(self) -> None:
        self._scheduler = AsyncIOScheduler(
            timezone=UTC,
            job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None},
        )
        self._hurried: set[str] = set()
        self._turning: set[str] = set()

    def start(self) -> None:
        """Begin."""
        self._scheduler.start()

    def stop(self) -> None:
        """Begin no further turn."""
        if self._scheduler.running:
            self._scheduler.shutdown(wait=False)

    def add(self, name: str, tick: Tick) -> None:
        """Run `tick` now and then whenever it asks to."""
        self._scheduler.add_job(
            self._turn,
            "interval",
            days=1,
            args=(name, tick),
            id=name,
            next_run_time=datetime.now(UTC),
        )

    def hurry(self, name: str) -> None:
        """Run a tick soon, whatever it asked for."""
        if name in self._turning:
            self._hurried.add(name)
        elif self._wait(name) > SOON:
            self._plan(name, SOON)

    async def _turn(self, name: str, tick: Tick) -> None:
        self._turning.add(name)
        logger.debug("a tick begins", extra={"action": "tick_begun", "tick": name})
        wait = AFTER_A_FAULT
        try:
            wait = await tick()
        except Exception:  # one bad turn must not end the watch; the next one looks again
            logger.exception("a tick broke", extra={"action": "tick_broke", "tick": name})
        finally:
            self._turning.discard(name)
        logger.debug("a tick is done", extra={"action": "tick_done", "tick": name})
        if name in self._hurried:
            self._hurried.discard(name)
            wait = min(wait, SOON)
        self._plan(name, wait)

    def _wait(self, name: str) -> float:
        """Return the seconds until the next turn, so that hurrying often never puts it off."""
        job = self._scheduler.get_job(name)
        at = job.next_run_time if job is not None else None
        return (at - datetime.now(UTC)).total_seconds() if at is not None else float("inf")

    def _plan(self, name: str, seconds: float) -> None:
        if self._scheduler.running:
            at = datetime.now(UTC) + timedelta(seconds=seconds)
            self._scheduler.modify_job(name, next_run_time=at)
