"""A room: a local Slack, a bot of its own that listens there, and a person at the keyboard."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from bot.cards.retry import STOP
from bot.demo.cluster import EmbeddedCluster
from bot.demo.settings_file import CLUSTER, settings_file
from bot.demo.slack.manifest import load
from bot.demo.slack.server import LocalSlack, assemble
from bot.demo.slack.workspace import OUTSIDER, RESEARCHER
from tests.cluster_fixture import account
from tests.e2e.bot_process import BotProcess
from tests.e2e.hands import Hands, Json, controls, is_root, key_of, words
from tests.payloads.recorder import record

MANIFEST = Path(__file__).parents[2] / "manifest.yml"
REST = 4.5
"""Seconds without a call between bot and Slack after which nothing is on its way: longer than the
bot's longest pause when a post is in doubt (two looks, 4 s apart)."""
OVER = re.compile(
    r"Completed|Failed|Cancelled|Stopped at|Not submitted\.|Settled by|very likely it was not taken"
)
"""How the lead of a root message reads when nothing more will happen by itself."""


@dataclass(frozen=True)
class Room:
    """What a test holds in its hands."""

    cluster: EmbeddedCluster
    slack: LocalSlack
    bot: BotProcess
    hands: Hands
    directory: Path
    """Where the bot's settings, database (`bot.db`) and log lie."""

    async def online(self, within: float = 30) -> None:
        """Wait until the bot is connected; it may die meanwhile and live again."""
        try:
            await self.hands.until(self._connected, bool, within)
        except AssertionError:
            raise AssertionError(f"the bot is not online.\n{await self.story()}") from None

    async def _connected(self) -> bool:
        return self.bot.alive and await self.hands.online()

    async def rests(self, within: float = 90) -> None:
        """Wait until nothing is left to happen by itself: every request is over, all is told."""
        try:
            await self.hands.until(self._resting, bool, within, pause=0.4)
        except AssertionError:
            raise AssertionError(f"no rest within {within:g} s.\n{await self.story()}") from None

    async def _resting(self) -> bool:
        if not self.bot.alive or not await self.hands.idle(REST):
            return False
        messages = await self.hands.messages()
        roots = [message for message in messages if is_root(message)]
        return all(_over(root) and _told(root, messages) for root in roots)

    async def story(self) -> str:
        """What the channel shows, and the end of the bot's log: for a failed test's reader."""
        told = [f"  {key_of(m) or m['user']}: {words(m)}" for m in await self.hands.messages()]
        return "\n".join(["The channel:", *told, "The log ends:", self.tail()])

    def tail(self, lines: int = 40) -> str:
        """The end of the bot's log."""
        text = self.bot.log.read_text(errors="replace") if self.bot.log.exists() else ""
        return "\n".join(text.splitlines()[-lines:])


def _over(root: Json) -> bool:
    """Whether nothing more happens to a request by itself: no attempt of it waits either."""
    return bool(OVER.search(words(root))) and STOP not in controls(root)


def _told(root: Json, messages: Sequence[Json]) -> bool:
    """Whether the thread of a job that completed says so: that comes last, by itself."""
    thread = [words(m) for m in messages if m["thread_ts"] == root["ts"] and not is_root(m)]
    return "Completed" not in words(root) or any("Completed" in text for text in thread)


@asynccontextmanager
async def room(
    cluster: EmbeddedCluster,
    directory: Path,
    *,
    keys: Mapping[str, str] | None = None,
    ask_above: float = 8.0,
) -> AsyncIterator[Room]:
    """Open a room; its bot is not started. `keys` are more lines for the cluster's section."""
    async with (
        LocalSlack(assemble(load(MANIFEST))) as slack,
        aiohttp.ClientSession() as session,
    ):
        settings = directory / "sbatchat.toml"
        text = settings_file(
            cluster.address,
            database=directory / "bot.db",
            users=(RESEARCHER, OUTSIDER),
            ask_above=ask_above,
        )
        head = f"[clusters.{CLUSTER}]\n"
        more = "".join(f"{name} = {value}\n" for name, value in (keys or {}).items())
        settings.write_text(text.replace(head, head + more))
        identity = slack.platform.identity
        environment = {
            "SBATCHAT_CONFIG": str(settings),
            "SLACK_API_URL": slack.api,
            "SLACK_BOT_TOKEN": identity.bot_token,
            "SLACK_APP_TOKEN": identity.app_token,
        }
        bot = BotProcess(environment=environment, log=directory / "bot.log")
        try:
            yield Room(cluster, slack, bot, Hands(slack.platform.base_url, session), directory)
        finally:
            await bot.stop()
            record(call.shown() for call in slack.platform.traffic.since(0))


@asynccontextmanager
async def live_room(
    cluster: EmbeddedCluster,
    directory: Path,
    *,
    keys: Mapping[str, str] | None = None,
    ask_above: float = 8.0,
) -> AsyncIterator[Room]:
    """Open a room in which the bot works all the time."""
    async with room(cluster, directory, keys=keys, ask_above=ask_above) as opened:
        opened.bot.start()
        await opened.online()
        yield opened


@asynccontextmanager
async def told(lab: Room) -> AsyncIterator[Hands]:
    """The person's hands; a failure tells what the channel and the log show."""
    try:
        yield lab.hands
    except AssertionError as error:
        raise AssertionError(f"{error}\n{await lab.story()}") from error


async def said(lab: Room, command: str) -> str:
    """What a command prints on the login node."""
    return (await account(lab.cluster).ssh(command)).stdout
