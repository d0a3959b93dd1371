"""What a cluster must be like for the bot's work: looked at all at once, answered check by check.

Only what is configured, or there, is told of: a cluster without NeMo-RL is no sick one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Protocol, TypeVar

from bot.check import Check
from bot.checks import cloud, login_node, nemo_rl, recipes, secrets
from bot.checks.paths import image
from bot.cluster.survey import Places, Survey, Told, launcher_help, merged, recipes_server, survey
from bot.cluster.survey import cloud as ask_cloud
from bot.cluster_settings import ClusterSettings
from bot.errors import ClusterError
from bot.ports import Query
from bot.secret import Secret

__all__ = ["CHECKS", "examine"]

T = TypeVar("T")
CHECKS = (*login_node.CHECKS, *recipes.CHECKS, *nemo_rl.CHECKS, *cloud.CHECKS)
"""Each reads the surveys, and says one thing, or nothing where another said why."""


class Asked(Protocol):
    """Something that answers queries."""

    async def run(self, query: Query[T]) -> T: ...


async def examine(
    name: str, settings: ClusterSettings, cluster: Asked, held: Mapping[str, Secret]
) -> tuple[tuple[Check, ...], Survey]:
    """Look at everything side by side; raises ClusterError when the login node does not answer."""
    places = _places(settings)
    nemo = settings.nemo
    asked = [
        cluster.run(survey(places)),
        _besides(cluster, launcher_help(places), "help"),
        _besides(cluster, recipes_server(nemo.repo, nemo.branch), "git"),
    ]
    if cloud.wanted(settings):
        asked.append(_besides(cluster, ask_cloud(cloud.objects(settings)), "account"))
    first, *more = await asyncio.gather(*asked)
    seen = merged(first, *more)
    checks = (check for look in CHECKS for check in look(name, settings, seen))
    return (*checks, *secrets.checks(name, held)), seen


async def _besides(cluster: Asked, query: Query[Survey], name: str) -> Survey:
    """Ask for what may fail by itself without hiding the rest."""
    try:
        return await cluster.run(query)
    except ClusterError as error:
        return Survey({name: Told(error.sentence, 1)})


def _places(settings: ClusterSettings) -> Places:
    nemo, rl = settings.nemo, settings.nemo_rl
    return Places(
        nemo=nemo.dir,
        python=nemo.python,
        venv="" if "python" in nemo.model_fields_set else nemo.venv,
        image=image(settings),
        nemo_rl=rl.dir,
        launcher=rl.launcher,
        nemo_rl_image=rl.image,
    )
