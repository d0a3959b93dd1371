"""A bot that only watches: its parts, wired as the bot wires them, and a chat in this process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from typing_extensions import override

from bot.card import Card, plain
from bot.cards.request import request_card
from bot.clockwork import Clockwork
from bot.cluster.ssh import SshCluster
from bot.cluster_settings import ClusterSettings
from bot.demo.cluster import ClusterAddress
from bot.explaining import Explainer
from bot.job import Job
from bot.login_node import LoginNode
from bot.messages import living, living_key, request_id
from bot.model import Caller, Request, Resources, Stage
from bot.outbox import Outbox
from bot.pace import Pace
from bot.policy import Policy
from bot.store.sql_store import SqlStore
from bot.taken import new_job
from bot.tracker import Tracker
from bot.watch import Watch
from bot.wiring import login
from tests.unit.fake_chat import FakeChat, Message
from tests.unit.telling import until

NAME = "alice"
LOOK = 0.3
"""Seconds between looks of a test at what the bot knows."""
AT_ONCE = Pace(post=0.01, burst=9, update=0.01, settle=0.01, grace=0.1)
"""So fast that hardly a card is passed over on its way."""


class Channel(FakeChat):
    """A chat that remembers what each message said, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.said: dict[str, list[str]] = {}

    @override
    async def post(self, channel: str, thread: str, card: Card, key: str) -> str:
        self.said.setdefault(key, []).append(plain(card.lead))
        return await super().post(channel, thread, card, key)

    @override
    async def update(self, channel: str, ts: str, card: Card, key: str) -> None:
        self.said.setdefault(key, []).append(plain(card.lead))
        await super().update(channel, ts, card, key)


@dataclass(frozen=True)
class Lookout:
    """What a test holds of the bot."""

    store: SqlStore
    ssh: SshCluster
    node: LoginNode
    tracker: Tracker
    watch: Watch
    outbox: Outbox
    channel: Channel = field(default_factory=Channel)

    async def follow(self, job_id: str, channel: str = "C1") -> Job:
        """Take up a job as if it had been submitted from this channel."""
        request = a_request(job_id, channel)
        job = new_job(request, job_id)
        await self.store.add_request(request, living(request, request_card(request, [job])))
        await self.store.save_jobs([job])
        self.outbox.wake()
        self.watch.follow([job])
        return job

    async def job(self, job_id: str) -> Job:
        """What the bot knows of a job."""
        job = await self.store.job(NAME, job_id)
        assert job is not None
        return job

    async def sees(self, job_id: str, fits: Callable[[Job], object], within: float = 100) -> Job:
        """Wait until the bot knows something of a job."""
        try:
            await until(lambda: self._fits(job_id, fits), within)
        except TimeoutError:
            raise AssertionError(f"not seen in {within:g} s: {await self.job(job_id)}") from None
        return await self.job(job_id)

    async def _fits(self, job_id: str, fits: Callable[[Job], object]) -> bool:
        await asyncio.sleep(LOOK)
        return bool(fits(await self.job(job_id)))

    async def tells(self, job_id: str, within: float = 100) -> Told:
        """Wait until a job has ended, is explained, and all of it is told."""
        job = await self.sees(job_id, lambda job: job.settled, within)
        await self.hushes(job_id)
        return Told(job, self.channel)

    async def hushes(self, job_id: str) -> None:
        """Wait until nothing is left to be told of a job."""

        async def silent() -> bool:
            await asyncio.sleep(LOOK)
            left = await self.store.due(datetime.now(UTC))
            return a_request(job_id).id not in {request_id(post.wanted.key) for post in left}

        await until(silent, 100)


@dataclass(frozen=True)
class Told:
    """What people read about one job."""

    job: Job
    channel: Channel

    @property
    def root(self) -> str:
        """The lead of the living message."""
        return plain(self._root.card.lead)

    @property
    def facts(self) -> dict[str, str]:
        """Its facts."""
        return {fact.label: plain(fact.value) for fact in self._root.card.facts}

    @property
    def history(self) -> list[str]:
        """Every lead that the living message has had."""
        return self.channel.said[self._root.key]

    @property
    def thread(self) -> dict[str, str]:
        """The answers under it: their names and leads. More than one of a name is an error."""
        answers = [m for m in self.channel.messages if m.thread == self._root.ts]
        names = [
            message.key.removeprefix(f"{self._root.key}/{self.job.id}/") for message in answers
        ]
        assert len(set(names)) == len(names)
        return {name: message.lead for name, message in zip(names, answers, strict=True)}

    @property
    def _root(self) -> Message:
        return self.channel.of(living_key(a_request(self.job.id)))


@asynccontextmanager
async def lookout(
    address: ClusterAddress,
    database: Path,
    *,
    channel: Channel | None = None,
    by_hand: bool = False,
) -> AsyncIterator[Lookout]:
    """Watch a cluster until the block ends; `by_hand` leaves each look to the test."""
    settings = ClusterSettings(
        host=address.host,
        port=address.port,
        user=address.user,
        key=address.key,
        known_hosts=address.known_hosts,
        roots=("~",),
        tick_fast=1.0,
        tick_slow=2.0,
    )
    policy = Policy(
        cluster=NAME, users=("U1",), channels=("C1",), operators=(), ask_above_gpu_hours=1.0
    )
    channel = channel or Channel()
    clockwork = Clockwork()
    async with AsyncExitStack() as stack:
        ssh = await stack.enter_async_context(SshCluster(NAME, login(settings)))
        store = await stack.enter_async_context(SqlStore(f"sqlite:///{database}"))
        node = LoginNode(settings=settings, policy=policy, cluster=ssh)
        outbox = Outbox(store, channel, pace=AT_ONCE)
        explainer = Explainer(store=store, nodes={NAME: node}, wake=outbox.wake)
        tracker = Tracker(node=node, store=store, wake=outbox.wake, explain=explainer.explain)
        watch = Watch({NAME: tracker}, clockwork)
        await tracker.load()
        clockwork.add(NAME, tracker.tick)
        for loop in (outbox.run(), explainer.run()):
            task = asyncio.create_task(loop)
            stack.push_async_callback(_ended, task)
        if not by_hand:
            clockwork.start()
            stack.callback(clockwork.stop)
        yield Lookout(store, ssh, node, tracker, watch, outbox, channel)


async def _ended(task: asyncio.Task[None]) -> None:
    assert not task.done(), "a loop of the bot stopped by itself"
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


def a_request(job_id: str, channel: str = "C1") -> Request:
    """The request that a job came from."""
    return Request(
        id=f"r{job_id}",
        cluster=NAME,
        workload="slurm submit",
        options={"script": "jobs/x.sh"},
        typed="/slurm submit jobs/x.sh",
        caller=Caller(team="T1", user="U1", channel=channel),
        created=datetime.now(UTC),
        stage=Stage.SUBMITTED,
        title="x.sh",
        resources=Resources(partition="a3m"),
    )
