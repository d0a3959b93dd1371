"""What a person alone is told about a launch: dry runs, wrong partitions, repeated deliveries."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from bot.card import Bullets, Card, Excerpt, Fact, Moment, Mono, Text, Tone
from bot.cards import parts
from bot.cards.mend import partition_pick
from bot.model import Launch, PartitionState, Request, Stage


def no_such_partition(request: Request, partitions: Sequence[PartitionState]) -> Card:
    """Say that a partition does not exist, which ones do, and offer them."""
    name = request.resources.partition
    free: list[Text] = [
        (Mono(text=p.name), f"  {p.free} of {p.nodes} nodes free")
        for p in sorted(partitions, key=lambda p: (-p.free, p.name))
        if p.up
    ]
    return Card(
        tone=Tone.TROUBLE,
        lead=(
            f"{request.cluster} has no partition ",
            Mono(text=name),
            ". Nothing was submitted. There is:",
        ),
        parts=(Bullets(items=tuple(free)),) if free else (),
        pick=partition_pick(request.id, partitions),
        foot=(("You typed ", Mono(text=request.typed)),),
    )


def dry_run(request: Request, launch: Launch) -> Card:
    """Show what would run, on the login node and on the cluster."""
    quote = request.quote
    start: Text = (Moment(at=quote.starts),) if quote.starts else (quote.note or "not known",)
    lines = [f"cd {shlex.quote(launch.cwd)}"] if launch.cwd else []
    lines += [f"export {name}={shlex.quote(value)}" for name, value in launch.env]
    lines.append(shlex.join(launch.argv))
    if launch.sbatch_options:
        lines.append(f"# sbatch also gets: {shlex.join(launch.sbatch_options)}")
    return Card(
        title=request.title,
        lead=(f"This would run on {request.cluster}. Nothing was submitted.",),
        facts=(
            Fact(label="Partition", value=parts.partition(request.resources, quote)),
            Fact(label="Size", value=parts.size(request.resources, quote)),
            Fact(label="Start", value=start),
        ),
        parts=(Excerpt(text="\n".join(lines)),),
        foot=tuple((note,) for note in request.notes),
    )


def already(request: Request) -> Card:
    """Say that this very act was taken before."""
    words = {
        Stage.PROPOSED: "waits in the channel for Submit or Cancel",
        Stage.ACCEPTED: "is on its way",
        Stage.SUBMITTED: "was submitted before",
        Stage.REFUSED: "was refused before",
        Stage.UNKNOWN: "was sent before, and its outcome is being looked for",
        Stage.WITHDRAWN: "was settled before",
    }
    return Card(lead=(Mono(text=request.title), f"  {words[request.stage]}."))
