"""What is measured on: a real Slurm, a local Slack, and the bot as a process of its own."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from bot.cluster.login import Login
from bot.cluster.ssh import SshCluster
from bot.demo.cluster import ClusterAddress, EmbeddedCluster
from bot.demo.cluster.process import run
from bot.demo.demo import ROOT, BotProcess
from bot.demo.settings_file import CLUSTER, settings_file
from bot.demo.slack import people
from bot.demo.slack.interactions import Done, Interactions
from bot.demo.slack.manifest import load
from bot.demo.slack.server import LocalSlack, assemble

PEOPLE, CHANNELS = 10, 60
TICK = 1.0
"""Seconds between two looks while something is about to change: `tick_fast` of the demo."""
_CLOCK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Bot:
    """The running bot."""

    pid: int
    log: Path

    def cpu(self) -> float:
        """Seconds of processor time that it has used."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _CLOCK

    def memory(self) -> float:
        """Resident MB now."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        raise RuntimeError("the bot has ended")

    def said(self, start: int = 0) -> Iterator[dict[str, Any]]:
        """Yield the lines of its log from that byte on."""
        with self.log.open("rb") as log:
            log.seek(start)
            for line in log:
                if line.startswith(b"{") and line.endswith(b"\n"):
                    yield json.loads(line)

    def log_size(self) -> int:
        """Bytes of its log so far."""
        return self.log.stat().st_size


def moment(line: Mapping[str, Any]) -> float:
    """Return when a log line was written, in seconds since 1970."""
    return datetime.fromisoformat(line["at"]).timestamp()


@dataclass
class Stage:
    """All that a measurement needs. Each takes fresh channels, so that none waits for another."""

    directory: Path
    cluster: EmbeddedCluster
    slack: LocalSlack
    ssh: SshCluster
    """Our own connection, beside the bot's."""
    users: tuple[str, ...]
    channels: list[str]
    interactions: Interactions = field(init=False)

    def __post_init__(self) -> None:
        """Learn to act as a person."""
        self.interactions = Interactions(self.slack.platform)

    @property
    def address(self) -> ClusterAddress:
        """Where the cluster is."""
        return self.cluster.address

    @property
    def database(self) -> Path:
        """The bot's memory."""
        return self.directory / "sbatchat.db"

    def channel(self) -> str:
        """Return a channel in which nothing was said yet."""
        return self.channels.pop()

    async def type(self, channel: str, line: str, user: str = "") -> Done:
        """Type a slash command."""
        command, _, text = line.partition(" ")
        return await self.interactions.slash(user or self.users[0], channel, command, text)

    async def cold(self, command: str) -> str:
        """Run a command over a connection of its own, as `ssh HOST COMMAND` does."""
        address = self.address
        argv = ["ssh", "-F", "none", "-o", "BatchMode=yes", "-i", str(address.key)]
        argv += ["-o", f"UserKnownHostsFile={address.known_hosts}", "-p", str(address.port)]
        argv += [f"{address.user}@{address.host}", command]
        return (await run(argv, environment={"PATH": "/usr/bin:/bin"})).stdout

    @asynccontextmanager
    async def bot(self) -> AsyncIterator[Bot]:
        """Run the bot for a while."""
        log = self.directory / "bot.log"
        process = BotProcess(settings=self._settings(), slack=self.slack, log=log)
        async with process.running("--verbose") as pid:
            await self._connected()
            yield Bot(pid, log)

    def _settings(self) -> Path:
        path = self.directory / "sbatchat.toml"
        text = settings_file(
            self.address,
            database=self.database,
            users=self.users,
            channels=tuple(self.channels),
            ask_above=1e6,
        )
        path.write_text(text)
        return path

    async def _connected(self) -> None:
        """Wait until its first question to the cluster was answered: the connection is warm."""
        channel = self.channel()
        with self.slack.platform.feed.subscribe() as changes:
            await self.type(channel, "/slurm partitions")
            async with asyncio.timeout(30):
                while (await changes.get()).get("channel") != channel:
                    pass


def _clear(directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for old in directory.glob("sbatchat.db*"):
        old.unlink()


@asynccontextmanager
async def stage(directory: Path) -> AsyncIterator[Stage]:
    """Build it below `directory`, and take it down."""
    _clear(directory)
    platform = assemble(load(ROOT / "manifest.yml"))
    async with EmbeddedCluster(directory / "cluster") as cluster, LocalSlack(platform) as slack:
        users = [people.user(platform, {"name": f"person-{n}"}).id for n in range(PEOPLE)]
        members = [*users, platform.bot]
        names = [{"name": f"bench-{n}", "members": members} for n in range(CHANNELS)]
        channels = [people.channel(platform, name).id for name in names]
        address = cluster.address
        login = Login(
            host=address.host,
            port=address.port,
            user=address.user,
            known_hosts=address.known_hosts,
            keys=(address.key,),
        )
        async with SshCluster(CLUSTER, login) as ssh:
            yield Stage(
                directory=directory,
                cluster=cluster,
                slack=slack,
                ssh=ssh,
                users=tuple(users),
                channels=channels,
            )
