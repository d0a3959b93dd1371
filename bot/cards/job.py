"""A job as people read it: the living card, and the notices in its thread."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bot.card import Button, Card, Fact, Moment, Mono, Person, Text, Tone
from bot.cards import parts, progress, session, worry
from bot.cards.delay import advice
from bot.cards.ending import ENDINGS, cause, ending, exit_code, never_started
from bot.cards.letting_go import letting_go
from bot.cards.mend import SHOW_LOG, SHOW_LOG_LABEL
from bot.cluster.slurm import dependency_in_words, hopeless, reason_in_words
from bot.grammar.usage import marked
from bot.job import Job, Observation, State
from bot.model import Request
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

RUNNING = {
    (False, False): "Running.",
    (False, True): "Running since {start}.",
    (True, False): "Running on {nodes}.",
    (True, True): "Running on {nodes} since {start}.",
}
"""By whether its nodes and its start are known."""

BETWEEN = {
    State.COMPLETING: "Ending. Slurm is cleaning up its nodes.",
    State.SUSPENDED: "Suspended. Its time limit is paused.",
    State.SETTLING: "Left the queue. Asking Slurm how it ended …",
    State.LOST: "Lost sight of it. Neither the queue nor the accounting knows how it ended.",
    State.UNKNOWN: "In a state this bot does not know: {raw}.",
}

VAIN = "It will not start by itself."


def job_card(request: Request, jobs: Sequence[Job]) -> Card:
    """Return the root message of a request that Slurm took as one job."""
    if not jobs:
        return Card(
            title=parts.heading(request), lead=("Submitted; no job yet.",), tone=Tone.WAITING
        )
    chief = jobs[-1]
    live = not chief.seen.state.ended
    return Card(
        title=parts.heading(request),
        tone=tone(chief),
        lead=sentence(chief),
        facts=(
            *_job_facts(chief),
            Fact(label="Partition", value=partition(request, chief)),
            _size(request, chief),
            *exit_code(chief.seen),
            *_progress(chief),
            *((Fact(label="Result", value=marked(chief.result)),) if chief.result else ()),
            *session.facts(chief),
            *parts.experiment(request),
            *parts.rerun_of(request, last=chief.last),
        ),
        parts=parts.copies(request),
        buttons=_controls(request, chief) if live else mending(chief),
        foot=parts.foot(request),
    )


def _progress(job: Job) -> tuple[Fact, ...]:
    """Return how far training has come; after the end, once its log was read to the end."""
    stale = job.seen.state.ended and not job.settled
    return (Fact(label="Progress", value=(job.progress,)),) if job.progress and not stale else ()


def tone(job: Job) -> Tone:
    """Return the sign for how a job is; one that waits in vain, or trains badly, is trouble."""
    vain = job.seen.state is State.PENDING and hopeless(job.seen.reason)
    if vain or job.worries:
        return Tone.TROUBLE
    return TONES.get(job.seen.state, Tone.FAILED)


def sentence(job: Job) -> Text:
    """Return how the job is, in a sentence or two."""
    seen = job.seen
    if seen.state is State.PENDING:
        return _pending(job)
    if seen.state is State.RUNNING:
        words = RUNNING[bool(seen.node_list), seen.started is not None]
        start: Text = (Moment(at=seen.started),) if seen.started else ()
        running = parts.fill(words, nodes=Mono(text=seen.node_list), start=start)
        return (*running, *worry.standing(job))
    if seen.state in ENDINGS:
        return (*ending(job), *cause(job))
    return parts.fill(BETWEEN[seen.state], raw=seen.raw)


def waits_for(seen: Observation, namesakes: Sequence[str] = ()) -> str:
    """Return why a job waits, as a sentence without its full stop; empty when Slurm is silent."""
    waits = ""
    if seen.reason == "Dependency":
        waits = dependency_in_words(seen.dependency, namesakes)
    return waits or reason_in_words(seen.reason)


def _pending(job: Job) -> Text:
    seen = job.seen
    why = waits_for(seen, job.namesakes)
    if not why and job.attempt == 1:
        return ("Submitted. Slurm has not looked at it yet.",)
    waits = "Waiting." if job.attempt == 1 else f"Attempt {job.attempt} is waiting."
    if hopeless(seen.reason):
        return (f"{waits} {why}. {VAIN}",)
    starts: Text = ()
    if seen.started is not None:
        starts = parts.fill(" Expected to start {start}.", start=Moment(at=seen.started))
    return (f"{waits} {why or 'Slurm has not said why yet'}.", *starts)


def _job_facts(job: Job) -> list[Fact]:
    facts = [Fact(label="Job", value=parts.job_name(job))]
    if job.tasks:
        counts = ", ".join(f"{number} {state.value}" for state, number in job.tasks)
        facts.append(Fact(label="Tasks", value=(counts,)))
    return facts


def partition(request: Request, job: Job) -> Text:
    """Return the partition and the cluster."""
    name = Mono(text=job.seen.partition or request.resources.partition)
    return parts.fill("{name} on {cluster}", name=name, cluster=job.cluster)


def _size(request: Request, job: Job) -> Fact:
    """Return what it may take at most or, once it is over, what it took."""
    resources = request.resources.model_copy(
        update={
            "nodes": job.seen.nodes or request.resources.nodes,
            "time": job.seen.time_limit or request.resources.time,
            "stay": job.session.stay if job.session else None,
        }
    )
    if job.tasks:
        return Fact(label="Each task", value=parts.size(resources))
    ran, over = job.seen.elapsed, job.seen.state.ended
    if not over or never_started(job.seen) or ran is None:
        return Fact(label="Size", value=parts.size(resources, cost=not over))
    return Fact(label="Used", value=parts.used(resources, (job.seen.gpus, ran)))


def has_begun(job: Job) -> bool:
    """Whether there may be a log."""
    return job.seen.state is not State.PENDING or job.attempt > 1


def _controls(request: Request, job: Job) -> tuple[Button, ...]:
    """Return what can be done: a log is there once it began, and it can be ended until it ends."""
    begun = has_begun(job)
    leaving = job.seen.state in {State.COMPLETING, State.SETTLING}
    show = Button(action=SHOW_LOG, label=SHOW_LOG_LABEL, value=job.key)
    if job.session is not None:
        return (*((show,) if begun else ()), *(() if leaving else session.controls(job)))
    cancel = parts.cancel_button(request, job)
    return (*letting_go(job), *((show,) if begun else ()), *(() if leaving else (cancel,)))


def mending(job: Job) -> tuple[Button, ...]:
    """Return what most likely mends a job that failed."""
    return (job.mend,) if job.mend else ()


def notice(job: Job, was: State, *, alone: bool = True) -> Card | None:
    """Return what the thread says about a change worth reading; None for one that is not.

    One job of several, or of a later attempt, is named. How it ended is told when its log has been
    read.
    """
    name = "" if alone else f"Job {job.id}: "
    if job.seen.state is State.RUNNING:
        nodes = Mono(text=job.seen.node_list)
        started = parts.fill("{name}Started on {nodes}.", name=name, nodes=nodes)
        return Card(lead=started, tone=Tone.WORKING)
    if job.seen.state is State.PENDING and job.attempt > 1 and was is not State.PENDING:
        cause = f"{job.cause} " if job.cause else ""
        return Card(lead=(f"{name}Requeued by Slurm. {cause}", *_pending(job)), tone=tone(job))
    return None


def stuck(request: Request, job: Job) -> Card | None:
    """Tell the person of a job that waits in vain; None for one that does not."""
    if job.seen.state is not State.PENDING or not hopeless(job.seen.reason):
        return None
    person = Person(user=request.caller.user)
    return Card(
        lead=(person, f" Job {job.id}: ", *_pending(job)),
        tone=Tone.TROUBLE,
        parts=advice(job),
        buttons=(*letting_go(job), parts.cancel_button(request, job)),
    )


def ended(request: Request, job: Job, failed_step: str = "") -> Card:
    """Tell the person of an end that needs no diagnosis, and how far training came.

    Who cancelled it knows, and is named anyway.
    """
    owner = request.caller.user
    to: Text = () if job.stopped_by == owner else (Person(user=owner), " ")
    far = progress.sentence(job.progress)
    made: Text = (" ", *marked(job.result)) if job.result else ()
    return Card(
        lead=(*to, f"Job {job.id}: ", *sentence(job), *((f" {far}",) if far else ()), *made),
        tone=tone(job),
        foot=step(failed_step),
    )


def step(code: str) -> tuple[Text, ...]:
    """Say that a step failed though the job ended well; nothing without its exit code."""
    if not code:
        return ()
    return ((f"A step of it failed with exit code {code}, and its script went on: see its log.",),)


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
