"""What a click can do for a job that waits in vain, or for another of its name."""

from __future__ import annotations

from bot.card import Button
from bot.cluster.slurm import held, singleton
from bot.job import Job, State
from bot.words import listed

RELEASE, FREE = "release", "free_singleton"


def letting_go(job: Job) -> tuple[Button, ...]:
    """Return the button that releases a held job, or lets one start beside its namesakes."""
    seen = job.seen
    if seen.state is not State.PENDING:
        return ()
    if held(seen.reason):
        return (
            Button(
                action=RELEASE,
                label="Release Job",
                value=job.key,
                style="primary",
                confirm=f"Slurm may then start job {job.id}.",
            ),
        )
    if singleton(seen.dependency):
        return (Button(action=FREE, label="Start Beside It", value=job.key, confirm=_beside(job)),)
    return ()


def _beside(job: Job) -> str:
    """Return the question before two jobs of one name run at a time."""
    others = f"job {listed(list(job.namesakes))}" if job.namesakes else "the earlier job"
    if len(job.namesakes) > 1:
        others = f"jobs {listed(list(job.namesakes))}"
    return (
        f"Job {job.id} then no longer waits for {others} of its name. "
        "If both write to the same folders, they may spoil each other's files."
    )
