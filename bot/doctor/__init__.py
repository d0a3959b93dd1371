"""Is everything there that the bot rests on? Each answer that is no says what to do."""

from __future__ import annotations

import asyncio

from bot.check import Check
from bot.doctor.cluster import cluster_checks
from bot.doctor.slack import slack_checks
from bot.doctor.store import store_check
from bot.settings import Settings

__all__ = ["Check", "examine"]


async def examine(settings: Settings) -> tuple[Check, ...]:
    """Look at Slack, the database and every cluster, all at once.

    Leaves nothing behind but an empty `~/.sbatchat` on the cluster and up-to-date tables.
    """
    groups = await asyncio.gather(
        slack_checks(settings),
        store_check(settings.store.url),
        *(
            cluster_checks(name, cluster, settings.secrets_of(name))
            for name, cluster in settings.clusters.items()
        ),
    )
    found = [check for group in groups for check in group]
    if not settings.clusters:
        fix = "Add a section [clusters.NAME] with `host`; sbatchat.example.toml shows one."
        found.append(Check("clusters", ok=False, detail="none is configured", fix=fix))
    return tuple(found)
