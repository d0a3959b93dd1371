"""A job's logs as people read them: the end of one, its lines that match, and which there are."""

from __future__ import annotations

from collections.abc import Mapping

from bot.card import Bullets, Button, Card, Excerpt, Mono
from bot.cards import parts
from bot.cards.mend import READ_LOG, SEPARATOR
from bot.job import Job
from bot.words import count

LOG = (
    "Job {job}: {file} is empty.",
    "Job {job}: {file}, {number}",
    "Job {job}: the last {number} of {file}",
)
MATCHES = (
    "Job {job}: no line of {file} matches {pattern}.",
    "Job {job}: {number} of {file} matching {pattern}",
    "Job {job}: the last {number} of {file} matching {pattern}",
)
"""What is said of no lines, of all there are, and of as many as were asked for."""


def log_card(job: Job, file: str, text: str, *, lines: int, matching: str = "") -> Card:
    """Return the end of a log, or its lines that match.

    NeMo-Run pads what it prints to the width of its terminal; on a phone that is empty lines.
    """
    shown = "\n".join(line.rstrip(" \t\r") for line in text.rstrip("\n").split("\n"))
    found = len(shown.split("\n")) if shown else 0
    words = MATCHES if matching else LOG
    lead = parts.fill(
        words[0 if not found else 1 if found < lines else 2],
        job=job.id,
        file=Mono(text=file),
        number=count(found, "line"),
        pattern=Mono(text=matching),
    )
    return Card(lead=lead, parts=(Excerpt(text=shown),) if shown else ())


def with_more(card: Card, job: Job, path: str, source: str = "") -> Card:
    """Return the end of a log with where the whole lies; with `source` a click shows more of it."""
    more = (Button(action=READ_LOG, label="Show More", value=f"{job.key}{SEPARATOR}{source}"),)
    whole = parts.fill(
        "The whole log: {path} on {cluster}", path=Mono(text=path), cluster=job.cluster
    )
    return card.model_copy(update={"buttons": more if source else (), "foot": (whole,)})


def no_log_card(job: Job, wished: str, others: Mapping[str, str]) -> Card:
    """Say that there is no such log, and which there are: sources by their paths."""
    if others:
        items = tuple(
            parts.fill("{source}: {path}", source=Mono(text=source), path=Mono(text=path))
            for path, source in list(others.items())[:10]
        )
        lead = parts.fill(
            "Job {job} has no log called {wished}. It has:", job=job.id, wished=Mono(text=wished)
        )
        return Card(lead=lead, parts=(Bullets(items=items),))
    if not job.seen.state.ended and not job.seen.node_list:
        return Card(lead=(f"Job {job.id} has no log yet, since it has not started.",))
    return Card(lead=(f"Job {job.id} has no log that may be read from here.",))


def before_its_folder(job: Job, output: Card) -> Card:
    """Say that a job ended before it wrote what was asked for, and show Slurm's own output."""
    lead = f"Job {job.id} ended before it wrote such a log. Slurm's own output says:"
    return output.model_copy(update={"lead": (lead,)})


def no_launcher_card(job: Job) -> Card:
    """Say that nothing is kept of what the launcher printed."""
    return Card(lead=(f"Nothing is kept of what the launcher of job {job.id} printed.",))
