"""A tracker over a store of its own and a Slurm that says what it is told to say."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path

from typing_extensions import override

from bot.card import Card, plain
from bot.cards.request import request_card
from bot.cluster_settings import ClusterSettings, WarningSettings
from bot.errors import StoreFailed
from bot.job import Job
from bot.login_node import LoginNode
from bot.messages import living, living_key
from bot.model import Caller, Request, Stage
from bot.policy import Policy
from bot.ports import Wanted
from bot.store.sql_store import SqlStore
from bot.taken import new_job
from bot.tracker import Tracker
from tests.unit.fake_slurm import FakeSlurm
from tests.unit.slurm_says import scontrol, squeue
from tests.unit.store.makers import NOW

POLICY = Policy(
    cluster="alice", users=("U1",), channels=("C1",), operators=("U9",), ask_above_gpu_hours=8.0
)


class Unsteady(SqlStore):
    """A store whose disk is full now and then."""

    full = False

    @override
    async def save_jobs(
        self,
        jobs: Sequence[Job],
        wanted: Sequence[Wanted] = (),
        *,
        requests: Sequence[Request] = (),
    ) -> None:
        if self.full:
            raise StoreFailed("the disk is full")
        await super().save_jobs(jobs, wanted, requests=requests)


@dataclass
class Scene:
    """All of it."""

    database: Path
    store: Unsteady
    slurm: FakeSlurm = field(default_factory=FakeSlurm)
    explained: list[Job] = field(default_factory=list)
    woken: int = 0
    held_up_for: str = "5m"
    no_step_for: str = "10m"
    """How long no step is never told of."""

    def __post_init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Start a life of the bot; what an earlier one knew is in the store alone."""
        settings = ClusterSettings(
            host="login",
            tick_fast=5.0,
            tick_slow=60.0,
            known_hosts=Path("/dev/null"),
            warnings=WarningSettings.model_validate(
                {"no_step_for": self.no_step_for, "held_up_for": self.held_up_for}
            ),
        )
        self.node = LoginNode(settings=settings, policy=POLICY, cluster=self.slurm)
        self.tracker = Tracker(
            node=self.node, store=self.store, wake=self._wake, explain=self.explained.append
        )

    def _wake(self) -> None:
        self.woken += 1

    async def follow(self, *jobs: str, request: str = "r1", channel: str = "C1") -> None:
        """Submit a request that became these jobs, and follow them."""
        asked = a_request(request, channel)
        made = [new_job(asked, job).model_copy(update={"created": NOW}) for job in jobs]
        await self.store.add_request(asked, living(asked, request_card(asked, made)))
        await self.store.save_jobs(made)
        self.tracker.follow(made)

    def runs(self, job: str = "75") -> None:
        """Let Slurm show a running job."""
        self.slurm.queue.append(squeue(job))
        self.slurm.control[job] = [scontrol(job)]

    def ends(self, state: str, code: str, job: str = "75") -> None:
        """Let Slurm show an ended job."""
        others = [row for row in self.slurm.queue if not row.startswith(f"\x1e{job}\x1f")]
        self.slurm.queue = [*others, squeue(job, state, end="21:46:52")]
        self.slurm.control[job] = [scontrol(job, state, code=code, end="21:46:52")]

    def vanishes(self) -> None:
        """Let Slurm forget everything."""
        self.slurm.queue.clear()
        self.slurm.control.clear()

    async def job(self, job: str = "75") -> Job:
        """What the store holds."""
        found = await self.store.job("alice", job)
        assert found is not None
        return found

    async def card(self, name: str = "", request: str = "r1") -> Card | None:
        """What a message shall show: the living one, or an answer under it."""
        key = living_key(a_request(request)) + (f"/{name}" if name else "")
        posted = await self.store.message(key)
        return posted.wanted.card if posted else None

    async def lead(self, name: str = "", request: str = "r1") -> str:
        """Its first words; empty for one that was never wanted."""
        card = await self.card(name, request)
        return plain(card.lead) if card else ""

    async def writes(self, *looks: float) -> int:
        """Look so often, and count the commits."""
        with closing(sqlite3.connect(self.database)) as other:
            before = other.execute("PRAGMA data_version").fetchone()[0]
            for _ in looks:
                await self.tracker.tick()
            return int(other.execute("PRAGMA data_version").fetchone()[0]) - int(before)


def a_request(name: str = "r1", channel: str = "C1") -> Request:
    """A request that Slurm took."""
    return Request(
        id=name,
        cluster="alice",
        workload="slurm submit",
        options={"script": "train.sh"},
        typed="/slurm submit train.sh",
        caller=Caller(team="T1", user="U1", channel=channel),
        created=NOW,
        stage=Stage.SUBMITTED,
        title="train.sh",
    )


@asynccontextmanager
async def scene(folder: Path) -> AsyncIterator[Scene]:
    """An empty store, a Slurm without jobs, a tracker."""
    database = folder / "bot.db"
    async with Unsteady(f"sqlite:///{database}") as store:
        yield Scene(database, store)
