"""How a job ended: by whom, after what time, with which code."""

from __future__ import annotations

from bot.card import Fact, Mono, Person, Text
from bot.cards import parts
from bot.diagnosis.finding import NOT_IN_LOG
from bot.job import Job, Observation, State
from bot.words import duration

ENDINGS = {
    State.COMPLETED: ("Completed.", "Completed after {took}."),
    State.FAILED: ("Failed.", "Failed after {took}."),
    State.CANCELLED: ("Cancelled.", "Cancelled after {took}."),
    State.TIMEOUT: ("Stopped at its time limit.", "Stopped at its time limit after {took}."),
    State.OUT_OF_MEMORY: ("Out of memory.", "Out of memory after {took}."),
    State.NODE_FAIL: ("A node failed.", "A node failed after {took}."),
    State.PREEMPTED: ("Preempted.", "Preempted after {took}."),
    State.DEADLINE: ("Stopped at its deadline.", "Stopped at its deadline after {took}."),
    State.BOOT_FAIL: ("The nodes did not boot.", "The nodes did not boot, after {took}."),
}
"""How an end reads without and with the time the job ran."""

NOT_STARTED = {
    State.CANCELLED: ("Cancelled before it started.", "Cancelled by {who} before it started."),
    State.DEADLINE: ("Its deadline came before it started.",) * 2,
}
"""How an end reads that came before the job had nodes, without and with who cancelled it."""

CANCELLED_BY = ("Cancelled by {who}.", "Cancelled by {who} after {took}.")
RELEASED_BY = ("Released by {who}.", "Released by {who} after {took}.")
EXPIRED = ("Released, since its time was up.", "Released after {took}, since its time was up.")
"""How the wished end of an interactive job reads."""
NO_WAY_IN = " It ended before there was a way in."
ROOT = "0"
"""Whom accounting names for what Slurm does by itself, and for what root does."""

SIGNALS = 31
SAYS_NO_MORE = frozenset({"slurm-cancelled", "slurm-time-limit", "slurm-preempted", NOT_IN_LOG})
"""Diagnoses that say no more than how it ended."""


def ending(job: Job) -> Text:
    """Return how it ended, by whom, and after what time; not why."""
    seen = job.seen
    who = _canceller(job)
    if never_started(seen) and seen.state in NOT_STARTED:
        return parts.fill(NOT_STARTED[seen.state][who is not None], who=who or "")
    words = CANCELLED_BY if who else ENDINGS[seen.state]
    if job.session is not None and seen.state is State.CANCELLED and job.wished:
        words = RELEASED_BY if job.stopped_by else EXPIRED
    told = seen.elapsed is not None and not never_started(seen)
    took = duration(seen.elapsed) if seen.elapsed is not None else ""
    end = parts.fill(words[told], who=who or "", took=took)
    shut = job.session is not None and not job.attach and not never_started(seen)
    return (*end, NO_WAY_IN) if shut else end


def _canceller(job: Job) -> Person | Mono | str | None:
    """Return who cancelled it: a person in Slack, an account, or Slurm and its root."""
    if job.seen.state is not State.CANCELLED:
        return None
    if job.stopped_by:
        return Person(user=job.stopped_by)
    if job.seen.cancelled_by == ROOT:
        return "Slurm or an administrator"
    return Mono(text=job.seen.cancelled_by) if job.seen.cancelled_by else None


def cause(job: Job) -> Text:
    """Return the diagnosis, where it says more than how the job ended."""
    if not job.cause or job.seen.state.good or job.wished or job.label in SAYS_NO_MORE:
        return ()
    return (f" {job.cause}",)


def never_started(seen: Observation) -> bool:
    """Whether a job never had nodes."""
    return not seen.elapsed and not seen.node_list


def exit_code(seen: Observation) -> tuple[Fact, ...]:
    """Return the exit code or signal of a job that failed; nothing where neither is known."""
    code, _, signal = seen.exit_code.partition(":")
    if seen.state is not State.FAILED or (code in {"", "0"} and signal in {"", "0"}):
        return ()
    if code != "0":
        return (Fact(label="Exit code", value=(code,)),)
    if signal.isdigit() and int(signal) <= SIGNALS:
        return (Fact(label="Signal", value=(signal,)),)
    # Above the signals, Slurm has numbers of its own: 53 is an output that cannot be opened.
    return (Fact(label="Exit code", value=(seen.exit_code,)),)
