"""How the clusters are, all asked at once: one that is dead delays no other."""

from __future__ import annotations

import asyncio
import time

from bot.card import Card
from bot.cards.clusters import Standing, clusters_card
from bot.cluster.glance import glance, ping
from bot.cluster_settings import ClusterSettings
from bot.errors import ClusterError, NotAllowed
from bot.login_node import LoginNode
from bot.model import Act
from bot.service.service import Service

PATIENCE = 5.0
"""Seconds that each cluster has for its answer."""


async def show(service: Service, act: Act, named: str = "", *, patience: float = PATIENCE) -> Card:
    """Show those clusters that the caller may use from here; raises NotAllowed without any."""
    allowed, refused = [], None
    for node in (service.node(act, named),) if named else service.nodes.values():
        try:
            node.policy.admit(act.caller)
        except NotAllowed as error:
            refused = error
        else:
            allowed.append(node)
    if not allowed:
        raise refused or NotAllowed("No cluster is configured")
    standings = await asyncio.gather(*(_standing(node, patience) for node in allowed))
    default = service.default_cluster(act)
    names = {node.name for node in allowed}
    return clusters_card(standings, default if default in names else "")


async def _standing(node: LoginNode, patience: float) -> Standing:
    """Ask one cluster; whatever comes of it is an answer."""
    latency = seen = None
    trouble = ""
    try:
        async with asyncio.timeout(patience):
            await node.run(ping())  # may have to connect, which is no measure of the way
            began = time.monotonic()
            await node.run(ping())
            latency = time.monotonic() - began
            seen = await node.run(glance())
    except TimeoutError:
        trouble = "Slurm gave no answer" if latency is not None else "there was no answer"
        trouble += f" within {patience:g} s"
    except ClusterError as error:
        trouble = error.sentence
    return Standing(
        name=node.name,
        reached=reached(node.settings),
        health=node.health(),
        latency=latency,
        glance=seen,
        trouble=trouble,
    )


def reached(settings: ClusterSettings) -> str:
    """Say how a login node is reached, without a word on keys."""
    where = f"{settings.user}@{settings.host}" if settings.user else settings.host
    if settings.port != SSH:
        where += f":{settings.port}"
    if settings.proxy_jump:
        return f"{where}, through {settings.proxy_jump}"
    if settings.proxy_command:
        return f"{where}, through {settings.proxy_command[0].rpartition('/')[2]}"
    return where


SSH = 22
