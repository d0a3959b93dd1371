"""A job that waits for what may not come, as its thread says it."""

from __future__ import annotations

from datetime import datetime

from bot.card import Card, Moment, Paragraph, Part, Person, Text, Tone
from bot.cards import parts
from bot.cluster.slurm import alone_in_words, helps, reason_in_words
from bot.grammar.usage import marked
from bot.job import Job
from bot.model import Request
from bot.waiting import Delay

PASSES = "It starts by itself when others that count there end."
LESS = "Nothing else of this account runs. Cancel it, and launch it again with less."
"""What can be done about a limit, where Slurm's reason does not tell."""


def delay_card(request: Request, job: Job, since: datetime, delay: Delay) -> Card:
    """Tell of a job that has waited long for what may not come; calmly where it may."""
    calm = delay is Delay.LIMIT
    who: Text = () if calm else (Person(user=request.caller.user), " ")
    return Card(
        tone=Tone.WAITING if calm else Tone.TROUBLE,
        lead=(
            *who,
            *parts.fill(
                "Job {job}: Waiting since {since}. {why}.",
                job=job.id,
                since=Moment(at=since),
                why=_why(job, delay),
            ),
        ),
        parts=(Paragraph(text=marked(_helps(job, delay))),),
        buttons=(parts.cancel_button(request, job),),
    )


def advice(job: Job) -> tuple[Part, ...]:
    """Return what can be done about Slurm's reason, where there is more than to wait."""
    said = helps(job.seen.reason, job.id)
    return (Paragraph(text=marked(said)),) if said else ()


def _why(job: Job, delay: Delay) -> str:
    alone = alone_in_words(job.seen.reason) if delay is Delay.BEYOND else ""
    return alone or reason_in_words(job.seen.reason)


def _helps(job: Job, delay: Delay) -> str:
    return LESS if delay is Delay.BEYOND else helps(job.seen.reason, job.id) or PASSES
