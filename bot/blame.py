"""A node that is to blame for a failure, and one that is so again and again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from pydantic import AwareDatetime

from bot.job import Job, State
from bot.model import Value

WEEK = timedelta(days=7)
"""Within which the same cause on the same node is said to come again."""


class Blame(Value):
    """One attempt of a job, of which one node is to blame for its end."""

    cluster: str
    node: str
    label: str
    """What went wrong, by the name of its rule."""
    cause: str
    """The same as a sentence."""
    job: str
    attempt: int
    request: str = ""
    at: AwareDatetime

    def of(self, job: Job) -> bool:
        """Whether it is about the attempt of which the job now tells."""
        return (self.request, self.job, self.attempt) == (job.request, job.id, failed_attempt(job))


@dataclass(frozen=True)
class Again:
    """The same cause on the same node within a week, the oldest failure first."""

    blames: tuple[Blame, ...]

    @property
    def newest(self) -> Blame:
        """The last failure."""
        return self.blames[-1]

    @property
    def key(self) -> str:
        """The name of the one message about it: per node, cause and calendar week."""
        newest = self.newest
        year, week, _ = newest.at.isocalendar()
        return f"node/{newest.cluster}/{newest.node}/{newest.label}/{year}-{week:02d}"


def failed_attempt(job: Job) -> int:
    """Return which attempt a job's diagnosis is of: while it waits again, the one before."""
    return job.attempt - 1 if job.seen.state is State.PENDING else job.attempt


def blames_of(job: Job, now: datetime) -> tuple[Blame, ...]:
    """Return what a job says of its nodes; `now` is when it failed, where Slurm does not tell."""
    return tuple(
        Blame(
            cluster=job.cluster,
            node=node,
            label=job.label,
            cause=job.cause,
            job=job.id,
            attempt=failed_attempt(job),
            request=job.request,
            at=job.seen.ended or now,
        )
        for node in job.blamed
    )


def again(blames: Iterable[Blame]) -> tuple[Again, ...]:
    """Return what came more than once. Each attempt counts, as each is a failure on the node."""
    alike: defaultdict[tuple[str, str, str], list[Blame]] = defaultdict(list)
    for blame in sorted(blames, key=lambda one: one.at):
        alike[blame.cluster, blame.node, blame.label].append(blame)
    return tuple(Again(tuple(group)) for group in alike.values() if len(group) > 1)
