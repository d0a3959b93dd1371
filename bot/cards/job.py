"""A job as people read it: the living card, and the notices in its thread."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bot.card import Button, Card, Fact, Moment, Mono, Person, Text, Tone
from bot.cards import parts, progress
from bot.cards.mend import SHOW_LOG
from bot.cluster.slurm import hopeless, reason_in_words
from bot.diagnosis.finding import NOT_IN_LOG
from bot.model import Job, Observation, Request, State
from bot.words import duration

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
ROOT = "0"
"""Whom accounting names for what Slurm does by itself, and for what root does."""

BETWEEN = {
    State.COMPLETING: "Ending. Slurm is cleaning up its nodes.",
    State.SUSPENDED: "Suspended. Its time limit is paused.",
    State.SETTLING: "Left the queue. Asking Slurm how it ended …",
    State.LOST: "Lost sight of it. Neither the queue nor the accounting knows how it ended.",
    State.UNKNOWN: "In a state this bot does not know: {raw}.",
}

VAIN = "It will not start by itself."
SIGNALS = 31
SAYS_NO_MORE = frozenset({"slurm-cancelled", "slurm-time-limit", "slurm-preempted", NOT_IN_LOG})
"""Diagnoses that say no more than how it ended."""


def job_card(request: Request, jobs: Sequence[Job]) -> Card:
    """Return the root message of a request that Slurm took; several jobs are one experiment."""
    if not jobs:
        return Card(title=request.title, lead=("Submitted; no job yet.",), tone=Tone.WAITING)
    chief = _chief(jobs)
    live = any(not job.seen.state.ended for job in jobs)
    return Card(
        title=request.title,
        tone=tone(chief),
        lead=sentence(chief),
        facts=(
            *_job_facts(jobs),
            Fact(label="Partition", value=_partition(request, chief)),
            _size(request, chief, alone=len(jobs) == 1),
            *exit_code(chief.seen),
            *_progress(chief),
            *parts.rerun_of(request),
        ),
        buttons=_controls(request, chief) if live else (),
        foot=parts.foot(request),
    )


def _progress(job: Job) -> tuple[Fact, ...]:
    """Return how far training has come; after the end, once its log was read to the end."""
    stale = job.seen.state.ended and not job.settled
    return (Fact(label="Progress", value=(job.progress,)),) if job.progress and not stale else ()


def tone(job: Job) -> Tone:
    """Return the sign for how a job is; one that waits in vain is trouble."""
    if job.seen.state is State.PENDING and hopeless(job.seen.reason):
        return Tone.TROUBLE
    return TONES.get(job.seen.state, Tone.FAILED)


def sentence(job: Job) -> Text:
    """Return how the job is, in a sentence or two."""
    seen = job.seen
    if seen.state is State.PENDING:
        return _pending(job)
    if seen.state is State.RUNNING:
        nodes = Mono(text=seen.node_list)
        if seen.started is None:
            return parts.fill("Running on {nodes}.", nodes=nodes)
        start = Moment(at=seen.started)
        return parts.fill("Running on {nodes} since {start}.", nodes=nodes, start=start)
    if seen.state in ENDINGS:
        return (*ending(job), *_cause(job))
    return parts.fill(BETWEEN[seen.state], raw=seen.raw)


def _pending(job: Job) -> Text:
    seen = job.seen
    why = reason_in_words(seen.reason)
    if not why and job.attempt == 1:
        return ("Submitted. Slurm has not looked at it yet.",)
    waits = "Waiting." if job.attempt == 1 else f"Attempt {job.attempt} is waiting."
    if hopeless(seen.reason):
        return (f"{waits} {why}. {VAIN}",)
    starts: Text = ()
    if seen.started is not None:
        starts = parts.fill(" Expected to start {start}.", start=Moment(at=seen.started))
    return (f"{waits} {why or 'Slurm has not said why yet'}.", *starts)


def ending(job: Job) -> Text:
    """Return how it ended, by whom, and after what time; not why."""
    seen = job.seen
    who = _canceller(job)
    if never_started(seen) and seen.state in NOT_STARTED:
        return parts.fill(NOT_STARTED[seen.state][who is not None], who=who or "")
    words = CANCELLED_BY if who else ENDINGS[seen.state]
    told = seen.elapsed is not None and not never_started(seen)
    took = duration(seen.elapsed) if seen.elapsed is not None else ""
    return parts.fill(words[told], who=who or "", took=took)


def _canceller(job: Job) -> Person | Mono | str | None:
    """Return who cancelled it: a person in Slack, an account, or Slurm and its root."""
    if job.seen.state is not State.CANCELLED:
        return None
    if job.stopped_by:
        return Person(user=job.stopped_by)
    if job.seen.cancelled_by == ROOT:
        return "Slurm or an administrator"
    return Mono(text=job.seen.cancelled_by) if job.seen.cancelled_by else None


def _cause(job: Job) -> Text:
    """Return the diagnosis, where it says more than how the job ended."""
    if not job.cause or job.seen.state.good or job.stopped_by or job.label in SAYS_NO_MORE:
        return ()
    return (f" {job.cause}",)


def never_started(seen: Observation) -> bool:
    """Whether a job never had nodes."""
    return not seen.elapsed and not seen.node_list


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
        Fact(label="Job", value=(*parts.job_name(job), f", {job.seen.state.value}")) for job in jobs
    ]


def _partition(request: Request, job: Job) -> Text:
    name = Mono(text=job.seen.partition or request.resources.partition)
    return parts.fill("{name} on {cluster}", name=name, cluster=job.cluster)


def _size(request: Request, job: Job, *, alone: bool) -> Fact:
    """Return what it may take at most or, once it is over, what it took."""
    resources = request.resources.model_copy(
        update={
            "nodes": job.seen.nodes or request.resources.nodes,
            "time": job.seen.time_limit or request.resources.time,
        }
    )
    if job.tasks:
        return Fact(label="Each task", value=parts.size(resources))
    ran = job.seen.elapsed
    if not job.seen.state.ended or never_started(job.seen) or ran is None or not alone:
        return Fact(label="Size", value=parts.size(resources))
    return Fact(label="Used", value=parts.used(resources, job.seen.gpus, ran))


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


def _controls(request: Request, job: Job) -> tuple[Button, ...]:
    begun = job.seen.state is not State.PENDING or job.attempt > 1
    show = Button(action=SHOW_LOG.action, label=SHOW_LOG.label, value=job.key)
    cancel = Button(
        action="cancel_job",
        label="Cancel Job",
        value=job.key,
        style="danger",
        confirm=f"This ends job {job.id} ({request.title}) on {job.cluster}.",
    )
    return (show, cancel) if begun else (cancel,)


def notice(job: Job, was: State) -> Card | None:
    """Return what the thread says about a change worth reading; None for one that is not.

    How it ended is told when its log has been read.
    """
    if job.seen.state is State.RUNNING:
        nodes = Mono(text=job.seen.node_list)
        return Card(lead=parts.fill("Started on {nodes}.", nodes=nodes), tone=Tone.WORKING)
    if job.seen.state is State.PENDING and job.attempt > 1 and was is not State.PENDING:
        cause = f"{job.cause} " if job.cause else ""
        return Card(lead=(f"Requeued by Slurm. {cause}", *_pending(job)), tone=tone(job))
    return None


def stuck(request: Request, job: Job) -> Card | None:
    """Tell the person of a job that waits in vain; None for one that does not."""
    if job.seen.state is not State.PENDING or not hopeless(job.seen.reason):
        return None
    person = Person(user=request.caller.user)
    return Card(lead=(person, f" Job {job.id}: ", *_pending(job)), tone=Tone.TROUBLE)


def ended(request: Request, job: Job) -> Card:
    """Tell the person of an end that needs no diagnosis, and how far training came.

    Who cancelled it knows, and is named anyway.
    """
    owner = request.caller.user
    to: Text = () if job.stopped_by == owner else (Person(user=owner), " ")
    far = progress.sentence(job.progress)
    return Card(
        lead=(*to, f"Job {job.id}: ", *sentence(job), *((f" {far}",) if far else ())),
        tone=tone(job),
    )


def outage(cluster: str, since: datetime, detail: str) -> Card:
    """Say once that a cluster does not answer."""
    return Card(
        tone=Tone.TROUBLE,
        lead=parts.fill(
            "{cluster} has not answered since {since}.", cluster=cluster, since=Moment(at=since)
        ),
        foot=(("The states shown are as of then.",), (detail,)),
    )


def healed(cluster: str, since: datetime, now: datetime) -> Card:
    """Say once that it answers again."""
    return Card(
        tone=Tone.DONE,
        lead=(f"{cluster} answers again, after {duration(now - since)}.",),
        foot=(parts.fill("It had not answered since {since}.", since=Moment(at=since)),),
    )
