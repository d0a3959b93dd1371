"""The diagnosis: one sentence of cause, the line that proves it, what to do, how sure."""

from __future__ import annotations

from collections.abc import Sequence

from bot.card import Bullets, Card, Excerpt, Mono, Paragraph, Part, Person, Text, Tone
from bot.cards.job import sentence
from bot.cards.mend import controls
from bot.cluster.slurm import hopeless
from bot.diagnosis import Evidence, Finding
from bot.model import Job, PartitionState

SURE = 0.8
LIKELY = 0.5
TAIL_LINES = 8


def why_card(
    job: Job,
    finding: Finding,
    *,
    tail: str = "",
    tell: str = "",
    partitions: Sequence[PartitionState] = (),
) -> Card:
    """Return the diagnosis of a job; `tell` is the Slack user to be told, if any."""
    parts: list[Part] = [_evidence(finding.evidence)] if finding.evidence else []
    if finding.remedy:
        parts.append(Paragraph(text=(finding.remedy,)))
    if tail:
        parts.append(Excerpt(caption=("The end of the log",), text=_end(tail)))
    offered = controls(finding, of=job.key, partitions=partitions, log=True)
    who: Text = (Person(user=tell), " ") if tell else ()
    return Card(
        tone=Tone.FAILED,
        lead=(*who, f"Job {job.id}: {finding.title}"),
        parts=tuple(parts),
        buttons=offered.buttons,
        pick=offered.pick,
        foot=(_certainty(finding),),
    )


def _evidence(evidence: Sequence[Evidence]) -> Excerpt:
    first = evidence[0]
    where = f", line {first.line_no}" if first.line_no else ""
    caption: Text = (Mono(text=first.file), where) if first.file else ("Slurm says",)
    return Excerpt(caption=caption, text="\n".join(e.line for e in evidence[:6]))


def _certainty(finding: Finding) -> Text:
    if finding.label == "cause-not-in-log":
        return ("The log shows consequences only; the cause is not in it.",)
    if finding.confidence >= SURE:
        return ("Sure: the log says so." if finding.evidence else "Sure: Slurm says so.",)
    return ("Likely." if finding.confidence >= LIKELY else "A guess: read the log as well.",)


def _end(tail: str) -> str:
    return "\n".join(tail.rstrip().splitlines()[-TAIL_LINES:])


def waits_card(job: Job) -> Card:
    """Say why a job waits, and whether waiting will help."""
    vain = hopeless(job.seen.reason)
    return Card(
        tone=Tone.TROUBLE if vain else Tone.WAITING,
        lead=(f"Job {job.id}: ", *sentence(job)),
        parts=(Paragraph(text=("It will not start by itself.",)),) if vain else (),
        foot=(("Slurm's reason: ", Mono(text=job.seen.reason or "None")),),
    )


def healthy_card(job: Job, progress: str) -> Card:
    """Say that nothing is wrong, as far as its log and Slurm tell."""
    far = f" Its log is at {progress}." if progress else ""
    return Card(
        lead=(
            f"Job {job.id}: nothing is wrong that its log or Slurm tells of. ",
            *sentence(job),
            far,
        )
    )


def log_card(job: Job, file: str, text: str, *, lines: int, matching: str = "") -> Card:
    """Return the end of a log, or its lines that match."""
    shown = text.rstrip("\n")
    if not shown:
        nothing = f"No line of it matches {matching}." if matching else "It is empty so far."
        return Card(lead=(f"Job {job.id}: ", Mono(text=file), f"  {nothing}"))
    what = f"lines matching {matching}" if matching else f"last {lines} lines"
    return Card(
        lead=(f"Job {job.id}: {what} of ", Mono(text=file)),
        parts=(Excerpt(text=shown),),
    )


def no_log_card(job: Job, others: Sequence[str]) -> Card:
    """Say that there is no such log, and which there are."""
    started = "" if job.seen.state.ended or job.seen.started else " It has not started yet."
    lead = f"Job {job.id} has written no such log that may be read from here.{started}"
    parts = (Bullets(items=tuple((Mono(text=path),) for path in others[:10])),) if others else ()
    return Card(lead=(lead,), parts=parts)
