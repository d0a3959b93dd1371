"""What a person alone is told about a launch: dry runs, wrong partitions, repeated deliveries."""

from __future__ import annotations

import shlex

from bot.card import Card, Excerpt, Fact, Mono, Paragraph, Tone
from bot.cards import parts
from bot.cards.case import Case
from bot.cards.mend import partition_pick
from bot.model import Launch, Request, Stage


def no_such_partition(request: Request, case: Case) -> Card:
    """Say that a partition does not exist, and offer those that do."""
    pick = partition_pick(case)
    return Card(
        tone=Tone.TROUBLE,
        lead=parts.fill(
            "{cluster} has no partition {name}. Nothing was submitted.",
            cluster=request.cluster,
            name=Mono(text=request.resources.partition),
        ),
        parts=() if pick else (Paragraph(text=("All its partitions are down.",)),),
        pick=pick,
        foot=(("You typed ", Mono(text=request.typed)),),
    )


def taken_on() -> Card:
    """Say, where a control stood, that it was used."""
    return Card(lead=("Taken on. The message in the channel says how it goes.",))


def dry_run(request: Request, launch: Launch) -> Card:
    """Show what would run, on the login node and on the cluster."""
    quote = request.quote
    refused = quote.starts is None and not quote.silence
    lead = f"This would run on {request.cluster}. Nothing was submitted."
    if refused:
        lead = "Nothing was submitted. Slurm gives no start for this."
    return Card(
        title=parts.heading(request),
        tone=Tone.TROUBLE if refused else Tone.PLAIN,
        lead=(lead,),
        facts=(
            Fact(label="Partition", value=parts.partition(request.resources, quote)),
            Fact(label="Size", value=parts.size(request.resources, quote)),
            *parts.stays(request),
            *parts.start(quote),
        ),
        parts=(Excerpt(text=_commands(launch)), *parts.copies(request)),
        foot=tuple((note,) for note in request.notes),
    )


def _commands(launch: Launch) -> str:
    lines = [f"cd {shlex.quote(launch.cwd)}"] if launch.cwd else []
    lines += [f"export {name}={shlex.quote(value)}" for name, value in launch.env]
    if launch.folders:
        lines.append(f"mkdir -p {shlex.join(launch.folders)}")
    lines.append(shlex.join(launch.argv))
    if launch.sbatch_options:
        lines.append(f"# sbatch also gets: {shlex.join(launch.sbatch_options)}")
    return "\n".join(lines)


ALREADY = {
    Stage.PROPOSED: "{title} waits in the channel for Submit or Cancel.",
    Stage.WAITING: "{title} waits for its next attempt.",
    Stage.ACCEPTED: "{title} is being submitted.",
    Stage.SUBMITTED: "{title} was already submitted.",
    Stage.REFUSED: "{title} was already refused.",
    Stage.UNKNOWN: "{title} was already sent, and its outcome is being looked for.",
    Stage.WITHDRAWN: "{title} was already withdrawn.",
}


def already(request: Request) -> Card:
    """Say that this very act was taken before."""
    return Card(lead=parts.fill(ALREADY[request.stage], title=Mono(text=request.title)))
