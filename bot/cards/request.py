"""The living message of a request: one card, whatever stage the request and its jobs are at."""

from __future__ import annotations

from collections.abc import Sequence

from bot.card import Button, Card, Excerpt, Fact, Moment, Mono, Paragraph, Person, Text, Tone
from bot.cards import parts
from bot.cards.job import job_card
from bot.cards.mend import Controls, controls
from bot.diagnosis.finding import HEALTHY, NOT_IN_LOG, Finding
from bot.model import Job, PartitionState, Request, Stage
from bot.words import figure


def request_card(request: Request, jobs: Sequence[Job] = ()) -> Card:
    """Return what the root message shows now."""
    match request.stage:
        case Stage.PROPOSED:
            return proposed(request)
        case Stage.ACCEPTED:  # a launcher may go on after the job was taken
            return job_card(request, jobs) if jobs else submitting(request)
        case Stage.SUBMITTED:
            return job_card(request, jobs)
        case Stage.UNKNOWN:
            return unknown(request)
        case Stage.REFUSED:
            return refused(request, None, ())
        case Stage.WITHDRAWN:
            return withdrawn(request)


def proposed(request: Request) -> Card:
    """Ask before something costly is submitted."""
    hours = request.resources.gpu_hours
    cost = f"{figure(hours)} GPU-hours" if hours is not None else "GPU-hours without a limit"
    return Card(
        title=request.title,
        tone=Tone.ASKING,
        lead=(f"Submit this to {request.cluster}? It may take {cost}.",),
        facts=_facts(request),
        buttons=(
            Button(action="submit", label="Submit", value=request.id, style="primary"),
            Button(action="withdraw", label="Cancel", value=request.id),
        ),
        foot=parts.foot(request),
    )


def submitting(request: Request, trouble: str = "") -> Card:
    """Say that it is on its way, and what stands in the way."""
    lead: Text = (f"Submitting to {request.cluster} …",)
    if trouble:
        lead = (f"Not known yet whether Slurm has it: {trouble} Still trying; nothing is lost.",)
    return Card(
        title=request.title,
        tone=Tone.TROUBLE if trouble else Tone.WAITING,
        lead=lead,
        facts=_facts(request),
        foot=parts.foot(request),
    )


def unknown(request: Request, *, searched: bool = False, accounting: bool = True) -> Card:
    """Say that nobody knows whether Slurm took it, and leave the decision to a person."""
    looked = "Looking for it in the queue and in the accounting …"
    if searched and accounting:
        looked = (
            "It is neither in the queue nor in the accounting, so very likely it was not taken."
        )
    elif searched:
        looked = "It is not in the queue; this cluster keeps no accounting to look into."
    return Card(
        title=request.title,
        tone=Tone.TROUBLE,
        lead=("It is unknown whether Slurm took this job: the answer of sbatch was lost.",),
        facts=_facts(request),
        parts=(Paragraph(text=(looked,)),),
        buttons=(
            Button(
                action="submit_again",
                label="Submit Again",
                value=request.id,
                style="danger",
                confirm="If the first one is in the queue after all, there will be two jobs.",
            ),
            Button(action="withdraw", label="Leave It", value=request.id),
        )
        if searched
        else (),
        foot=parts.foot(request),
    )


def refused(
    request: Request, finding: Finding | None, partitions: Sequence[PartitionState]
) -> Card:
    """Say why Slurm or the launcher refused, and offer what mends it."""
    known = finding is not None and finding.label not in {HEALTHY, NOT_IN_LOG}
    cause = finding.title if finding and known else f"{request.cluster} refused it."
    shown = controls(finding, of=request.id, partitions=partitions) if finding else Controls()
    return Card(
        title=request.title,
        tone=Tone.FAILED,
        lead=("Not submitted. ", cause),
        facts=_facts(request),
        parts=(
            *([Paragraph(text=(finding.remedy,))] if finding and finding.remedy else []),
            *([Excerpt(text=_last_lines(request.error))] if request.error else []),
        ),
        buttons=shown.buttons,
        pick=shown.pick,
        foot=parts.foot(request),
    )


def withdrawn(request: Request, by: str = "", *, unsure: bool = False, again: bool = False) -> Card:
    """Say that it was not submitted, or that the bot no longer looks for it."""
    who: Text = ("Cancelled by ", Person(user=by), ". ") if by else ("Cancelled. ",)
    end = "Nothing was submitted."
    if unsure:
        who = ("Settled by ", Person(user=by), ". ")
        end = "Submitted again." if again else "The bot no longer looks for the job."
    return Card(
        title=request.title,
        tone=Tone.STOPPED,
        lead=(*who, end),
        facts=_facts(request),
        foot=parts.foot(request),
    )


def _facts(request: Request) -> tuple[Fact, ...]:
    quote = request.quote
    start: Text = ()
    if quote.starts is not None:
        start = ("about ", Moment(at=quote.starts))
    elif quote.note:
        start = (quote.note,)
    return (
        Fact(label="Runs", value=(Mono(text=parts.runs(request)),)),
        Fact(label="Partition", value=parts.partition(request.resources, quote)),
        Fact(label="Size", value=parts.size(request.resources, quote)),
        *((Fact(label="Start", value=start),) if start else ()),
        *parts.rerun_of(request),
    )


def _last_lines(text: str, lines: int = 12) -> str:
    return "\n".join(text.strip().splitlines()[-lines:])
