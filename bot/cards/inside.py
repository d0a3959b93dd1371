"""One command inside an interactive job, as people read it."""

from __future__ import annotations

import re

from bot.card import Card, Excerpt, Mono, Person, Text, Tone
from bot.cards import parts
from bot.cluster.inside_job import Ran
from bot.job import Job

RUNNING = "Runs inside job {job}: {command}"
ENDED = "Inside job {job}, {command} ended with status {status}."
LATE = (
    "Inside job {job}, {command} was ended after {seconds} s, the longest it may take. Nothing of "
    "it runs on."
)
SILENT = "{command} ended with status {status} and wrote nothing."
SEEN = "{command} ended with status {status}; the thread of job {job} shows what it wrote."
ENDED_IT = "{command} was ended after {seconds} s; the thread of job {job} shows what it wrote."
"""What is said to who asked outside that thread."""
LOST = "Inside job {job}, nobody knows how {command} ended: the login node lost track of it."
ASKED = "Asked for by {who}."
_NOISE = re.compile(r"srun: |slurmstepd")
"""What Slurm says while it ends a command whose time is up."""
SHOWN = 60
"""Lines of the end of the output."""


def running(job: Job, command: str, by: str) -> Card:
    """Say that it runs."""
    lead = parts.fill(RUNNING, job=job.id, command=Mono(text=command))
    return Card(tone=Tone.WORKING, lead=lead, foot=(_asked(by),))


def ran(job: Job, command: str, by: str, how: Ran, seconds: int) -> Card:
    """Say how it went, and show the end of what it wrote."""
    words = ENDED if how.status is not None else LATE if how.late else LOST
    lead = parts.fill(
        words,
        job=job.id,
        command=Mono(text=command),
        status=str(how.status),
        seconds=str(seconds),
    )
    lines = how.output.rstrip("\n").split("\n") if how.output.strip() else []
    if how.late:
        lines = [line for line in lines if not _NOISE.match(line)]
    caption: Text = ()
    if len(lines) > SHOWN:
        caption = (f"The last {SHOWN} of {len(lines):,} lines",)
    shown = (Excerpt(caption=caption, text="\n".join(lines[-SHOWN:])),) if lines else ()
    silent: Text = () if lines or how.status is None else ("It wrote nothing.",)
    return Card(
        tone=Tone.DONE if how.status == 0 else Tone.FAILED,
        lead=lead,
        parts=shown,
        foot=(*((silent,) if silent else ()), _asked(by)),
    )


def pointer(job: Job, command: str, how: Ran, seconds: int) -> Card:
    """Say where to read how it went."""
    words = ENDED_IT if how.late else LOST
    if how.status is not None:
        words = SEEN if how.output.strip() else SILENT
    return Card(
        lead=parts.fill(
            words,
            job=job.id,
            command=Mono(text=command),
            status=str(how.status),
            seconds=str(seconds),
        )
    )


def _asked(by: str) -> Text:
    return parts.fill(ASKED, who=Person(user=by))
