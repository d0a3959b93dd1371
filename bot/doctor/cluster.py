"""Can a cluster be reached, and is there on it what exactly-once and watching rest on?"""

from __future__ import annotations

from collections.abc import Mapping

from bot.check import Check
from bot.checks import examine
from bot.checks.reach import host, one_host, reached, unreached
from bot.cluster.ssh import SshCluster
from bot.cluster_settings import ClusterSettings
from bot.errors import ClusterError, ConfigError
from bot.secret import Secret
from bot.wiring import login
from bot.words import count

_NO_SECRETS: Mapping[str, Secret] = {}


async def cluster_checks(
    name: str, settings: ClusterSettings, secrets: Mapping[str, Secret] = _NO_SECRETS
) -> tuple[Check, ...]:
    """Look at one cluster over a connection of its own, and at its host name over a second."""
    allowed = _allowed(name, settings)
    try:
        async with SshCluster(name, login(settings)) as first:
            checks, seen = await examine(name, settings, first, secrets)
            async with SshCluster(name, login(settings)) as second:
                again = await second.run(host())
    except (ClusterError, ConfigError) as error:
        return (unreached(name, settings, error), *allowed)
    here = reached(name, settings, seen.host)
    return (here, one_host(name, seen.host, again), *checks, *allowed)


def _allowed(name: str, settings: ClusterSettings) -> tuple[Check, ...]:
    allow = settings.allow
    title, key = f"{name}: allow", f"clusters.{name}.allow"
    if not allow.users and not allow.operators:
        fix = f"Add Slack user ids, such as U0123ABCD, to {key}.users."
        return (Check(title, ok=False, detail="nobody may use it", fix=fix),)
    people = count(len({*allow.users, *allow.operators}), "person", "people")
    if not allow.channels:
        fix = f"Add Slack channel ids, such as C0123ABCD, to {key}.channels."
        detail = f"{people}, and no channel: it can be used in direct messages only"
        return (Check(title, ok=False, detail=detail, fix=fix),)
    detail = f"{people}, {count(len(allow.channels), 'channel')}"
    return (Check(title, ok=True, detail=detail),)
