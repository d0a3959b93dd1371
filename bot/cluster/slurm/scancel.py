"""scancel, and what came of it: scancel itself is silent about jobs that it cannot cancel."""

from __future__ import annotations

import re
from enum import StrEnum

from bot.cluster.slurm.refusals import failure
from bot.cluster.slurm.states import state
from bot.cluster.slurm.text import UNIT, layout, records
from bot.job import State
from bot.model import Value
from bot.ports import Output, Query

# The state before tells a job that had ended from one that was cancelled now.
_CANCEL = r"""
squeue -h -r -t all -j "$1" -o "$2"
printf '\035'
scancel "$1"; said=$?
printf '%s\035' "$said"
squeue -h -r -t all -j "$1" -o "$2" 2>/dev/null
exit 0
"""
_GROUP = "\x1d"


class Cancelled(StrEnum):
    """What came of a cancel."""

    DONE = "cancelled"
    """It is cancelled, or on its way out."""
    ENDED = "had ended"
    UNKNOWN = "not known"
    """Slurm does not know such a job, or no longer."""
    DENIED = "not allowed"
    """It belongs to somebody else."""
    RUNS = "still runs"
    """scancel worked, but the job has not reacted yet."""


class Cancellation(Value):
    """The outcome of a cancel and the job's state word afterwards."""

    outcome: Cancelled
    raw: str = ""


def cancel(job_id: str) -> Query[Cancellation]:
    """Cancel a job (or task `202_3`), and look whether it heard."""
    return Query(_CANCEL, _cancelled, (job_id, layout("%i", "%T")), name="scancel")


def _cancelled(output: Output) -> Cancellation:
    before, status, after = ([*output.stdout.split(_GROUP), "", ""])[:3]
    was, now = _states(before), _states(after)
    if re.search(r"Access/permission denied|Invalid user id", output.stderr):
        return Cancellation(outcome=Cancelled.DENIED, raw=" ".join(now))
    if not was and "Invalid job id" in output.stderr:
        return Cancellation(outcome=Cancelled.UNKNOWN)
    if status != "0" and "Invalid job id" not in output.stderr:
        raise failure(
            Output("", output.stderr, int(status) if status.isdigit() else None), "scancel"
        )
    if was and all(state(word).ended for word in was):
        return Cancellation(outcome=Cancelled.ENDED, raw=" ".join(was))
    gone = all(state(word).ended or state(word) is State.COMPLETING for word in now)
    return Cancellation(outcome=Cancelled.DONE if gone else Cancelled.RUNS, raw=" ".join(now))


def _states(text: str) -> tuple[str, ...]:
    words = (record.split(UNIT)[-1] for record in records(text))
    return tuple(dict.fromkeys(words))
