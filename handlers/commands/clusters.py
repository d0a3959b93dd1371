"""The subcommands of /slurm that are about clusters rather than jobs."""

from __future__ import annotations

from bot.card import Card
from bot.grammar import Parsed
from bot.model import Act
from bot.service import Service, clusters, doctor, secrets
from handlers.commands.command import Run


async def show_clusters(service: Service, act: Act, parsed: Parsed) -> Card:
    """Show how the clusters are."""
    return await clusters.show(service, act, parsed.cluster)


async def look_over(service: Service, act: Act, parsed: Parsed) -> None:
    """Look at a cluster from top to bottom."""
    await doctor.show(service, act, service.node(act, parsed.cluster))


async def show_secrets(service: Service, act: Act, parsed: Parsed) -> Card:
    """Show how the secrets are."""
    return await secrets.show(service, service.node(act, parsed.cluster))


CLUSTERS: dict[str, Run] = {
    "slurm clusters": show_clusters,
    "slurm doctor": look_over,
    "slurm secrets": show_secrets,
}
