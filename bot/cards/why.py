"""The diagnosis: one sentence of cause, the line that proves it, what to do, how sure."""

from __future__ import annotations

from bot.card import Card, Excerpt, Mono, Paragraph, Part, Person, Text, Tone
from bot.cards import progress
from bot.cards.case import Case
from bot.cards.delay import advice
from bot.cards.evidence import evidence, unread
from bot.cards.job import sentence, step, tone
from bot.cards.letting_go import letting_go
from bot.cards.mend import controls
from bot.diagnosis import Finding
from bot.diagnosis.finding import NOT_IN_LOG
from bot.job import Job

SURE = 0.8
LIKELY = 0.5
TAIL_LINES = 8


def why_card(
    job: Job,
    finding: Finding,
    *,
    case: Case,
    tail: str = "",
    tell: str = "",
) -> Card:
    """Return the diagnosis of a job; `tell` is the Slack user to be told, if any."""
    offered = controls(finding, case)
    who: Text = (Person(user=tell), " ") if tell else ()
    return Card(
        tone=Tone.FAILED,
        lead=(*who, f"Job {job.id}: {finding.title}"),
        parts=(
            *proof(finding, tail),
            *(Paragraph(text=words) for words in (*_may_know(job, finding), *offered.hints)),
        ),
        buttons=offered.buttons,
        pick=offered.pick,
        foot=(*certainty(finding), *unread(finding.unread)),
    )


def proof(finding: Finding, tail: str) -> list[Part]:
    """Return the lines that prove the cause and what to do, else the end of the log."""
    if quoted := evidence(finding.evidence):
        found: list[Part] = [quoted]
        return [*found, Paragraph(text=(finding.remedy,))] if finding.remedy else found
    end = _end(tail)
    shown: Part = Excerpt(caption=("The end of the log",), text=end)
    if not end:
        shown = Paragraph(text=("It wrote no log that may be read from here.",))
    if finding.remedy and finding.label != NOT_IN_LOG:
        return [Paragraph(text=(finding.remedy,)), shown]
    return [shown]


def certainty(finding: Finding) -> tuple[Text, ...]:
    """Say how sure it is, unless no cause is named at all."""
    if finding.label == NOT_IN_LOG:
        return ()
    if finding.confidence < LIKELY:
        return (("A guess: read the log as well.",),)
    if finding.confidence < SURE:
        return (("Likely, but not certain.",),)
    by_log = bool(finding.evidence and finding.evidence[0].file)
    return (("Sure: the log says so." if by_log else "Sure: Slurm says so.",),)


def _may_know(job: Job, finding: Finding) -> tuple[Text, ...]:
    """Return who may know more where the cause is in nothing that was read."""
    if finding.label != NOT_IN_LOG:
        return ()
    words = "Slurm names no cause either. What may know more: its other logs, and the kernel's log"
    nodes: Text = (" of ", Mono(text=job.seen.node_list)) if job.seen.node_list else ()
    return ((words, *nodes, ", which only administrators can read."),)


def _end(tail: str) -> str:
    return "\n".join(tail.rstrip().splitlines()[-TAIL_LINES:])


def waits_card(job: Job) -> Card:
    """Say why a job waits, and whether waiting will help."""
    reason = job.seen.reason
    return Card(
        tone=tone(job),
        lead=(f"Job {job.id}: ", *sentence(job)),
        parts=advice(job),
        buttons=letting_go(job),
        foot=(("Slurm's reason: ", Mono(text=reason)),) if reason not in {"", "None"} else (),
    )


def healthy_card(job: Job, words: str, failed_step: str = "") -> Card:
    """Say that nothing is wrong, as far as its log and Slurm tell; `words` are its progress.

    `failed_step` is the exit code of a step that failed all the same.
    """
    far = progress.sentence(words)
    return Card(
        tone=tone(job),
        lead=(f"Job {job.id}: ", *sentence(job), *((f" {far}",) if far else ())),
        foot=step(failed_step) or (("Neither Slurm nor its log shows a problem.",),),
    )
