"""What is known of a job, moved on by what is seen of it now. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from bot.cluster.slurm import AccountingOff, Attempt, matching
from bot.model import Job, Observation, State

PATIENCE = timedelta(minutes=5)
"""How long a job may be missing everywhere before sight of it is called lost."""

_RANGE = re.compile(r"(\d+)(?:-(\d+))?(?::(\d+))?")
_LIVE = (
    State.RUNNING,
    State.COMPLETING,
    State.SETTLING,
    State.SUSPENDED,
    State.PENDING,
    State.UNKNOWN,
)


def advance(job: Job, seen: Sequence[Observation]) -> Job:
    """Return the job as squeue shows it: one row, or one for each task or component."""
    chief = whole(seen)
    again = chief.state is State.PENDING and job.seen.state in {State.RUNNING, State.COMPLETING}
    return job.model_copy(
        update={
            "seen": _merged(job.seen, chief),
            "tasks": tasks(seen),
            "attempt": job.attempt + 1 if again else job.attempt,
            "settling_since": None,
        }
    )


def whole(seen: Sequence[Observation]) -> Observation:
    """Return the one observation that speaks for all: what lives first, then the worst end."""
    for state in _LIVE:
        for one in seen:
            if one.state is state:
                return one
    bad = [one for one in seen if not one.state.good]
    return bad[0] if bad else seen[0]


def tasks(seen: Sequence[Observation]) -> tuple[tuple[State, int], ...]:
    """Count array tasks or components by state; a plain job has none."""
    if len(seen) == 1 and seen[0].id == seen[0].job:
        return ()
    counts: Counter[State] = Counter()
    for one in seen:
        counts[one.state] += task_count(one.id)
    return tuple(sorted(counts.items()))


def task_count(slurm_id: str) -> int:
    """Return how many tasks an id stands for: `202_[0-3,7]` five, `202_3` one."""
    ranges = _RANGE.findall(slurm_id.partition("[")[2].partition("%")[0])
    return max(1, sum(len(range(int(a), int(b or a) + 1, int(step or 1))) for a, b, step in ranges))


def _merged(old: Observation, new: Observation) -> Observation:
    """Return the new observation; what it does not say stays as it was."""
    kept: dict[str, Any] = {
        name: getattr(old, name)
        for name in ("name", "stdout", "workdir", "account", "user", "comment", "partition", "qos")
        if not getattr(new, name)
    }
    for name in ("gpus", "restarts", "elapsed", "time_limit", "submitted"):
        if getattr(new, name) is None:
            kept[name] = getattr(old, name)
    if not new.nodes:
        kept["nodes"] = old.nodes
    if not new.node_list and new.state.ended:
        kept["node_list"] = old.node_list
    return new.model_copy(update=_ended(new, kept))


def _ended(new: Observation, kept: dict[str, Any]) -> dict[str, Any]:
    """Add how long an ended job ran, where both times are known."""
    if new.state.ended and new.started and new.ended and not new.elapsed:
        kept["elapsed"] = max(new.ended - new.started, timedelta())
    return kept


def missing(job: Job, now: datetime) -> Job:
    """Return a job that squeue does not show: it is settling, not ended."""
    seen = job.seen.model_copy(update={"state": State.SETTLING})
    return job.model_copy(update={"seen": seen, "settling_since": job.settling_since or now})


def with_details(job: Job, details: Sequence[Observation]) -> Job:
    """Return the job with what scontrol adds; without an answer it stays as it is."""
    if not details:
        return job
    chief = whole(details)
    attempt = job.attempt if chief.restarts is None else chief.restarts + 1
    return job.model_copy(
        update={
            "seen": _merged(job.seen, chief),
            "tasks": tasks(details) or job.tasks,
            "attempt": max(job.attempt, attempt),
            "settling_since": None,
        }
    )


def with_history(job: Job, history: Sequence[Attempt] | AccountingOff, now: datetime) -> Job:
    """Return the job with what accounting knows; patience ends in `lost sight`, never in an end."""
    attempts = () if isinstance(history, AccountingOff) else _newest(history, job)
    if job.seen.state is State.CANCELLED:
        who = next((a.seen.cancelled_by for a in attempts if a.seen.cancelled_by), "")
        seen = job.seen.model_copy(update={"cancelled_by": who})
        return job.model_copy(update={"seen": seen})
    ends = [attempt.seen for attempt in attempts if attempt.seen.state.ended]
    if ends and len(ends) == len(attempts):
        chief = whole(ends)
        # A code that scontrol gave before is whole; accounting's is masked.
        code = {"exit_code": job.seen.exit_code} if job.seen.exit_code else {}
        seen = _merged(job.seen, chief).model_copy(update=code)
        return job.model_copy(update={"seen": seen, "settling_since": None})
    if job.settling_since is not None and now - job.settling_since > PATIENCE:
        seen = job.seen.model_copy(update={"state": State.LOST})
        return job.model_copy(update={"seen": seen})
    return job


def _newest(history: Sequence[Attempt], job: Job) -> Sequence[Attempt]:
    """Return the last attempt of each of the job's tasks; ids are used again after years."""
    newest: dict[str, Attempt] = {}
    submitted = job.seen.submitted
    for attempt in matching(tuple(history), job.id):
        then = attempt.seen.submitted
        if submitted is None or then is None or abs(then - submitted) < timedelta(days=1):
            newest[attempt.seen.id] = attempt
    return tuple(newest.values())
