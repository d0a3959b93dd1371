"""What came of acting on a job."""

from __future__ import annotations

from collections.abc import Sequence

from bot.card import Bullets, Card, Mono, Person, Text, Tone
from bot.cards import parts
from bot.cards.ending import ending
from bot.cards.experiment import cancel_all
from bot.cards.job import sentence
from bot.cards.mend import SHOW_LOG
from bot.cards.retry import became
from bot.cluster.slurm import Cancellation, Cancelled
from bot.cluster.tokenizer import FILES, NotPlaced, Placed, Trouble
from bot.job import Job, State
from bot.model import Request, Stage
from bot.words import count

CANCELLED = {
    Cancelled.DONE: "Job {job} is cancelled.",
    Cancelled.RUNS: "Job {job} was told to stop; Slurm is ending it.",
    Cancelled.ENDED: "Job {job} had already ended; nothing was changed.",
    Cancelled.UNKNOWN: "Slurm does not know job {job}, or no longer; nothing was changed.",
    Cancelled.DENIED: "Job {job} belongs to another user, so Slurm did not let the bot cancel it.",
}

RELEASED = {Cancelled.DONE: "Job {job} is released, and its nodes with it."}
"""What is said otherwise of an interactive job."""

RERUN = (
    "Run again by {who}. See the new message in the channel.",
    "Run again by {who} ({change}). See the new message in the channel.",
)
WANTED = (
    "{who} wants to run it again. See the new message in the channel.",
    "{who} wants to run it again ({change}). See the new message in the channel.",
)
"""What is said without and with a change."""

NOT_PLACED = {
    Trouble.OUTSIDE: "The cache dir lies outside the folders that may be used.",
    Trouble.FOLDER: "The cache dir cannot be written.",
    Trouble.SOURCE: "The configured source does not give the tokenizer files.",
    Trouble.TOOL: "The login node has none of curl, wget and python3.",
    Trouble.CONTENT: "What the configured source gave is not a tokenizer file.",
}


def cancelled(
    job: Job,
    cancellation: Cancellation,
    request: Request | None = None,
    left: Sequence[Job] = (),
) -> Card:
    """Say what came of a cancel; offer to end those jobs of the same launch that are left."""
    done = cancellation.outcome in {Cancelled.DONE, Cancelled.RUNS}
    words = CANCELLED if job.session is None else {**CANCELLED, **RELEASED}
    return Card(
        tone=Tone.STOPPED if done else Tone.TROUBLE,
        lead=parts.fill(words[cancellation.outcome], job=parts.job_name(job)),
        buttons=(cancel_all(request, left),) if request and left else (),
    )


def cancelled_all(outcomes: Sequence[tuple[Job, Cancellation]]) -> Card:
    """Say what came of cancelling several jobs."""
    if not outcomes:
        return Card(lead=("All its jobs have ended. There is nothing to cancel.",))
    if len(outcomes) == 1:
        return cancelled(*outcomes[0])
    good = [job for job, what in outcomes if what.outcome in {Cancelled.DONE, Cancelled.RUNS}]
    items = tuple(
        parts.fill(CANCELLED[what.outcome], job=parts.job_name(job)) for job, what in outcomes
    )
    return Card(
        tone=Tone.STOPPED if len(good) == len(outcomes) else Tone.TROUBLE,
        lead=(f"{len(good)} of {count(len(outcomes), 'job')} cancelled.",),
        parts=(Bullets(items=items),),
    )


def nothing_to_cancel(job: Job, later: Job | None = None) -> Card:
    """Say how a job had ended before, or that sight of it was lost.

    `later` is a further attempt of the same launch, which has not ended.
    """
    if later is not None:
        words = " Attempt {nth} of {of} is job {job}; this ends it: {line}"
        line = Mono(text=f"/slurm cancel {later.id}")
        attempt = parts.fill(words, nth=str(later.nth), of=str(later.of), job=later.id, line=line)
        return Card(lead=(f"Job {job.id} has ended. ", *ending(job), *attempt))
    if job.seen.state is State.LOST:
        return Card(lead=(f"Job {job.id}: ", *sentence(job), " There is nothing to cancel."))
    return Card(lead=(f"Job {job.id} has ended. ", *ending(job), " There is nothing to cancel."))


def stopped_retrying(job: Job, attempt: Request) -> Card:
    """Say that a job that had ended is not run again."""
    return Card(
        tone=Tone.STOPPED,
        lead=(f"Job {job.id} has ended. ", *ending(job), " ", *became(attempt)),
    )


def rerun(request: Request, job: Job | None = None) -> Text:
    """Say that it runs again, or that this is asked for, and what is different."""
    if request.retry is not None:
        return became(request, job.id if job else "")
    asked = request.stage is Stage.PROPOSED
    words = (WANTED if asked else RERUN)[bool(request.change)]
    told = parts.fill(words, who=Person(user=request.caller.user), change=request.change)
    return (*told, f" It is job {job.id}.") if job else told


def settled(card: Card, note: Text) -> Card:
    """Return a card whose remedies are spent: what was done stands where they were."""
    kept = tuple(button for button in card.buttons if button.action == SHOW_LOG)
    return card.model_copy(update={"buttons": kept, "pick": None, "foot": (note, *card.foot)})


def released(job: Job, by: str, away_from: str) -> Card:
    """Say that a held job may start, and where it will not."""
    keeps = parts.fill(" It keeps away from {node}.", node=Mono(text=away_from))
    lead = parts.fill("Job {job} was released by {who}.", job=job.id, who=Person(user=by))
    return Card(tone=Tone.WAITING, lead=(*lead, *(keeps if away_from else ())))


def freed(job: Job, by: str) -> Card:
    """Say that a job no longer waits for others of its name."""
    words = "Job {job} no longer waits for others of its name, as {who} wished."
    return Card(tone=Tone.WAITING, lead=parts.fill(words, job=job.id, who=Person(user=by)))


def tokenizer(placed: Placed, by: str) -> Card:
    """Say which files now lie in the cache."""
    files = zip(FILES, placed.sizes, strict=True)
    return Card(
        tone=Tone.DONE,
        lead=parts.fill(
            "The tokenizer files are in place, put there by {who}.", who=Person(user=by)
        ),
        parts=(
            Bullets(
                items=tuple(
                    (Mono(text=f"{placed.folder}/{name}"), f", {size:,} bytes, from {source}")
                    for (source, name), size in files
                )
            ),
        ),
    )


def no_tokenizer(problem: NotPlaced) -> str:
    """Say why the tokenizer files are not in place."""
    return f"{NOT_PLACED[problem.why]} {problem.detail}".strip()
