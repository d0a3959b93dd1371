"""What came of acting on a job."""

from __future__ import annotations

from bot.card import Bullets, Card, Mono, Person, Text, Tone
from bot.cluster.slurm import Cancellation, Cancelled
from bot.cluster.tokenizer import FILES, NotPlaced, Placed, Trouble
from bot.model import Job, Request

CANCELLED = {
    Cancelled.DONE: "is cancelled.",
    Cancelled.RUNS: "was told to stop; Slurm is ending it.",
    Cancelled.ENDED: "had ended before; nothing was changed.",
    Cancelled.UNKNOWN: "is not known to Slurm, or no longer; nothing was changed.",
    Cancelled.DENIED: "belongs to another account, so Slurm did not allow it.",
}

NOT_PLACED = {
    Trouble.OUTSIDE: "The cache dir lies outside the folders that may be used.",
    Trouble.FOLDER: "The cache dir cannot be written.",
    Trouble.SOURCE: "The configured source does not give the tokenizer files.",
    Trouble.TOOL: "The login node has none of curl, wget and python3.",
    Trouble.CONTENT: "What the configured source gave is not a tokenizer file.",
}


def cancelled(job: Job, cancellation: Cancellation) -> Card:
    """Say what came of a cancel."""
    done = cancellation.outcome in {Cancelled.DONE, Cancelled.RUNS}
    return Card(
        tone=Tone.STOPPED if done else Tone.TROUBLE,
        lead=(f"Job {job.id} ", *_named(job), CANCELLED[cancellation.outcome]),
    )


def _named(job: Job) -> Text:
    return (Mono(text=job.seen.name), " ") if job.seen.name else ()


def rerun(request: Request) -> Text:
    """Say that it runs again, and what is different."""
    change = f" with {request.change}" if request.change else " as it was"
    return ("Run again by ", Person(user=request.caller.user), f"{change}; see the new message.")


def settled(card: Card, note: Text) -> Card:
    """Return a card whose remedies are spent: what was done stands where they were."""
    kept = tuple(button for button in card.buttons if button.action == "show_log")
    return card.model_copy(update={"buttons": kept, "pick": None, "foot": (note, *card.foot)})


def tokenizer(placed: Placed, by: str) -> Card:
    """Say which files now lie in the cache."""
    files = zip(FILES, placed.sizes, strict=True)
    return Card(
        tone=Tone.DONE,
        lead=("The tokenizer files are in place, put there by ", Person(user=by), "."),
        parts=(
            Bullets(
                items=tuple(
                    (Mono(text=f"{placed.folder}/{name}"), f"  {size:,} bytes, from {source}")
                    for (source, name), size in files
                )
            ),
        ),
    )


def no_tokenizer(problem: NotPlaced) -> str:
    """Say why the tokenizer files are not in place."""
    return f"{NOT_PLACED[problem.why]} {problem.detail}".strip()
