"""Interactive jobs: the way in, reminders, release in time, GPUs without work.

Level, not edge: what a job's session comes to follows from the job, the clock and what lies on the
cluster; what was said is remembered by the messages themselves.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Protocol

from bot.card import Card
from bot.cards import session as cards
from bot.cluster import slurm
from bot.cluster.doors import Door, doors
from bot.cluster.gpu_use import gpu_use
from bot.errors import ClusterError
from bot.job import Job, Session, State
from bot.login_node import LoginNode
from bot.messages import under
from bot.model import Act, ActKind, Request, derive
from bot.ports import Store, Wanted

logger = logging.getLogger(__name__)

QUIET = 60.0
"""Seconds between two turns when nothing is due."""
AGAIN = 20.0
"""Seconds after which a release that has not ended the job is tried again."""
BUSY = 5
"""Percent from which a GPU counts as used."""


class Following(Protocol):
    """Who follows the jobs, and alone changes them."""

    def sessions(self) -> tuple[Job, ...]: ...

    async def amend(
        self, job: Job, change: Callable[[Session], Session | None], *wanted: Wanted
    ) -> Job | None: ...


def _now() -> datetime:
    return datetime.now(UTC)


class Sessions:
    """Sees to the interactive jobs of one cluster."""

    def __init__(
        self,
        *,
        node: LoginNode,
        store: Store,
        jobs: Following,
        wake: Callable[[], None],
        hurry: Callable[[], None],
        clock: Callable[[], datetime] = _now,
    ) -> None:
        self._node = node
        self._store = store
        self._jobs = jobs
        self._wake = wake
        self._hurry = hurry
        """Look at the cluster's jobs soon."""
        self._clock = clock
        self._said: set[str] = set()
        self._released: dict[str, float] = {}
        self._looked: dict[str, float] = {}

    async def tick(self) -> float:
        """See to all of them once; return the seconds until the next turn."""
        try:
            for job in self._jobs.sessions():
                await self._in_time(job)
            await self._look_for_doors()
            await self._look_for_work()
        except ClusterError as error:
            # That the cluster is silent is told by who follows the jobs.
            extra = {"action": "sessions_wait", "cluster": self._node.name}
            logger.info("interactive jobs wait for the cluster: %s", error.sentence, extra=extra)
        return self._pace()

    # Its time

    async def _in_time(self, job: Job) -> None:
        """Remind, and release when the time is up."""
        if job.releases is None or job.session is None or job.seen.state is State.COMPLETING:
            return
        left = job.releases - self._clock()
        if left <= timedelta():
            await self._release(job)
            return
        for before in sorted(self._node.settings.sessions.remind):
            if left <= before:
                # Who asked for no more than that needs no reminder of it.
                if job.session.stay > before:
                    name = f"reminder/{_seconds(before)}/{_seconds(job.session.stay)}"
                    await self._say(job, name, partial(cards.reminder, before=before))
                return

    async def _release(self, job: Job) -> None:
        """End a job whose time is up: the wish is kept first, so that its end reads right."""
        if time.monotonic() - self._released.get(job.key, float("-inf")) < AGAIN:
            return
        stay = job.session.stay if job.session is not None else timedelta()
        expired = await self._jobs.amend(
            job, lambda s: s.model_copy(update={"expired": True}) if s.stay == stay else None
        )
        if expired is None:
            return
        if job.session is not None and not job.session.expired:
            await self._record(job)
        self._released[job.key] = time.monotonic()
        outcome = await self._node.run(slurm.cancel(job.id))
        logger.info(
            "an interactive job is released",
            extra={"action": "session_released", "job": job.key, "outcome": outcome.outcome.value},
        )
        self._hurry()
        if outcome.outcome is slurm.Cancelled.DENIED:
            why = outcome.outcome.value
            await self._say(job, "not_released", partial(cards.not_released, why=why))

    async def _record(self, job: Job) -> None:
        request = await self._store.request(job.request)
        if request is None:
            return
        act = Act(
            id=derive(job.key, "expiry", request.id),
            kind=ActKind.CLOCK,
            caller=request.caller.model_copy(update={"user": ""}),
            at=self._clock(),
            text="its time was up",
        )
        await self._store.record(act, did="release", job=job.key, request=request.id)

    # The way in

    async def _look_for_doors(self) -> None:
        waiting = [job for job in self._jobs.sessions() if _comes_up(job) and job.seen.workdir]
        if not waiting:
            return
        found = await self._node.run(doors(waiting, await self._node.roots()))
        for job in waiting:
            await self._take(job, found.get(job.id, Door("", "")))

    async def _take(self, job: Job, door: Door) -> None:
        """Keep what was found of a job, and tell its owner."""
        news = {"attempt": job.attempt, "attach": door.attach, "told": door.told}
        if door.attach:
            request = await self._store.request(job.request)
            open_now = job.model_copy(update={"session": _with(job.session, news)})
            wanted = []
            if request is not None:
                card = cards.ready(request, open_now, self._node.ssh_line)
                wanted.append(under(request, _name(job, "ready"), card))
            if await self._jobs.amend(job, lambda s: _with(s, news), *wanted):
                logger.info("there is a way in", extra={"action": "session_ready", "job": job.key})
            return
        if job.session is not None and _with(job.session, news) != job.session:
            job = await self._jobs.amend(job, lambda s: _with(s, news)) or job
        patience = self._node.settings.sessions.attach_within
        if job.seen.started is not None and self._clock() - job.seen.started > patience:
            await self._say(job, "late", partial(cards.late, waited=patience))

    # Its GPUs

    async def _look_for_work(self) -> None:
        """Look at one job's GPUs, if one is due: it takes seconds, and may be put off."""
        every = self._node.settings.sessions.look_for_idle_every.total_seconds()
        for job in self._jobs.sessions():
            looked = self._looked.get(job.key, float("-inf"))
            if job.attach and _runs(job) and time.monotonic() - looked >= every:
                self._looked[job.key] = time.monotonic()
                await self._weigh(job, await self._node.run(gpu_use(job.id, job.seen.nodes)))
                return

    async def _weigh(self, job: Job, use: int | None) -> None:
        """Keep since when there is no work; what nobody knows is no reason to alarm."""
        before = job.session.idle_since if job.session is not None else None
        since = (before or self._clock()) if use is not None and use < BUSY else None
        if since != before:
            await self._jobs.amend(job, lambda s: _with(s, {"idle_since": since}))
        if since is not None and self._clock() - since >= self._node.settings.sessions.idle_after:
            name = f"idle/{int(since.timestamp())}"
            await self._say(job, name, partial(cards.idle, since=since))

    async def _say(self, job: Job, name: str, card: Callable[[Request, Job], Card]) -> None:
        """Say something in the job's thread, once for ever."""
        request = await self._store.request(job.request)
        if request is None:
            return
        wanted = under(request, _name(job, name), card(request, job))
        if wanted.key in self._said:
            return
        if await self._store.message(wanted.key) is None:
            await self._store.want(wanted)
            self._wake()
        self._said.add(wanted.key)

    def _pace(self) -> float:
        """Return the seconds until something is due."""
        jobs = self._jobs.sessions()
        settings = self._node.settings
        if any(not job.attach for job in jobs):
            return settings.tick_fast
        waits = [QUIET]
        now = self._clock()
        for job in jobs:
            moments = (timedelta(), *settings.sessions.remind)
            ahead = [(job.releases - before - now) for before in moments if job.releases]
            waits += [wait.total_seconds() for wait in ahead if wait > timedelta()]
            waits += [AGAIN] if job.releases and job.releases <= now else []
        due = settings.sessions.look_for_idle_every.total_seconds()
        waits += [due] if jobs else []
        return max(min(waits), 1.0)


def _comes_up(job: Job) -> bool:
    return _runs(job) and not job.attach


def _runs(job: Job) -> bool:
    return job.seen.state is State.RUNNING


def _with(session: Session | None, news: dict[str, object]) -> Session | None:
    return session.model_copy(update=news) if session is not None else None


def _name(job: Job, what: str) -> str:
    return f"session/{job.id}/{job.attempt}/{what}"


def _seconds(span: timedelta) -> int:
    return int(span.total_seconds())
