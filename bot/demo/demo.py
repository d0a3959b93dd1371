"""The demo: a real cluster, a local Slack, and the bot as a process of its own between them."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.demo.cluster import ClusterAddress, EmbeddedCluster
from bot.demo.settings_file import settings_file
from bot.demo.slack.manifest import load
from bot.demo.slack.server import LocalSlack, assemble
from bot.demo.slack.workspace import ADMIN, RESEARCHER, TRAINING

ROOT = Path(__file__).parents[2]
STOPPING = 10.0
"""Seconds that the bot may take to stop by itself."""


@dataclass(frozen=True)
class DemoAddress:
    """Where everything is; one line of JSON for scripts."""

    page: str
    cluster: ClusterAddress

    def as_json(self) -> dict[str, object]:
        """The form that scripts read."""
        cluster = self.cluster.as_json()
        return {
            "page": self.page,
            "local": f"{self.page}_local/",
            "channel": TRAINING,
            "user": RESEARCHER,
            "admin": ADMIN,
            "ssh": cluster["ssh"],
            "slurm_conf": cluster["slurm_conf"],
        }


@asynccontextmanager
async def demo(directory: Path) -> AsyncIterator[DemoAddress]:
    """Run it all, afresh, below `directory`; on the way out nothing is left running."""
    async with AsyncExitStack() as stack:
        say("Starting Slurm, its accounting and sshd (about 10 s) …")
        cluster = await stack.enter_async_context(EmbeddedCluster(directory / "cluster"))
        slack = await stack.enter_async_context(LocalSlack(assemble(load(ROOT / "manifest.yml"))))
        for left in directory.glob("sbatchat.*"):
            left.unlink()
        settings = directory / "sbatchat.toml"
        settings.write_text(settings_file(cluster.address, database=directory / "sbatchat.db"))
        bot = BotProcess(settings=settings, slack=slack, log=directory / "bot.log")
        await stack.enter_async_context(bot.running())
        yield DemoAddress(page=slack.page, cluster=cluster.address)


class BotProcess:
    """`python -m bot run`, pointed at a local Slack."""

    def __init__(self, *, settings: Path, slack: LocalSlack, log: Path) -> None:
        identity = slack.platform.identity
        self._log = log
        self._environment = {
            **{name: value for name, value in os.environ.items() if name[:6] != "SLACK_"},
            "SBATCHAT_CONFIG": str(settings),
            "SLACK_API_URL": slack.api,
            "SLACK_BOT_TOKEN": identity.bot_token,
            "SLACK_APP_TOKEN": identity.app_token,
        }

    @asynccontextmanager
    async def running(self, *options: str) -> AsyncIterator[int]:
        """Start the bot and wait until it listens; gives its process id; stop it at the end."""
        with self._log.open("wb") as log:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-m", "bot", "run", "--ready", "--with-parent", *options),
                cwd=ROOT,
                env=self._environment,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for the demo, which stops things in order
            )
        try:
            assert process.stdout is not None  # noqa: S101  # PIPE was asked for
            if not await process.stdout.readline():
                raise RuntimeError(f"the bot did not start:\n{self._log.read_text()[-2000:]}")
            yield process.pid
        finally:
            await _stop(process)


async def _stop(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    process.send_signal(signal.SIGTERM)
    try:
        async with asyncio.timeout(STOPPING):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()


WELCOME = """
  {page}

  Open this page, and type in #training:
    /slurm partitions
    /nemo run pretrain/llama3p1_2b_pt.py -n 2 -p a3m
    /nemo run pretrain/gpt2_345m_pt.py -p a3u --time 10
    /nemo-rl run dpo -N 2 -p a3u

  Ctrl-C stops everything.
"""


def welcome(address: DemoAddress) -> str:
    """Return what a person reads when all is ready."""
    return WELCOME.format(page=address.page)


def announce(address: DemoAddress, *, as_json: bool) -> None:
    """Say that all is ready."""
    print(json.dumps(address.as_json()) if as_json else welcome(address), flush=True)


def say(sentence: str) -> None:
    """Say what is going on, to people."""
    print(sentence, file=sys.stderr, flush=True)
