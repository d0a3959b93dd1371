"""The subcommands of /slurm."""

from __future__ import annotations

from bot.card import Card
from bot.grammar import Parsed
from bot.grammar.jobs import Cancel, Checkpoints, Jobs, Logs, Rerun, Status, Why
from bot.model import Act
from bot.service import Service, checkpoints, logs, mends, views
from handlers.commands.command import Run, options


async def partitions(service: Service, act: Act, parsed: Parsed) -> Card:
    """Show partitions."""
    return await views.partitions(service.node(act, parsed.cluster))


async def jobs(service: Service, act: Act, parsed: Parsed) -> Card:
    """List jobs."""
    node = service.node(act, parsed.cluster)
    return await views.jobs(service, act, node, options(parsed, Jobs).which)


async def status(service: Service, act: Act, parsed: Parsed) -> Card:
    """Show one job."""
    node = service.node(act, parsed.cluster)
    return await views.status(service, act, node, options(parsed, Status).job)


async def show_log(service: Service, act: Act, parsed: Parsed) -> Card:
    """Show the end of a log."""
    node, asked = service.node(act, parsed.cluster), options(parsed, Logs)
    job = await views.any_job(service, act, node, asked.job)
    source, _, number = (asked.source or "").partition("-")
    wish = logs.Wish(
        lines=asked.lines,
        source=source,
        worker=int(number) if number else None,
        grep=asked.grep or "",
        attempt=asked.attempt,
    )
    return await logs.show(node, job, wish)


async def show_checkpoints(service: Service, act: Act, parsed: Parsed) -> Card:
    """Show what a job has saved."""
    node, asked = service.node(act, parsed.cluster), options(parsed, Checkpoints)
    return await checkpoints.show(node, await views.any_job(service, act, node, asked.job))


async def why(service: Service, act: Act, parsed: Parsed) -> Card:
    """Say why a job waits or failed."""
    node = service.node(act, parsed.cluster)
    job = await views.any_job(service, act, node, options(parsed, Why).job)
    return await views.why(service, node, job)


async def cancel(service: Service, act: Act, parsed: Parsed) -> Card:
    """Cancel a job."""
    node = service.node(act, parsed.cluster)
    job = await views.any_job(service, act, node, options(parsed, Cancel).job)
    return await mends.cancel(service, act, node, job)


async def rerun(service: Service, act: Act, parsed: Parsed) -> Card | None:
    """Submit a job again, with changes."""
    node, asked = service.node(act, parsed.cluster), options(parsed, Rerun)
    job = await views.any_job(service, act, node, asked.job)
    return await mends.rerun(
        service, act, job, asked.changes, request_id=act.id, dry_run=asked.dry_run
    )


SLURM: dict[str, Run] = {
    "slurm partitions": partitions,
    "slurm jobs": jobs,
    "slurm status": status,
    "slurm logs": show_log,
    "slurm checkpoints": show_checkpoints,
    "slurm why": why,
    "slurm cancel": cancel,
    "slurm rerun": rerun,
}
