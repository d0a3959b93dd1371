"""All trackers together: which job belongs to which, and who must look soon."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from bot.clockwork import Clockwork
from bot.job import Job, Session
from bot.ports import Wanted
from bot.tracker import Tracker


def sessions_of(cluster: str) -> str:
    """Return the name of the turn that sees to a cluster's interactive jobs."""
    return f"sessions/{cluster}"


def errands_of(cluster: str) -> str:
    """Return what the turns of a cluster's errands are called."""
    return f"errands of {cluster}"


class Watch:
    """Follows jobs on every cluster."""

    def __init__(self, trackers: Mapping[str, Tracker], clockwork: Clockwork) -> None:
        self._trackers = trackers
        self._clockwork = clockwork

    def follow(self, jobs: Sequence[Job]) -> None:
        """Follow new jobs, and look at them soon."""
        for job in jobs:
            self._trackers[job.cluster].follow((job,))
            self._clockwork.hurry(job.cluster)
            if job.session is not None:
                self._clockwork.hurry(sessions_of(job.cluster))

    def hurry(self, cluster: str) -> None:
        """Look at a cluster soon, since something is about to change there."""
        self._clockwork.hurry(cluster)

    def see_to_errands(self, cluster: str) -> None:
        """Look at the errands of a cluster soon, since one was wished or is to stop."""
        self._clockwork.hurry(errands_of(cluster))

    async def stopping(self, job: Job, user: str) -> None:
        """Remember which Slack user cancels a job."""
        await self._trackers[job.cluster].stopping(job, user)

    async def amend(
        self, job: Job, change: Callable[[Session], Session | None], *wanted: Wanted
    ) -> Job | None:
        """Change what is known of an interactive job; None when that no longer applies."""
        amended = await self._trackers[job.cluster].amend(job, change, *wanted)
        self._clockwork.hurry(sessions_of(job.cluster))
        return amended
