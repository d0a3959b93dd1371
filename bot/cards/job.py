"""A job as people read it: the living card, and the notices in its thread."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from bot.card import Button, Card, Fact, Moment, Mono, Person, Text, Tone
from bot.cards import parts
from bot.cluster.slurm import hopeless, reason_in_words
from bot.model import Job, Observation, Request, State
from bot.words import count, duration, figure

TONES = {
    State.PENDING: Tone.WAITING,
    State.SETTLING: Tone.WAITING,
    State.RUNNING: Tone.WORKING,
    State.COMPLETING: Tone.WORKING,
    State.SUSPENDED: Tone.WAITING,
    State.COMPLETED: Tone.DONE,
    State.CANCELLED: Tone.STOPPED,
    State.LOST: Tone.TROUBLE,
    State.UNKNOWN: Tone.TROUBLE,
}

ENDINGS = {
    State.COMPLETED: "Completed",
    State.FAILED: "Failed",
    State.CANCELLED: "Cancelled",
    State.TIMEOUT: "Stopped at its time limit",
    State.OUT_OF_MEMORY: "Out of memory",
    State.NODE_FAIL: "A node failed",
    State.PREEMPTED: "Preempted",
    State.DEADLINE: "Stopped at its deadline",
    State.BOOT_FAIL: "The nodes did not boot",
}

BETWEEN = {
    State.COMPLETING: "Ending: Slurm is clearing up on its nodes.",
    State.SUSPENDED: "Suspended; its time stands still.",
    State.SETTLING: "It left the queue; asking Slurm how it ended …",
    State.LOST: "Lost sight of it: neither the queue nor the accounting knows it any more.",
    State.UNKNOWN: "In a state this bot does not know: {raw}.",
}
VAIN = "It will not start by itself."
SIGNALS = 31
SAYS_NO_MORE = frozenset({"slurm-cancelled", "slurm-time-limit"})
"""Diagnoses that say again how it ended."""


def job_card(request: Request, jobs: Sequence[Job]) -> Card:
    """Return the root message of a request that Slurm took; several jobs are one experiment."""
    if not jobs:
        return Card(title=request.title, lead=("Submitted; no job yet.",), tone=Tone.WAITING)
    chief = _chief(jobs)
    live = any(not job.seen.state.ended for job in jobs)
    return Card(
        title=request.title,
        tone=TONES.get(chief.seen.state, Tone.FAILED),
        lead=sentence(chief),
        facts=(
            *(_job_facts(jobs)),
            *_where(request, chief),
            *([Fact(label="Progress", value=(chief.progress,))] if chief.progress else []),
            *parts.rerun_of(request),
        ),
        buttons=_controls(request, chief) if live else (),
        foot=(*(() if live else (summary(chief),)), *parts.foot(request)),
    )


def sentence(job: Job) -> Text:
    """Return how the job is, in one sentence."""
    seen = job.seen
    if seen.state is State.PENDING:
        return _pending(job)
    if seen.state is State.RUNNING:
        since: Text = (" since ", Moment(at=seen.started)) if seen.started else ()
        return ("Running on ", Mono(text=seen.node_list), *since, _end_by(job), ".")
    if seen.state in ENDINGS:
        return _ended(job)
    return (BETWEEN[seen.state].format(raw=seen.raw),)


def _pending(job: Job) -> Text:
    seen = job.seen
    if not seen.reason and job.attempt == 1:
        return ("Submitted; Slurm is looking at it.",)
    again = f"Attempt {job.attempt} waits" if job.attempt > 1 else "Waiting"
    starts: Text = (" Expected to start ", Moment(at=seen.started), ".") if seen.started else ()
    vain = f" {VAIN}" if hopeless(seen.reason) else ""
    return (f"{again}{_why(seen.reason)}.{vain}", *starts)


def _why(reason: str) -> str:
    words = reason_in_words(reason) or "Slurm has not said why yet"
    bare = words.removeprefix("waiting ")
    return f": {words}" if bare == words else f" {bare}"


def _ended(job: Job) -> Text:
    seen = job.seen
    after = f" after {duration(seen.elapsed)}" if seen.elapsed is not None else ""
    if _never_began(seen):
        after = " before it began"
    if job.stopped_by and seen.state is State.CANCELLED:
        return ("Cancelled by ", Person(user=job.stopped_by), f"{after}.")
    who = {"": "", "0": " by root"}.get(seen.cancelled_by, f" by {seen.cancelled_by}")
    known = seen.state.good or job.label in SAYS_NO_MORE
    cause = f" {job.cause}" if job.cause and not known else ""
    return (f"{ENDINGS[seen.state]}{who}{after}.{cause}",)


def _never_began(seen: Observation) -> bool:
    return not seen.elapsed and not seen.node_list


def _end_by(job: Job) -> str:
    limit = job.seen.time_limit
    return f", at most {duration(limit)}" if limit else ""


def summary(job: Job) -> Text:
    """Return the line that stands when it is over: how long, how many GPU-hours."""
    seen = job.seen
    if seen.state is State.LOST:
        return ("How it ended is not known.",)
    if _never_began(seen):
        return ("It did not run.",)
    took = f" {duration(seen.elapsed)}" if seen.elapsed is not None else ""
    words = [f"Ran{took} on {count(max(seen.nodes, 1), 'node')}"]
    if seen.gpus and seen.elapsed is not None:
        words.append(f"{figure(gpu_hours(seen.gpus, seen.elapsed))} GPU-hours")
    if not seen.state.good and (code := exit_in_words(seen.exit_code)):
        words.append(code)
    return (", ".join(words),)


def exit_in_words(exit_code: str) -> str:
    """Return what `3:0` or `0:15` means; empty for `0:0` and where nothing is known."""
    code, _, signal = exit_code.partition(":")
    if code not in {"", "0"}:
        return f"exit code {code}"
    if signal in {"", "0"}:
        return ""
    # Above the signals, Slurm has numbers of its own: 53 is an output that cannot be opened.
    return f"signal {signal}" if signal.isdigit() and int(signal) <= SIGNALS else exit_code


def gpu_hours(gpus: int, elapsed: timedelta) -> float:
    """GPUs over all nodes × hours."""
    return gpus * elapsed.total_seconds() / 3600


def _chief(jobs: Sequence[Job]) -> Job:
    """The job that tells how the whole stands: what runs or waits first, then the worst end."""
    order = (State.RUNNING, State.COMPLETING, State.SETTLING, State.SUSPENDED, State.PENDING)
    for state in order:
        for job in jobs:
            if job.seen.state is state:
                return job
    bad = [job for job in jobs if not job.seen.state.good]
    return bad[0] if bad else jobs[-1]


def _job_facts(jobs: Sequence[Job]) -> list[Fact]:
    if len(jobs) == 1:
        job = jobs[0]
        facts = [Fact(label="Job", value=parts.job_name(job))]
        if job.tasks:
            counts = ", ".join(f"{number} {state.value}" for state, number in job.tasks)
            facts.append(Fact(label="Tasks", value=(counts,)))
        return facts
    return [
        Fact(label="Job", value=(*parts.job_name(job), f"  {job.seen.state.value}")) for job in jobs
    ]


def _where(request: Request, job: Job) -> list[Fact]:
    resources = request.resources.model_copy(
        update={
            "partition": job.seen.partition or request.resources.partition,
            "nodes": job.seen.nodes or request.resources.nodes,
            "time": job.seen.time_limit or request.resources.time,
        }
    )
    return [
        Fact(label="Partition", value=(Mono(text=resources.partition), f"  on {job.cluster}")),
        Fact(label="Size", value=parts.size(resources)),
    ]


def _controls(request: Request, job: Job) -> tuple[Button, ...]:
    name = f"job {job.id} ({request.title})"
    return (
        Button(action="show_log", label="Show the Log", value=job.key),
        Button(
            action="cancel_job",
            label="Cancel the Job",
            value=job.key,
            style="danger",
            confirm=f"This ends {name} on {job.cluster}.",
        ),
    )


def notice(job: Job, was: State) -> Card | None:
    """Return what the thread says about a change worth reading; None for one that is not.

    How it ended is told when its log has been read.
    """
    if job.seen.state is State.RUNNING:
        return Card(lead=("Started on ", Mono(text=job.seen.node_list), "."), tone=Tone.WORKING)
    if job.seen.state is State.PENDING and job.attempt > 1 and was is not State.PENDING:
        cause = f"{job.cause} " if job.cause else ""
        return Card(lead=(f"Requeued by Slurm. {cause}", *_pending(job)), tone=Tone.WAITING)
    return None


def stuck(request: Request, job: Job) -> Card | None:
    """Tell the person of a job that waits in vain; None for one that does not."""
    if job.seen.state is not State.PENDING or not hopeless(job.seen.reason):
        return None
    why = reason_in_words(job.seen.reason)
    person = Person(user=request.caller.user)
    return Card(lead=(person, f" Job {job.id} waits: {why}. {VAIN}"), tone=Tone.TROUBLE)


def ended(request: Request, job: Job) -> Card:
    """Tell the person of an end that needs no diagnosis, and how far training came."""
    far = (f" {job.progress}.",) if job.progress else ()
    person = Person(user=request.caller.user)
    tone = TONES.get(job.seen.state, Tone.FAILED)
    return Card(lead=(person, f" Job {job.id}: ", *sentence(job), *far), tone=tone)


def outage(cluster: str, since: datetime, detail: str) -> Card:
    """Say once that a cluster does not answer."""
    return Card(
        tone=Tone.TROUBLE,
        lead=(f"{cluster} has not answered since ", Moment(at=since), "."),
        foot=((f"States are as of then. {detail}",),),
    )


def healed(cluster: str, since: datetime, now: datetime) -> Card:
    """Say once that it answers again."""
    return Card(
        tone=Tone.DONE,
        lead=(f"{cluster} answers again, after {duration(now - since)}.",),
        foot=(("It did not answer from ", Moment(at=since), "."),),
    )
