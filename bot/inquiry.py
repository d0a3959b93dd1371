"""What squeue does not show of a job: asked of scontrol, then of accounting, for many at once."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from bot import following
from bot.cluster import slurm
from bot.diagnosis import diagnose, from_observation
from bot.errors import CommandFailed, SlurmRateLimited, SlurmUnreachable
from bot.job import Job, Tally
from bot.login_node import LoginNode

logger = logging.getLogger(__name__)

HISTORY = timedelta(days=1)
"""Accounting is asked from this long before a job was submitted, as clocks and zones differ."""
LAG = 15.0
"""Seconds for which accounting may not have heard of an end that Slurm itself shows."""

History = Sequence[slurm.Attempt] | slurm.AccountingOff


class Inquiry:
    """Asks about the jobs of one cluster, each source in one round trip."""

    def __init__(self, node: LoginNode, *, lag: float = LAG) -> None:
        self._node = node
        self._lag = lag
        self._unheard: dict[str, float] = {}
        """Since when accounting has not heard of a job's end."""
        self._mute = False
        """Whether accounting did not answer the last time."""

    async def complete(
        self, news: Mapping[str, Job], gone: Sequence[Job], before: Mapping[str, Job]
    ) -> dict[str, Job]:
        """Return what is new of jobs that squeue shows and of those that it does not.

        One whose end accounting has yet to add to is left out: it is news at the next look, too.
        """
        found = dict(news)
        needy = [job for job in news.values() if following.needs_details(job, before[job.id])]
        if asked := [*needy, *gone]:
            details = await self._node.run(slurm.details(tuple(job.id for job in asked)))
            by_job = following.by_job(details)
            found |= {j.id: following.with_details(j, by_job.get(j.id, ())) for j in asked}
        unclear = [j for j in found.values() if following.needs_history(j, before[j.id])]
        if unclear and (history := await self._history(unclear)) is not None:
            for job in unclear:
                if self._lags(job, history):
                    del found[job.id]
                else:
                    found[job.id] = await self._known(job, history, before[job.id])
            self._mute = False
        return found

    async def _history(self, jobs: Sequence[Job]) -> History | None:
        """Return what accounting says; None while it does not answer, which is no outage."""
        since = min(job.seen.submitted or job.created for job in jobs) - HISTORY
        try:
            return await self._node.run(slurm.history(tuple(job.id for job in jobs), since))
        except SlurmRateLimited:
            raise
        except CommandFailed as error:
            logger.warning(
                "accounting of %s: %s",
                self._node.name,
                error.sentence,
                extra={"action": "accounting_silent", "cluster": self._node.name},
            )
            if not isinstance(error, SlurmUnreachable):
                return slurm.AccountingOff(why=error.sentence)
            self._mute = True
            return None

    def _lags(self, job: Job, history: History) -> bool:
        """Whether to wait for accounting, since it alone can add to an end that is known."""
        ended = job.seen.state.ended and not isinstance(history, slurm.AccountingOff)
        if not ended or following.ended_in(history, job):
            self._unheard.pop(job.id, None)
            return False
        since = self._unheard.setdefault(job.id, time.monotonic())
        return time.monotonic() - since < self._lag

    async def _known(self, job: Job, history: History, was: Job) -> Job:
        now = datetime.now(UTC)
        if self._mute and job.settling_since:
            # Patience is with what accounting says, not with its silence.
            job = job.model_copy(update={"settling_since": now})
        known = following.with_history(job, history, now)
        if following.requeued(known, was):
            return _with_cause(known, following.earlier(history, known))
        by = known.seen.cancelled_by
        if by.isdigit() and by != "0":  # 0 is Slurm itself as often as root
            seen = known.seen.model_copy(update={"cancelled_by": await self._node.account(by)})
            known = known.model_copy(update={"seen": seen})
        return known


async def tally_of(node: LoginNode, job: Job) -> Tally:
    """Ask what accounting adds to how a job ended; nothing of an array, or where it is silent."""
    if job.tasks or not job.seen.state.ended:
        return Tally()
    since = (job.seen.submitted or job.created) - HISTORY
    try:
        history = await node.run(slurm.history((job.id,), since))
    except CommandFailed:
        return Tally()
    if isinstance(history, slurm.AccountingOff):
        return Tally()
    found = following.attempts(history, job)
    return found[-1].tally if found else Tally()


def _with_cause(job: Job, past: Sequence[str]) -> Job:
    """Return a requeued job with what ended its last attempt, where Slurm's word tells it."""
    finding = diagnose({}, from_observation(job.seen, past=past))
    if finding.healthy or not past:
        return job
    return job.model_copy(update=following.explained(finding))
