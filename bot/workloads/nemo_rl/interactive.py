"""An idle NeMo-RL cluster to work in: `launch.sh --interactive`."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from bot.duration import duration, written
from bot.errors import FieldError, InputRefused
from bot.job import EXTENSION
from bot.model import Launch, PartitionState
from bot.options import flag
from bot.shapes import Duration
from bot.words import duration as in_words
from bot.workload import Fitted, Found, Need, Site, Workload
from bot.workloads.nemo_rl import launcher
from bot.workloads.nemo_rl.launcher import RlJob

ROOM = 2 * EXTENSION
"""What Slurm's time limit leaves for extensions when none was asked for."""


class NemoRlInteractive(RlJob):
    """One interactive cluster."""

    expires: Annotated[
        Duration | None,
        flag(
            "--expires",
            metavar="TIME",
            help="how long after its start it is released: `90m`, `8h`; by default the cluster's",
        ),
    ] = None


def complete(options: NemoRlInteractive, site: Site) -> NemoRlInteractive:
    """Write in the site's defaults."""
    expires = options.expires or written(site.session_expires)
    return launcher.complete(options, site).model_copy(update={"expires": expires})


def launch(options: NemoRlInteractive, site: Site) -> Launch:
    """Return the documented call of `sbatch`."""
    run = complete(options, site)
    return launcher.launch(run, site, (run.habits.interactive,))


def needs(options: NemoRlInteractive, site: Site) -> tuple[Need, ...]:
    """Name what a launch reads."""
    del options
    return launcher.needs(site)


def fit(options: NemoRlInteractive, found: Found) -> Fitted[NemoRlInteractive]:
    """Return the options as the launcher on the cluster takes them."""
    return launcher.fit(options, found, "interactive")


def within(options: NemoRlInteractive, partition: PartitionState) -> NemoRlInteractive:
    """Return the options with a time limit, so that Slurm too releases it one day.

    Raises InputRefused when the partition, or the limit that was asked for, does not last.
    """
    stay = staying(options)
    longest = partition.max_time
    limit = duration(options.time) if options.time else None
    if limit is None:
        limit = stay + ROOM if longest is None else min(stay + ROOM, longest)
    if stay > limit:
        ends = f"`{partition.name}` runs jobs for at most {in_words(limit)}"
        if options.time:
            ends = f"Its time limit is {in_words(limit)}"
        problem = f"{ends}, so it cannot stay for {in_words(stay)}"
        raise InputRefused(
            (FieldError("expires", problem, f"Add `--expires {_typed(limit)}` or less"),)
        )
    return options.model_copy(update={"time": written(limit)})


def _typed(limit: timedelta) -> str:
    hours, rest = divmod(int(limit.total_seconds()), 3600)
    return f"{hours}h" if not rest else f"{int(limit.total_seconds()) // 60}m"


def heading(options: NemoRlInteractive) -> str:
    """Return what it is, and the name that it was given."""
    kind = "Interactive NeMo-RL cluster"
    return f"{kind}: {options.job_name}" if options.job_name else kind


def staying(options: NemoRlInteractive) -> timedelta:
    """Return how long after its start it is released."""
    return (duration(options.expires) if options.expires else None) or timedelta(hours=8)


INTERACTIVE = Workload(
    name="nemo-rl interactive",
    summary="Get an idle NeMo-RL cluster to work in, and the line that leads into it",
    model=NemoRlInteractive,
    complete=complete,
    resources=launcher.resources,
    batch=launcher.LAUNCHER,
    launch=launch,
    title=lambda options: options.job_name or "interactive",
    heading=heading,
    needs=needs,
    fit=fit,
    within=within,
    stay=staying,
    follows=(("partition", "cluster_type"),),
    examples=("/nemo-rl interactive -N 2 -p a3m", "/nemo-rl interactive --expires 2h"),
)
