"""The living message of a request: one card, whatever stage the request and its jobs are at."""

from __future__ import annotations

from collections.abc import Sequence

from bot.card import Button, Card, Excerpt, Fact, Paragraph, Person, Text, Tone
from bot.cards import parts
from bot.cards.case import Case
from bot.cards.experiment import experiment_card
from bot.cards.job import job_card
from bot.cards.mend import Controls, controls
from bot.cards.offers import SUBMIT_AGAIN
from bot.diagnosis.finding import HEALTHY, NOT_IN_LOG, Finding
from bot.job import Job
from bot.model import Quote, Request, Stage
from bot.words import gpu_hours


def request_card(request: Request, jobs: Sequence[Job] = ()) -> Card:
    """Return what the root message shows now."""
    match request.stage:
        case Stage.PROPOSED:
            return proposed(request)
        case Stage.ACCEPTED | Stage.WAITING:  # a launcher may go on after the job was taken
            return _taken(request, jobs) if jobs else submitting(request)
        case Stage.SUBMITTED:
            return _taken(request, jobs)
        case Stage.UNKNOWN:
            return unknown(request)
        case Stage.REFUSED:
            return refused(request)
        case Stage.WITHDRAWN:
            return withdrawn(request)


def _taken(request: Request, jobs: Sequence[Job]) -> Card:
    """Return the root message of what Slurm took: one job, or several that are one experiment."""
    return experiment_card(request, jobs) if len(jobs) > 1 else job_card(request, jobs)


def proposed(request: Request) -> Card:
    """Ask before something costly is submitted."""
    return Card(
        title=parts.heading(request),
        tone=Tone.ASKING,
        lead=(f"Submit this to {request.cluster}? {_cost(request)}",),
        facts=_facts(request, cost=False),
        parts=parts.copies(request),
        buttons=(
            Button(action="submit", label="Submit", value=request.id, style="primary"),
            Button(action="withdraw", label="Cancel", value=request.id),
        ),
        foot=parts.foot(request),
    )


def _cost(request: Request) -> str:
    """Return a sentence on what it may take."""
    resources, hours = request.resources, request.resources.gpu_hours
    if hours is not None and request.attempts > 1:
        total = gpu_hours(hours * request.attempts)
        return f"It may take {gpu_hours(hours)}, and {total} with all its attempts."
    if hours is not None:
        return f"It may take {gpu_hours(hours)}."
    if resources.gpus is not None:
        return f"It has no time limit; each hour takes {gpu_hours(resources.gpus)}."
    return "What it may take is not known."


def submitting(request: Request, trouble: str = "") -> Card:
    """Say that it is on its way, and what stands in the way."""
    lead: Text = (f"Submitting to {request.cluster} …",)
    if trouble:
        lead = (f"Not submitted yet. {trouble} Still trying; nothing is lost.",)
    return Card(
        title=parts.heading(request),
        tone=Tone.TROUBLE if trouble else Tone.WAITING,
        lead=lead,
        facts=_facts(request),
        parts=parts.copies(request),
        foot=parts.foot(request),
    )


LOOKING = "Looking for it in the queue and in the accounting …"
NOT_THERE = "It is neither in the queue nor in the accounting, so very likely it was not taken."
NOT_IN_QUEUE = "It is not in the queue; this cluster keeps no accounting to look into."


def unknown(request: Request, *, searched: bool = False, accounting: bool = True) -> Card:
    """Say that nobody knows whether Slurm took it, and leave the decision to a person."""
    looked = LOOKING
    if searched:
        looked = NOT_THERE if accounting else NOT_IN_QUEUE
    return Card(
        title=parts.heading(request),
        tone=Tone.TROUBLE,
        lead=("It is unknown whether Slurm took this job: the answer of sbatch was lost.",),
        facts=_facts(request),
        parts=(Paragraph(text=(looked,)),),
        buttons=_decision(request) if searched else (),
        foot=parts.foot(request),
    )


def _decision(request: Request) -> tuple[Button, ...]:
    again = Button(
        action="submit_again",
        label=SUBMIT_AGAIN,
        value=request.id,
        style="danger",
        confirm="If the first one is in the queue after all, there will be two jobs.",
    )
    return (again, Button(action="withdraw", label="Leave It", value=request.id))


def refused(request: Request, finding: Finding | None = None, case: Case | None = None) -> Card:
    """Say why Slurm or the launcher refused, and offer what mends it in this case."""
    known = finding if finding and finding.label not in {HEALTHY, NOT_IN_LOG} else None
    cause = known.title if known else f"{request.cluster} refused it."
    shown = controls(known, case) if known and case else Controls()
    said = _last_lines(request.error)
    return Card(
        title=parts.heading(request),
        tone=Tone.FAILED,
        lead=(f"Not submitted. {cause}",),
        facts=_facts(request, ahead=False),
        parts=(
            *([Paragraph(text=(known.remedy,))] if known and known.remedy else []),
            *(Paragraph(text=words) for words in shown.hints),
            *([Excerpt(text=said)] if said else []),
        ),
        buttons=shown.buttons,
        pick=shown.pick,
        foot=parts.foot(request),
    )


def withdrawn(request: Request, by: str = "", *, unsure: bool = False, again: bool = False) -> Card:
    """Say that it was not submitted, or that the bot no longer looks for it."""
    words = "Cancelled by {who}. Nothing was submitted."
    if unsure:
        words = "Settled by {who}. The bot no longer looks for the job."
    if again:
        words = "Settled by {who}. Submitted again."
    if not by:
        words = "Cancelled. Nothing was submitted."
    return Card(
        title=parts.heading(request),
        tone=Tone.STOPPED,
        lead=parts.fill(words, who=Person(user=by)),
        facts=_facts(request, ahead=False),
        foot=parts.foot(request),
    )


def _facts(request: Request, *, cost: bool = True, ahead: bool = True) -> tuple[Fact, ...]:
    """Return what was asked; what was free, and when it would start, while that lies ahead."""
    quote = request.quote if ahead else Quote(limit_from=request.quote.limit_from)
    return (
        *parts.runs(request),
        Fact(label="Partition", value=parts.partition(request.resources, quote)),
        Fact(label="Size", value=parts.size(request.resources, quote, cost=cost)),
        *parts.stays(request),
        *parts.start(quote),
        *parts.rerun_of(request),
    )


def _last_lines(text: str, lines: int = 12) -> str:
    """Return the end of what was said, each thing once, whoever repeats it."""
    spoken = text.strip().splitlines()
    own = [line for line in spoken if "sbatch: error: " in line]
    said = [line.strip().removeprefix("sbatch: error: ") for line in own or spoken]
    return "\n".join(list(dict.fromkeys(said))[-lines:])
