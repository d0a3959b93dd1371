"""All trackers together: which job belongs to which, and who must look soon."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.clockwork import Clockwork
from bot.model import Job
from bot.tracker import Tracker


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

    def hurry(self, cluster: str) -> None:
        """Look at a cluster soon, since something is about to change there."""
        self._clockwork.hurry(cluster)

    async def stopping(self, job: Job, user: str) -> None:
        """Remember which Slack user cancels a job."""
        await self._trackers[job.cluster].stopping(job, user)
