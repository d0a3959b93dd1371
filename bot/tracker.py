"""One tick: look at all jobs at once, compare with what was last known, tell the difference.

Level, not edge: what matters is what Slurm shows and what was last written down. A job that is
missing from squeue has not ended; scontrol and sacct are asked how it is.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from bot import following, waiting
from bot.cards.job import notice, stuck
from bot.cards.request import request_card
from bot.cluster import slurm
from bot.cluster.peek import peek
from bot.errors import ClusterError, SlurmRateLimited
from bot.inquiry import Inquiry
from bot.job import Job, Session, State
from bot.login_node import LoginNode
from bot.messages import living, under
from bot.model import Request
from bot.outage import Outage
from bot.ports import Store, Wanted
from bot.training import watched
from bot.warned import warnings

logger = logging.getLogger(__name__)

YOUNG = timedelta(seconds=60)
"""After a submission, and before an expected start, things change quickly."""
PEEK_EVERY, PEEK_MOST = 10.0, 100
"""Seconds between looks at the logs of running jobs, and how many of them are looked at."""

Rows = Mapping[str, str]
"""squeue's rows of one job by their ids."""


class Tracker:
    """Follows the jobs of one cluster."""

    def __init__(
        self,
        *,
        node: LoginNode,
        store: Store,
        wake: Callable[[], None],
        explain: Callable[[Job], None],
    ) -> None:
        self._node = node
        self._store = store
        self._wake = wake
        self._explain = explain
        self._jobs: dict[str, Job] = {}
        self._rows: dict[str, Rows] = {}
        """What squeue showed of each job when it was last told of."""
        self._writing = asyncio.Lock()
        """A change and a cancel may come at once; neither must undo the other."""
        self._inquiry = Inquiry(node)
        self._outage = Outage(cluster=node.name, store=store, wake=wake)
        self._slow = 1.0
        """Factor by which Slurm's own rate limit stretches the pace."""
        self._peeked = float("-inf")
        self._alone_since: datetime | None = None
        """Since when, in this life of the bot, no job of the account has held nodes."""
        self._calm = 1.0

    async def load(self) -> None:
        """Take up the jobs that an earlier life followed."""
        jobs = await self._store.open_jobs(self._node.name)
        for job in jobs:
            if job.seen.state.ended:
                self._explain(job)
            else:
                self._jobs[job.id] = job
        await self._outage.load({job.channel for job in jobs if job.channel})

    def follow(self, jobs: Sequence[Job]) -> None:
        """Take up new jobs."""
        for job in jobs:
            self._jobs.setdefault(job.id, job)

    async def stopping(self, job: Job, user: str) -> None:
        """Remember who cancels a job, before it ends."""
        async with self._writing:
            known = self._jobs.get(job.id)
            if known is not None:
                self._jobs[job.id] = known.model_copy(update={"stopped_by": user})
                await self._store.save_jobs([self._jobs[job.id]])

    def sessions(self) -> tuple[Job, ...]:
        """Return the interactive jobs that have not ended."""
        return tuple(job for job in self._jobs.values() if job.session is not None)

    async def amend(
        self, job: Job, change: Callable[[Session], Session | None], *wanted: Wanted
    ) -> Job | None:
        """Change what is known of an interactive job, and tell it together with `wanted`.

        None, and nothing changed, when the job has ended or `change` no longer applies.
        """
        async with self._writing:
            known = self._jobs.get(job.id)
            session = change(known.session) if known is not None and known.session else None
            if known is None or session is None:
                return None
            amended = known.model_copy(update={"session": session})
            request = await self._store.request(amended.request)
            living_message = [await self._living(request, amended)] if request else []
            await self._store.save_jobs([amended], [*living_message, *wanted])
            self._jobs[job.id] = amended
        self._wake()
        return amended

    async def tick(self) -> float:
        """Look once; return the seconds until the next look."""
        if not self._jobs and not self._outage.lasts:
            return self._node.settings.tick_slow
        asked = time.monotonic()
        try:
            changed = await self._look()
        except SlurmRateLimited:
            self._slow = min(self._slow * 2, 8.0)
            logger.warning("Slurm asks to slow down", extra={"action": "tick_slowed"})
            return self._pace(busy=False)
        except ClusterError as error:
            await self._outage.silent(error, self._channels(), asked)
            return self._pace(busy=True)
        await self._outage.answers()
        for job, rows in changed:
            await self._tell(job)
            # From here on these rows are old news; a change that could not be kept comes again.
            if job.id in self._jobs:
                self._rows[job.id] = rows
        for job in [*await self._progressed(), *await self._held_up()]:
            await self._tell(job)
        self._slow = max(1.0, self._slow / 2)
        return self._pace(busy=bool(changed) or self._young())

    async def _look(self) -> list[tuple[Job, Rows]]:
        """Return the jobs of which Slurm shows something else than was known, and how."""
        rows = following.grouped(await self._node.run(slurm.jobs()))
        now = datetime.now(UTC)
        news: dict[str, Job] = {}
        gone: list[Job] = []
        for job_id, job in self._jobs.items():
            mine = rows.get(job_id)
            if mine is None:
                gone.append(following.missing(job, now))
            elif mine != self._rows.get(job_id):
                seen = tuple(slurm.seen(row) for row in mine.values())
                news[job_id] = following.advance(job, seen)
        if any(job.waits_since for job in self._jobs.values()):
            self._alone_since = waiting.alone_since(rows, self._alone_since, now)
        changed: list[tuple[Job, Rows]] = []
        complete = await self._inquiry.complete(news, gone, self._jobs)
        for job_id, job in following.with_namesakes(complete, self._jobs, rows).items():
            mine = rows.get(job_id, {})
            noted = waiting.noted(job, now)
            if noted != self._jobs[job_id]:
                changed.append((noted, mine))
            else:
                self._rows[job_id] = mine
        return changed

    async def _progressed(self) -> list[Job]:
        """Return the running jobs whose training has come further, one round trip for all."""
        if time.monotonic() - self._peeked < PEEK_EVERY:
            return []
        running = [
            job
            for job in self._jobs.values()
            if job.seen.state is State.RUNNING and job.seen.stdout
        ][-PEEK_MOST:]
        if not running:
            return []
        self._peeked = time.monotonic()
        asked = [(job.id, job.seen.stdout, job.seen.workdir) for job in running]
        try:
            ends = await self._node.run(peek(asked, await self._node.roots()))
        except ClusterError as error:
            # How Slurm's states are is known all the same; the next look tells of an outage.
            extra = {"action": "peek_failed", "cluster": self._node.name}
            logger.warning("the logs cannot be looked at: %s", error.sentence, extra=extra)
            return []
        now, least = datetime.now(UTC), self._node.settings.warnings.no_step_for
        # A hundred logs take half a second of computing, in which others must get their turn.
        looked = await asyncio.to_thread(
            lambda: [watched(job, ends.get(job.id, ""), now, least) for job in running]
        )
        return [after for before, after in zip(running, looked, strict=True) if after != before]

    async def _held_up(self) -> list[Job]:
        """Return the jobs that have waited too long for what may not come."""
        now, patience = datetime.now(UTC), self._node.settings.warnings.held_up_for
        late = []
        for job in self._jobs.values():
            delay = waiting.due(job, now, patience, self._alone_since)
            if delay is None:
                continue
            if waiting.doubtful(job) and await self._served(job):
                # Others merely come first; in a while it is looked at again.
                late.append(job.model_copy(update={"waits_since": now}))
            else:
                late.append(job.model_copy(update={"told": (*job.told, waiting.name(job, delay))}))
        return late

    async def _served(self, job: Job) -> bool:
        """Whether a job's partition has the nodes it asks for, as far as that can be seen."""
        try:
            return waiting.served(job, await self._node.partition(job.seen.partition))
        except ClusterError as error:
            extra = {"action": "partition_not_seen", "cluster": self._node.name}
            logger.info("the partitions cannot be seen: %s", error.sentence, extra=extra)
            return True

    async def _tell(self, job: Job) -> None:
        """Write a change down together with what the channel shall show."""
        request = await self._store.request(job.request)
        async with self._writing:
            was = self._jobs[job.id]
            job = job.model_copy(update={"stopped_by": was.stopped_by, "session": was.session})
            wanted: list[Wanted] = []
            if request is not None:
                wanted.append(await self._living(request, job))
                wanted += [*_notices(request, job, was), *warnings(request, job, was)]
            logger.info(
                "a job changed",
                extra={"action": "job_changed", "job": job.key, "state": job.seen.state.value},
            )
            await self._store.save_jobs([job], wanted)
            self._jobs[job.id] = job
        logger.info("the change is kept", extra={"action": "job_stored", "job": job.key})
        self._wake()
        if job.seen.state.ended:
            del self._jobs[job.id]
            self._rows.pop(job.id, None)
            self._explain(job)

    async def _living(self, request: Request, job: Job) -> Wanted:
        """Return the living message of a request of which this job is now so."""
        others = [j for j in await self._store.jobs_of(request.id) if j.id != job.id]
        together = sorted([*others, job], key=lambda j: int(j.id))
        return living(request, request_card(request, together))

    def _channels(self) -> set[str]:
        """Channels that wait for a job of this cluster."""
        return {job.channel for job in self._jobs.values() if job.channel}

    def _young(self) -> bool:
        """Whether something was just submitted, or is about to change."""
        now = datetime.now(UTC)
        return any(
            now - job.created < YOUNG
            or job.seen.state in {State.COMPLETING, State.SETTLING}
            or _soon(job.seen.started, now)
            for job in self._jobs.values()
        )

    def _pace(self, *, busy: bool) -> float:
        settings = self._node.settings
        self._calm = 1.0 if busy else min(self._calm * 1.5, settings.tick_slow)
        pace = settings.tick_fast if busy else max(settings.tick_fast, self._calm)
        return min(pace * self._slow, settings.tick_slow * self._slow)


def _soon(expected: datetime | None, now: datetime) -> bool:
    return expected is not None and timedelta() < expected - now < YOUNG


def _notices(request: Request, job: Job, was: Job) -> list[Wanted]:
    """Return what the thread says about the change; the same change is said once for ever."""
    name = f"{job.id}/{job.attempt}"
    said = []
    if (job.seen.state, job.attempt) != (was.seen.state, was.attempt):
        several = request.experiment is not None and bool(request.experiment.tasks[1:])
        alone = request.nth == 1 and not several
        card = notice(job, was.seen.state, alone=alone)
        said += [under(request, f"{name}/{job.seen.state.value}", card)] if card else []
    if job.seen.reason != was.seen.reason and (card := stuck(request, job)):
        said.append(under(request, f"{name}/stuck", card))
    return said
