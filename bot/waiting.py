"""A job that waits for what may not come: since when, and whether that is to be told. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum

from bot.cluster import slurm
from bot.cluster.slurm import Wait
from bot.job import Job, State
from bot.model import PartitionState

LOST = frozenset(
    {
        "down",
        "drained",
        "draining",
        "drain",
        "error",
        "fail",
        "failing",
        "inval",
        "maint",
        "unknown",
    }
)
"""States of nodes that no job can have before an administrator acts."""


class Delay(StrEnum):
    """Why a job may wait for long; the name is part of its message's."""

    LIMIT = "limit"
    """Others must end, or a budget be renewed."""
    BEYOND = "beyond"
    """A limit that it exceeds all alone."""
    BLOCKED = "blocked"
    """An administrator must bring nodes or a partition back."""


def noted(job: Job, now: datetime) -> Job:
    """Return the job with since when it has waited for what may not come."""
    waits = job.seen.state is State.PENDING and slurm.wait(job.seen.reason) in {
        Wait.LIMIT,
        Wait.BLOCKED,
    }
    since = (job.waits_since or now) if waits else None
    return job if since == job.waits_since else job.model_copy(update={"waits_since": since})


def due(job: Job, now: datetime, patience: timedelta, alone_since: datetime | None) -> Delay | None:
    """Return what is to be told of a job that waits, once it has lasted; None for nothing (more).

    `alone_since` is since when nothing of the account holds nodes.
    """
    if job.waits_since is None or job.wished or now - job.waits_since < patience:
        return None
    delay = Delay.BLOCKED
    if slurm.wait(job.seen.reason) is Wait.LIMIT:
        alone = alone_since is not None and bool(slurm.alone_in_words(job.seen.reason))
        delay = Delay.BEYOND if alone else Delay.LIMIT
        if alone_since is not None and alone and now - alone_since < patience:
            return None  # Slurm may not have looked since the last of the others ended
    return None if name(job, delay) in job.told else delay


def alone_since(
    rows: Mapping[str, Mapping[str, str]], before: datetime | None, now: datetime
) -> datetime | None:
    """Return since when no job of the account has held nodes; None while one does."""
    held = any(slurm.holds(row) for mine in rows.values() for row in mine.values())
    return None if held else before or now


def name(job: Job, delay: Delay) -> str:
    """Return what is kept of a delay that was told: once for each attempt."""
    return f"{job.attempt}/{delay}"


def doubtful(job: Job) -> bool:
    """Whether Slurm's reason also stands for nodes that others merely come first on."""
    return job.seen.reason.replace("_", " ").startswith("Nodes required for job are")


def served(job: Job, partition: PartitionState | None) -> bool:
    """Whether a partition has as many usable nodes as a job asks for, taken or not."""
    if partition is None or not partition.up:
        return False
    lost = sum(number for state, number in partition.states if state in LOST)
    return partition.nodes - lost >= (job.seen.nodes or 1)
