"""One tick: look at all jobs at once, compare with what was last known, tell the difference.

Level, not edge: what matters is what Slurm shows and what was last written down. A job that is
missing from squeue has not ended; scontrol and sacct are asked how it is.
"""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from bot.cards.job import notice
from bot.cards.progress import in_words
from bot.cards.request import request_card
from bot.cluster import slurm
from bot.cluster.peek import peek
from bot.errors import ClusterError, SlurmRateLimited
from bot.following import advance, missing, with_details, with_history
from bot.login_node import LoginNode
from bot.messages import living, under
from bot.model import Job, Observation, Request, State, base_id
from bot.outage import Outage
from bot.ports import Store, Wanted
from bot.progress import progress

logger = logging.getLogger(__name__)

YOUNG = timedelta(seconds=60)
"""After a submission, and before an expected start, things change quickly."""
PEEK_EVERY, PEEK_MOST = 10.0, 100
"""Seconds between looks at the logs of running jobs, and how many of them are looked at."""
HISTORY = timedelta(days=1)
"""Accounting is asked from this long before a job was submitted, as clocks and zones differ."""


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
        self._rows: dict[str, dict[str, str]] = {}
        self._outage = Outage(cluster=node.name, store=store, wake=wake)
        self._slow = 1.0
        """Factor by which Slurm's own rate limit stretches the pace."""
        self._peeked = float("-inf")
        self._calm = 1.0

    async def load(self) -> None:
        """Take up the jobs that an earlier life followed."""
        for job in await self._store.open_jobs(self._node.name):
            if job.seen.state.ended:
                self._explain(job)
            else:
                self._jobs[job.id] = job

    def follow(self, jobs: Sequence[Job]) -> None:
        """Take up new jobs."""
        for job in jobs:
            self._jobs.setdefault(job.id, job)

    async def stopping(self, job: Job, user: str) -> None:
        """Remember who cancels a job, before it ends."""
        known = self._jobs.get(job.id)
        if known is not None:
            self._jobs[job.id] = known.model_copy(update={"stopped_by": user})
            await self._store.save_jobs([self._jobs[job.id]])

    async def tick(self) -> float:
        """Look once; return the seconds until the next look."""
        if not self._jobs and not self._outage.lasts:
            return self._node.settings.tick_slow
        try:
            changed = await self._look()
            changed += await self._progressed(changed)
        except SlurmRateLimited:
            self._slow = min(self._slow * 2, 8.0)
            logger.warning("Slurm asks to slow down", extra={"action": "tick_slowed"})
            return self._pace(busy=False)
        except ClusterError as error:
            await self._outage.silent(error, self._channels())
            return self._pace(busy=True)
        await self._outage.answers()
        for job in changed:
            await self._tell(job)
        self._slow = max(1.0, self._slow / 2)
        return self._pace(busy=bool(changed) or self._young())

    async def _look(self) -> list[Job]:
        """Return the jobs of which Slurm shows something else than was known."""
        rows = _grouped(await self._node.run(slurm.jobs()))
        now = datetime.now(UTC)
        news: dict[str, Job] = {}
        gone: list[Job] = []
        for job_id, job in self._jobs.items():
            mine = rows.get(job_id)
            if mine is None:
                gone.append(missing(job, now))
            elif mine != self._rows.get(job_id):
                news[job_id] = advance(job, tuple(slurm.seen(row) for row in mine.values()))
        await self._ask_details(news, gone)
        self._rows = {job_id: rows[job_id] for job_id in self._jobs if job_id in rows}
        return [job for job_id, job in news.items() if job != self._jobs[job_id]]

    async def _ask_details(self, news: dict[str, Job], gone: Sequence[Job]) -> None:
        """Ask scontrol, then accounting, about all that need it, each in one round trip."""
        needy = [job for job in news.values() if _needs_details(job, self._jobs[job.id])]
        asked = [*needy, *gone]
        if not asked:
            return
        found = _by_job(await self._node.run(slurm.details(tuple(job.id for job in asked))))
        for job in asked:
            news[job.id] = with_details(job, found.get(job.id, ()))
        unclear = [news[job.id] for job in asked if _needs_history(news[job.id])]
        if not unclear:
            return
        since = min(job.seen.submitted or job.created for job in unclear) - HISTORY
        history = await self._node.run(slurm.history(tuple(job.id for job in unclear), since))
        now = datetime.now(UTC)
        for job in unclear:
            known = with_history(job, history, now)
            by = known.seen.cancelled_by
            if by.isdigit():
                seen = known.seen.model_copy(update={"cancelled_by": await self._node.account(by)})
                known = known.model_copy(update={"seen": seen})
            news[job.id] = known

    async def _progressed(self, changed: Sequence[Job]) -> list[Job]:
        """Return the running jobs whose training has come further, one round trip for all."""
        if time.monotonic() - self._peeked < PEEK_EVERY:
            return []
        busy = {job.id for job in changed}
        running = [
            job
            for job in self._jobs.values()
            if job.seen.state is State.RUNNING and job.seen.stdout and job.id not in busy
        ][-PEEK_MOST:]
        if not running:
            return []
        self._peeked = time.monotonic()
        asked = [(job.id, job.seen.stdout) for job in running]
        ends = await self._node.run(peek(asked, await self._node.roots()))
        moved = []
        for job in running:
            how_far = progress(ends.get(job.id, ""))
            words = in_words(how_far) if how_far else job.progress
            if words != job.progress:
                moved.append(job.model_copy(update={"progress": words}))
        return moved

    async def _tell(self, job: Job) -> None:
        """Write a change down together with what the channel shall show."""
        was = self._jobs[job.id]
        request = await self._store.request(job.request)
        wanted: list[Wanted] = []
        if request is not None:
            others = [j for j in await self._store.jobs_of(request.id) if j.id != job.id]
            together = sorted([*others, job], key=lambda j: int(j.id))
            wanted.append(living(request, request_card(request, together)))
            wanted += _notices(request, job, was)
        logger.info(
            "a job changed",
            extra={"action": "job_changed", "job": job.key, "state": job.seen.state.value},
        )
        await self._store.save_jobs([job], wanted)
        logger.info("the change is kept", extra={"action": "job_stored", "job": job.key})
        self._wake()
        if job.seen.state.ended:
            del self._jobs[job.id]
            self._rows.pop(job.id, None)
            self._explain(job)
        else:
            self._jobs[job.id] = job

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


def _grouped(rows: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return the rows of each job: one, or one for each array task or component."""
    jobs: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for slurm_id, row in rows.items():
        jobs[slurm_id if slurm_id.isdigit() else base_id(slurm_id)][slurm_id] = row
    return jobs


def _by_job(observations: Sequence[Observation]) -> dict[str, tuple[Observation, ...]]:
    found: defaultdict[str, tuple[Observation, ...]] = defaultdict(tuple)
    for seen in observations:
        found[seen.job] += (seen,)
    return found


def _needs_details(job: Job, was: Job) -> bool:
    """Whether only scontrol knows what must be told: the output file, the exit code, restarts."""
    if not job.seen.stdout or job.seen.state.ended:
        return True
    return job.seen.state is State.PENDING and was.seen.state is not State.PENDING


def _needs_history(job: Job) -> bool:
    """Whether only accounting can say how it ended, or who cancelled it."""
    return job.seen.state in {State.SETTLING, State.CANCELLED}


def _soon(expected: datetime | None, now: datetime) -> bool:
    return expected is not None and timedelta() < expected - now < YOUNG


def _notices(request: Request, job: Job, was: Job) -> list[Wanted]:
    """Return what the thread says about the change; the same change is said once for ever."""
    if (job.seen.state, job.attempt) == (was.seen.state, was.attempt):
        return []
    card = notice(job, was.seen.state)
    if card is None:
        return []
    return [under(request, f"{job.id}/{job.attempt}/{job.seen.state.value}", card)]
