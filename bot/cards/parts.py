"""Pieces that several cards share."""

from __future__ import annotations

import posixpath
from datetime import timedelta
from string import Formatter

from bot.card import Button, Excerpt, Fact, Moment, Mono, Person, Span, Text
from bot.duration import duration as read_duration
from bot.job import Job
from bot.model import Quote, Request, Resources
from bot.words import count, duration, gpu_hours

_NO_QUOTE = Quote()


def fill(template: str, **values: Span | Text) -> Text:
    """Return a sentence with its values set in, whatever these contain.

    Sentences are written whole, so that they can be translated.
    """
    pieces: list[Span] = []
    for words, name, _, _ in Formatter().parse(template):
        if words:
            pieces.append(words)
        if name:
            value = values[name]
            pieces += value if isinstance(value, tuple) else (value,)
    return tuple(pieces)


def cancel_button(request: Request, job: Job) -> Button:
    """Return what ends a job, after a question."""
    return Button(
        action="cancel_job",
        label="Cancel Job",
        value=job.key,
        style="danger",
        confirm=f"This ends job {job.id} ({request.title}) on {job.cluster}.",
    )


def shape(resources: Resources) -> str:
    """Return `2 nodes × 8 GPUs`, as far as it is known."""
    nodes = count(resources.nodes, "node")
    if resources.gpus_per_node is None:
        return nodes
    if resources.gpus_per_node == 0:
        return f"{nodes}, no GPUs"
    return f"{nodes} × {count(resources.gpus_per_node, 'GPU')}"


def heading(request: Request) -> str:
    """Return what its card is headed with."""
    return request.heading or request.title


def size(resources: Resources, quote: Quote = _NO_QUOTE, *, cost: bool = True) -> Text:
    """Return nodes × GPUs × time = GPU-hours, as far as it is known."""
    words, length = shape(resources), resources.length
    if length is None:
        return (f"{words}, no time limit",)
    most = "" if resources.stay else " at most"  # a stay can be extended
    if not resources.gpus:
        words = f"{words}, {duration(length)}{most}"
    else:
        words = f"{words} × {duration(length)}"
        if cost and resources.gpu_hours is not None:
            words = f"{words} = {gpu_hours(resources.gpu_hours)}{most}"
    default = " (the partition's default time)" if quote.limit_from else ""
    return (f"{words}{default}",)


def used(resources: Resources, *runs: tuple[int | None, timedelta]) -> Text:
    """Return what was taken: nodes × GPUs × time = GPU-hours.

    `runs` are the GPUs, where Slurm told them, and the time of each job of this size.
    """
    ran = sum((run for _, run in runs), timedelta())
    gpus = [resources.gpus or 0 if told is None else told for told, _ in runs]
    if not any(gpus):
        return (f"{count(resources.nodes, 'node')} × {duration(ran)}",)
    seconds = sum(number * run.total_seconds() for number, (_, run) in zip(gpus, runs, strict=True))
    words = f"{shape(resources)} × {duration(ran)}"
    return (f"{words} = {gpu_hours(seconds / 3600)}" if seconds else words,)


def partition(resources: Resources, quote: Quote) -> Text:
    """Return the partition and how many of its nodes were free."""
    if not resources.partition:
        return ("the cluster's default",)
    if quote.free is None or quote.nodes is None:
        return (Mono(text=resources.partition),)
    return (Mono(text=resources.partition), f", {quote.free} of {quote.nodes} nodes free")


def start(quote: Quote) -> tuple[Fact, ...]:
    """Return when Slurm expects it to start, or what it said instead, or why it said nothing."""
    if quote.starts is not None:
        return (Fact(label="Start", value=("about ", Moment(at=quote.starts))),)
    if quote.silence:
        return (Fact(label="Start", value=(f"not known. {quote.silence}",)),)
    return (Fact(label="Start", value=(f"none. {quote.note}",)),) if quote.note else ()


def foot(request: Request) -> tuple[Text, ...]:
    """Return the small print: what was not done as typed, and who asked for it and how."""
    asked: Text = (Person(user=request.caller.user), " ", Mono(text=request.typed))
    return (*((note,) for note in request.notes), asked)


def stay(length: timedelta) -> Fact:
    """Return how long an interactive job stays that has not begun."""
    return Fact(label="Stays", value=(f"{duration(length)} from its start",))


def stays(request: Request) -> tuple[Fact, ...]:
    """Return how long what is asked for stays, if it is interactive."""
    asked = read_duration(str(request.options.get("expires") or ""))
    if asked is None:
        return ()
    limit = request.resources.time
    fact = stay(asked)
    if limit is None or limit <= asked:
        return (fact,)
    room = f"; Slurm's limit of {duration(limit)} leaves room to extend it"
    return (Fact(label=fact.label, value=(*fact.value, room)),)


def runs(request: Request) -> tuple[Fact, ...]:
    """Return the recipe or script that runs, where there is one."""
    named = (request.options.get(field) for field in ("recipe", "script", "job_script"))
    return tuple(Fact(label="Runs", value=(Mono(text=str(one)),)) for one in named if one)


def copies(request: Request) -> tuple[Excerpt, ...]:
    """Return what differs in each file that is changed for this launch, in a copy."""
    return tuple(
        Excerpt(
            caption=fill(
                "{copy}, a changed copy of {name}, runs in its place:",
                copy=Mono(text=posixpath.basename(file.path)),
                name=Mono(text=posixpath.basename(file.of)),
            ),
            text=file.change or "Nothing had to be changed.",
        )
        for file in request.files
        if file.of
    )


def experiment(request: Request) -> tuple[Fact, ...]:
    """Return NeMo-Run's name for it, and where it keeps its scripts and logs."""
    found = request.experiment
    if found is None:
        return ()
    folder = found.tasks[0].folder if len(found.tasks) == 1 else found.folder
    where = (Fact(label="Folder", value=(Mono(text=folder),)),) if folder else ()
    return (Fact(label="Experiment", value=(Mono(text=found.id),)), *where)


def rerun_of(request: Request, *, last: bool = False) -> tuple[Fact, ...]:
    """Return what this is a rerun of, what changed, and which attempt of how many it is.

    `last` when no further one follows, though there might have been one.
    """
    change = f", {request.change}" if request.change else ""
    end = ", and the last" if last else ""
    number = f"{request.nth} of {request.attempts}{end}"
    if request.retry is not None:
        return (Fact(label="Attempt", value=(f"{number}, after job {request.origin}{change}",)),)
    first = (Fact(label="Attempt", value=(number,)),) if request.attempts > 1 else ()
    if not request.origin:
        return (*first, Fact(label="Changed", value=(request.change,))) if request.change else first
    return (*first, Fact(label="Rerun of", value=(f"job {request.origin}{change}",)))


def job_name(job: Job) -> Text:
    """Return the Slurm id and the name of a job."""
    return (f"{job.id} ", Mono(text=job.seen.name)) if job.seen.name else (job.id,)
