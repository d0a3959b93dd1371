"""A job's checkpoints as people read them: the newest whole one first, and how it is used."""

from __future__ import annotations

from collections.abc import Sequence

from bot.card import Card, Excerpt, Fact, Moment, Mono, Paragraph, Part, Table, Tone
from bot.cards import parts
from bot.cluster.checkpoints import Checkpoint, Found
from bot.job import Job, State
from bot.words import count, storage

ROWS = 12

USE = {
    "NeMo-RL": (
        "A requeue of this job goes on from it by itself. Another job does when its"
        " checkpointing.checkpoint_dir is the folder that holds it. As a Hugging Face model:"
    ),
    "NeMo": "A recipe goes on from it when its resume settings name this path.",
    "Megatron-LM": "A run goes on from it when --load names the folder that holds it.",
}
"""How a checkpoint of each trainer is used."""


def checkpoints_card(job: Job, found: Found) -> Card:
    """Return the checkpoints; `found` holds at least one."""
    whole = found.whole
    if not whole:
        [first, *_] = found.checkpoints
        return Card(
            tone=Tone.TROUBLE if job.seen.state.ended else Tone.WORKING,
            lead=(f"Job {job.id} has no whole checkpoint.",),
            parts=tuple(_partial(job, found.checkpoints)),
            foot=((Mono(text=first.path),),),
        )
    newest = whole[0]
    lead = "Job {job} has {number}. The newest is of step {step}."
    if len(whole) == 1:
        lead = "Job {job} has {number}, of step {step}."
    return Card(
        lead=parts.fill(
            lead, job=job.id, number=count(len(whole), "whole checkpoint"), step=f"{newest.step:,}"
        ),
        facts=(
            Fact(label="Path", value=(Mono(text=newest.path),)),
            Fact(label="Size", value=(_size(newest),)),
            Fact(label="Written", value=(Moment(at=newest.written),)),
        ),
        parts=(*_others(whole[1:]), *_partial(job, found.checkpoints), *_use(newest)),
        foot=() if _own(job, newest.path) else ((SHARED,),),
    )


SHARED = "Other jobs may save into the same folder: look at when each was written."


def _own(job: Job, path: str) -> bool:
    """Whether the folder is the job's alone."""
    return f"/{job.id}/" in path or "/experiments/" in path


def _others(older: Sequence[Checkpoint]) -> list[Part]:
    if not older:
        return []
    rows = tuple(
        (one.name, _size(one), f"{one.written:%Y-%m-%d %H:%M} UTC") for one in older[:ROWS]
    )
    return [Table(head=("Older", "Size", "Written"), rows=rows)]


def _partial(job: Job, found: Sequence[Checkpoint]) -> list[Part]:
    """Name what is being written, or was never finished."""
    names = [Mono(text=one.name) for one in found if not one.whole][:3]
    if not names:
        return []
    words = "{name} is being written." if job.seen.state is State.RUNNING else NEVER
    return [Paragraph(text=parts.fill(words, name=name)) for name in names]


NEVER = "{name} was never finished and cannot be used."


def _use(newest: Checkpoint) -> list[Part]:
    said: list[Part] = [Paragraph(text=(USE[newest.trainer],))]
    if newest.trainer == "NeMo-RL":
        said.append(
            Excerpt(
                text="uv run examples/converters/convert_dcp_to_hf.py"
                f" --config {newest.path}/config.yaml"
                f" --dcp-ckpt-path {newest.path}/policy/weights --hf-ckpt-path {newest.path}/hf"
            )
        )
    return said


def _size(checkpoint: Checkpoint) -> str:
    return "not known" if checkpoint.kilobytes is None else storage(checkpoint.kilobytes * 1024)


def no_checkpoints(job: Job, folders: Sequence[str]) -> Card:
    """Say that there is none, and where was looked."""
    seen = job.seen
    if seen.state is State.PENDING and job.attempt == 1:
        return Card(lead=(f"Job {job.id} has not started, so it has no checkpoint.",))
    words = "wrote no checkpoint" if seen.state.ended else "has written no checkpoint yet"
    where = tuple(("Looked in ", Mono(text=folder)) for folder in folders[:5])
    return Card(
        lead=(f"Job {job.id} {words}.",),
        foot=where or ((NOWHERE,),),
    )


NOWHERE = "No folder of checkpoints is known for it, and its log names none."


def before_its_folder(job: Job, output: Card) -> Card:
    """Say that a job ended before its folder was made, and show Slurm's output."""
    lead = f"Job {job.id} ended before it made a folder for checkpoints. Slurm's own output says:"
    return output.model_copy(update={"lead": (lead,)})
