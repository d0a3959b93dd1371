"""Pieces that several cards share."""

from __future__ import annotations

from bot.card import Fact, Mono, Person, Text
from bot.model import Job, Quote, Request, Resources
from bot.words import count, duration, figure

_NO_QUOTE = Quote()


def size(resources: Resources, quote: Quote = _NO_QUOTE) -> Text:
    """Return nodes × GPUs × time = GPU-hours, as far as it is known."""
    words = [count(resources.nodes, "node")]
    if resources.gpus_per_node:
        words.append(count(resources.gpus_per_node, "GPU"))
    if resources.time is not None:
        words.append(duration(resources.time))
    product = " × ".join(words)
    if resources.gpus == 0:
        return (f"{product}, no GPUs",)
    if resources.gpu_hours is not None:
        default = " (the partition's default time)" if quote.limit_from else ""
        return (f"{product} = {figure(resources.gpu_hours)} GPU-hours{default}",)
    if resources.gpus is not None:
        return (f"{product} = {figure(resources.gpus)} GPU-hours per hour, without a time limit",)
    return (product,)


def partition(resources: Resources, quote: Quote) -> Text:
    """Return the partition and how many of its nodes were free."""
    if not resources.partition:
        return ("the cluster's default",)
    if quote.free is None or quote.nodes is None:
        return (Mono(text=resources.partition),)
    return (Mono(text=resources.partition), f"  {quote.free} of {quote.nodes} nodes free")


def foot(request: Request) -> tuple[Text, ...]:
    """Return the small print: what was not done as typed, and who asked for it and how."""
    asked: Text = (Person(user=request.caller.user), "  ", Mono(text=request.typed))
    return (*((note,) for note in request.notes), asked)


def runs(request: Request) -> str:
    """Return the recipe or script that runs."""
    return str(request.options.get("recipe") or request.options.get("script") or request.title)


def rerun_of(request: Request) -> tuple[Fact, ...]:
    """Return what this is a rerun of, and what changed."""
    if not request.origin:
        return ()
    change = f", {request.change}" if request.change else ""
    return (Fact(label="Rerun of", value=(f"job {request.origin}{change}",)),)


def job_name(job: Job) -> Text:
    """Return the Slurm id and the name of a job."""
    return (f"{job.id}  ", Mono(text=job.seen.name)) if job.seen.name else (job.id,)
