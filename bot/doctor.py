"""Checks the configuration and all that it rests on; every red line says what mends it."""

from __future__ import annotations

from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path

import yaml

from bot.check import Check, check
from bot.cluster import slurm
from bot.cluster.probe import PROGRAMS, Ground, probe
from bot.errors import ClusterError, ConfigError, StoreFailed
from bot.login_node import LoginNode
from bot.settings import Settings
from bot.store.sql_store import SqlStore
from bot.wiring import login_nodes
from bot.words import duration
from handlers.checkup import checkup

MANIFEST = Path(__file__).parents[1] / "manifest.yml"
ROOM_KB = 100_000
"""Free space that spools and their receipts want."""
MEMORY = timedelta(seconds=60)
"""How long Slurm should remember an ended job, so that no tick misses it."""


async def examine(settings: Settings) -> tuple[Check, ...]:
    """Look at Slack, the database and each cluster."""
    checks = await checkup(settings.slack, _scopes())
    checks.append(await _database(settings))
    if not settings.clusters:
        fix = "Describe one under [clusters.NAME], as in sbatchat.example.toml."
        checks.append(Check("clusters", ok=False, detail="none is configured", fix=fix))
    async with AsyncExitStack() as stack:
        for node in (await login_nodes(settings, stack)).values():
            checks += await cluster(node)
    return tuple(checks)


def _scopes() -> list[str]:
    manifest = yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))
    return list(manifest["oauth_config"]["scopes"]["bot"])


async def _database(settings: Settings) -> Check:
    try:
        async with SqlStore(settings.store.url, patience=0.5) as store:
            await store.audit(1)
    except (ConfigError, StoreFailed) as error:
        if "another" in error.sentence:
            return Check("database", ok=True, detail="in use by a running bot")
        fix = "Name a database that can be written under [store] url."
        return Check("database", ok=False, detail=error.sentence, fix=fix)
    return Check("database", ok=True, detail="can be written")


async def cluster(node: LoginNode) -> list[Check]:
    """Look at one cluster; without a connection there is one check."""
    name = node.name
    allow = node.settings.allow
    checks = [
        check(
            f"{name}.allow",
            allow.users and allow.channels,
            f"{len(allow.users)} users, {len(allow.channels)} channels",
            f"Nobody may use {name} until clusters.{name}.allow names users and channels.",
        )
    ]
    try:
        site = await node.site()
        image = site.path(site.image, site.images or site.nemo_dir)
        cache = site.path(site.cache_dir)
        ground = await node.run(probe(site.path(site.nemo_dir), image, cache))
    except ClusterError as error:
        fix = f"Check host, port, user, key and known_hosts under clusters.{name}."
        return [*checks, Check(f"{name}.reach", ok=False, detail=error.sentence, fix=fix)]
    checks.append(Check(f"{name}.reach", ok=True, detail=f"{node.settings.host} as {ground.host}"))
    checks += _ground(name, ground)
    checks += _recipes(name, node, ground)
    return [*checks, *await _slurm(node)]


def _ground(name: str, ground: Ground) -> list[Check]:
    lacking = [program for program in PROGRAMS if program not in ground.programs]
    room = ground.free_kb is None or ground.free_kb >= ROOM_KB
    free = "unknown" if ground.free_kb is None else f"{ground.free_kb // 1024:,} MB free"
    return [
        check(
            f"{name}.programs",
            not lacking,
            f"lacks {', '.join(lacking)}" if lacking else "all there",
            f"Add their folders under clusters.{name}.path or slurm_bin, or install util-linux.",
        ),
        check(
            f"{name}.home",
            ground.writable and room,
            f"{ground.home} ({ground.kind}), {free}",
            "Make room in the home folder, or make it writable: launches keep their spool there.",
        ),
        check(
            f"{name}.locks",
            ground.locks,
            "flock works in the home folder" if ground.locks else "flock does not work there",
            "Use a home folder with file locks (NFS 4, or 3 with lockd).",
        ),
        check(
            f"{name}.spool",
            ground.mode in {"700", ""},
            f"~/.sbatchat has mode {ground.mode or 'none yet'}",
            "chmod 700 ~/.sbatchat on the login node.",
        ),
        check(
            f"{name}.logout",
            not ground.kills,
            "what a login leaves behind is ended" if ground.kills else "detached runners live on",
            "Set KillUserProcesses=no in logind.conf, or enable lingering for the account.",
        ),
    ]


def _recipes(name: str, node: LoginNode, ground: Ground) -> list[Check]:
    nemo = node.settings.nemo
    checks = [
        check(
            f"{name}.recipes",
            ground.recipes,
            f"{nemo.dir} at {ground.commit or 'no commit'}" if ground.recipes else nemo.dir,
            f"Clone the recipes, or name their folder under clusters.{name}.nemo.dir; "
            "batch scripts work without.",
        )
    ]
    if nemo.image:
        fix = f"Copy the image there, or name another under clusters.{name}.nemo.image."
        checks.append(check(f"{name}.image", ground.image, nemo.image, fix))
    if nemo.cache_dir:
        fix = "Name a folder that the login account can write."
        checks.append(check(f"{name}.cache", ground.cache, nemo.cache_dir, fix))
    return checks


async def _slurm(node: LoginNode) -> list[Check]:
    name = node.name
    try:
        config = await node.run(slurm.config())
        partitions = await node.partitions()
    except ClusterError as error:
        fix = "Ask the cluster's administrators; nothing can be launched meanwhile."
        return [Check(f"{name}.slurm", ok=False, detail=error.sentence, fix=fix)]
    up = [partition.name for partition in partitions if partition.up]
    wished = node.settings.default_partition
    return [
        Check(f"{name}.slurm", ok=True, detail=f"{config.version}, cluster {config.cluster}"),
        check(
            f"{name}.partitions",
            up and (not wished or wished in up),
            ", ".join(up) or "none is up",
            f"Name one of these under clusters.{name}.default_partition.",
        ),
        check(
            f"{name}.accounting",
            config.accounting,
            "on" if config.accounting else "off",
            "Without accounting a job that ends unseen is `lost sight`, never known to have ended.",
        ),
        check(
            f"{name}.comments",
            config.keeps_comments or not config.accounting,
            "kept" if config.keeps_comments else "not kept by accounting",
            "Set AccountingStoreFlags=job_comment, so that a submission whose answer was lost can "
            "be found after the job has ended.",
        ),
        check(
            f"{name}.memory",
            config.min_job_age >= MEMORY,
            f"MinJobAge {duration(config.min_job_age)}",
            "Raise MinJobAge to at least 60 s.",
        ),
    ]
