"""One cluster, through its login node, as the bot uses it: settings, rules, and recent looks."""

from __future__ import annotations

import asyncio
import getpass
import logging
import posixpath
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeVar

from bot.cluster import secret_files, slurm
from bot.cluster.login import Health
from bot.cluster.manuals import manual
from bot.cluster.ssh_line import ssh_line
from bot.cluster.together import together
from bot.cluster_settings import ClusterSettings
from bot.errors import FieldError, InputRefused
from bot.leaks import LEAKS
from bot.manual import Manual
from bot.model import Launch, PartitionState, Request
from bot.policy import Policy
from bot.ports import Cluster, Output, Query
from bot.secret import Secret
from bot.workload import Program, Site, Workload

logger = logging.getLogger(__name__)

T = TypeVar("T")
FRESH = 15.0
"""Seconds for which a look at the partitions serves everybody."""


def _unknown() -> Health:
    return Health(None, None)


class LoginNode:
    """A cluster with its settings and rules."""

    def __init__(  # noqa: PLR0913  # each is a part of it
        self,
        *,
        settings: ClusterSettings,
        policy: Policy,
        cluster: Cluster,
        secrets: Mapping[str, Secret] | None = None,
        health: Callable[[], Health] = _unknown,
        again: Callable[[], AbstractAsyncContextManager[Cluster]] | None = None,
        admin_channel: str = "",
    ) -> None:
        self.settings = settings
        self.policy = policy
        self.secrets = secrets or {}
        """What launches find in their environment, by name."""
        self.health = health
        """How the connection has been."""
        self.again = again
        """Makes another connection, which may arrive at another host of the same name."""
        self.admin_channel = admin_channel
        """Where its administrators read; empty where nobody is told."""
        self._cluster = cluster
        self._putting = asyncio.Lock()
        self._partitions: tuple[PartitionState, ...] = ()
        self._looked = float("-inf")
        self._home = settings.home or ""
        self._python: str | None = None if settings.own_python else ""
        self._accounts: dict[str, str] = {}
        self._manuals: dict[Program, Manual] = {}

    @property
    def name(self) -> str:
        """Its name in the configuration."""
        return self._cluster.name

    @property
    def ssh_line(self) -> str:
        """What people type to get to the login node."""
        settings = self.settings
        return settings.ssh_line or ssh_line(
            user=settings.user or getpass.getuser(),
            host=settings.host,
            port=settings.port,
            proxy_jump=settings.proxy_jump,
            proxy_command=settings.proxy_command,
        )

    async def run(self, query: Query[T]) -> T:
        """Ask the cluster."""
        return await self._cluster.run(query)

    async def site(self) -> Site:
        """Return what launches must know of the cluster, its home folder included."""
        if not self._home or self._python is None:
            there = await self.run(home(self.settings.own_python))
            self._home = self._home or there[0]
            self._python = there[1]
        known = {"home": self._home} | ({"python": self._python} if self._python else {})
        return self.settings.site.model_copy(update=known)

    def forget_python(self) -> None:
        """Look again for the environment that set-up makes."""
        if self.settings.own_python:
            self._python = None

    async def account(self, uid: str) -> str:
        """Return the name of the account with this number, or the number."""
        if uid not in self._accounts:
            self._accounts[uid] = await self.run(account_name(uid))
        return self._accounts[uid]

    async def roots(self) -> tuple[str, ...]:
        """Return the absolute folders below which logs, scripts and work directories may lie."""
        site = await self.site()
        return tuple(site.path(root) for root in self.settings.all_roots)

    async def spec(self, workload: Workload[Any], request: Request) -> Launch:
        """Return what runs on the login node for a request."""
        options = workload.model.model_validate(request.options)
        site = (await self.site()).model_copy(update={"flags": request.flags})
        spec = workload.launch(options, site)
        return spec.model_copy(update={"files": request.files})

    async def lacking(self, workload: Workload[Any], request: Request) -> frozenset[str]:
        """Return the names of secrets that the launch would have been given, had the bot them."""
        held = {name for name, secret in self.secrets.items() if secret.value is not None}
        absent = frozenset({leak.name for leak in LEAKS if leak.name} - held)
        return absent if absent and (await self.spec(workload, request)).secrets else frozenset()

    async def put_secrets(self, auth: str = "") -> bool:
        """Make the cluster hold the secrets that are configured, and no others.

        They lie in a file of ours, and in NeMo-RL's own when its path is given as `auth`. False
        when all was so already; raises ClusterError.
        """
        held = {
            name: secret.value.get_secret_value()
            for name, secret in self.secrets.items()
            if secret.value is not None
        }
        path = posixpath.join((await self.site()).home, secret_files.OWN)
        async with self._putting:
            changed = await self._cluster.rewrite(path, secret_files.own(held))
            if auth:
                changed |= await self._cluster.rewrite(auth, secret_files.auth(held))
        if changed:
            extra = {"action": "secrets_put", "cluster": self.name, "names": sorted(held)}
            logger.info("the secrets on the cluster were renewed", extra=extra)
        return changed

    async def asking(self, query: Query[T], program: Program | None) -> tuple[T, Manual]:
        """Ask, and in the same round trip what a launcher takes, unless that is known."""
        if program is None:
            return await self.run(query), Manual()
        known = self._manuals.get(program, Manual())
        answer, found = await self.run(together(query, manual(program, known)))
        self._manuals[program] = found
        return answer, found

    async def renew_secrets(self) -> bool:
        """Put them as above, and into NeMo-RL's own file if there is one already."""
        site = await self.site()
        path = posixpath.join(site.path(site.nemo_rl_dir), secret_files.AUTH)
        (seen,) = await self.run(secret_files.look((), (path,)))
        return await self.put_secrets(path if seen.kind is secret_files.Kind.FILE else "")

    async def partitions(self, *, within: float = FRESH) -> tuple[PartitionState, ...]:
        """Return the partitions as seen at most `within` seconds ago."""
        if time.monotonic() - self._looked > within:
            self._partitions = await self.run(slurm.partitions())
            self._looked = time.monotonic()
        return self._partitions

    async def partition(self, name: str) -> PartitionState | None:
        """Return one partition, or None; a name seen as unknown is looked up again at once."""
        for within in (FRESH, 0.0):
            for partition in await self.partitions(within=within):
                if partition.name == name:
                    return partition
        return None

    async def default_partition(self) -> PartitionState:
        """Return where jobs go that name none: the configured one, else Slurm's own default."""
        wished = self.settings.default_partition
        partitions = await self.partitions()
        for partition in partitions:
            if partition.name == wished or (not wished and partition.default):
                return partition
        names = ", ".join(f"`{partition.name}`" for partition in partitions)
        problem = f"{self.name} has no partition for jobs that name none"
        raise InputRefused((FieldError("partition", problem, f"There is {names}"),))


_HOME = """
printf '%s\\n' "${HOME:-/}"
case $1 in
  '~'/* | '$HOME'/*) set -- "$HOME/${1#*/}" ;;
esac
[ -n "$1" ] && [ -x "$1" ] && printf '%s\\n' "$1"
exit 0
"""


def home(python: str = "") -> Query[tuple[str, str]]:
    """Ask for the login account's home folder, and for this python as far as it is there."""

    def parse(output: Output) -> tuple[str, str]:
        first, *rest = output.stdout.strip().splitlines() or ["/"]
        return first, rest[0] if rest else ""

    return Query(_HOME, parse, (python,), name="home")


def account_name(uid: str) -> Query[str]:
    """Ask what an account is called; the number itself when nobody knows."""
    return Query('id -nu -- "$1" 2>/dev/null || printf %s "$1"', _line, (uid,), name="id")


def _line(output: Output) -> str:
    return output.stdout.strip()
