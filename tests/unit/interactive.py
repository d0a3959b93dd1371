"""An interactive job on a Slurm that says what it is told to say, and a clock to set."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typing_extensions import override

from bot.card import Card
from bot.cards.request import request_card
from bot.errors import ClusterUnreachable
from bot.job import Job, Session
from bot.messages import living
from bot.model import Act, ActKind, Caller, Request
from bot.ports import Wanted
from bot.service import Service, sessions
from bot.sessions import Sessions
from bot.taken import new_job
from tests.unit import tracking
from tests.unit.idle import Idle
from tests.unit.store.makers import NOW
from tests.unit.tracking import Scene, a_request

BEGAN = datetime(2026, 11, 30, 21, 46, 49, tzinfo=UTC)
"""When the job of `slurm_says` started; its time limit is 10 minutes."""
ATTACH = "/home/alice/75/attach.sh"
MINUTE = timedelta(minutes=1)
DOWN = ClusterUnreachable("the connection was cut")


class Watching(Idle):
    """Hands changes to who follows the jobs."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab

    @override
    async def stopping(self, job: Job, user: str) -> None:
        await self._lab.scene.tracker.stopping(job, user)

    @override
    async def amend(
        self, job: Job, change: Callable[[Session], Session | None], *wanted: Wanted
    ) -> Job | None:
        return await self._lab.scene.tracker.amend(job, change, *wanted)


@dataclass
class Lab:
    """One interactive job on a Slurm that says what it is told to say, and a clock to set."""

    scene: Scene
    now: datetime = BEGAN
    hurried: int = 0
    sessions: Sessions = field(init=False)

    def __post_init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Start to see to interactive jobs, with nothing in mind."""
        self.sessions = Sessions(
            node=self.scene.node,
            store=self.scene.store,
            jobs=self.scene.tracker,
            wake=lambda: None,
            hurry=self._hurry,
            clock=lambda: self.now,
        )

    async def restart(self) -> None:
        """Start a life of the bot."""
        self.scene.begin()
        await self.scene.tracker.load()
        self.begin()

    def _hurry(self) -> None:
        self.hurried += 1

    async def launched(self, stay: str, limit: str) -> None:
        """Submit it, and let it run under this limit of Slurm's."""
        asked = interactive(stay)
        made = new_job(asked, "75").model_copy(update={"created": NOW})
        await self.scene.store.add_request(asked, living(asked, request_card(asked, [made])))
        await self.scene.store.save_jobs([made])
        self.scene.tracker.follow([made])
        self.scene.runs()
        row = self.scene.slurm.queue.pop()
        self.scene.slurm.queue.append(row.replace("\x1f10:00\x1f", f"\x1f{limit}\x1f"))
        self.scene.slurm.control["75"] = [
            self.scene.slurm.control["75"][0].replace("TimeLimit=00:10:00", f"TimeLimit={limit}")
        ]
        await self.scene.tracker.tick()

    async def at(self, after: timedelta, times: int = 1) -> None:
        """See to it so long after its start."""
        self.now = BEGAN + after
        for _ in range(times):
            await self.sessions.tick()

    async def ready(self) -> None:
        """Let its script be there, and be seen."""
        self.scene.slurm.doors["75"] = (ATTACH,)
        await self.at(timedelta())

    async def thread(self, name: str, attempt: int = 1) -> Card | None:
        """What its thread says under this name."""
        return await self.scene.card(f"session/75/{attempt}/{name}")

    async def living(self) -> Card:
        """What its message in the channel shows."""
        card = await self.scene.card()
        assert card is not None
        return card

    def service(self) -> Service:
        """The use cases, before this cluster."""
        idle = Idle()
        return Service(
            store=self.scene.store,
            nodes={"alice": self.scene.node},
            carrier=idle,
            wake=lambda: None,
            watch=Watching(self),
            cluster_of=lambda _: "alice",
        )

    async def extend(self, stay: timedelta, user: str = "U1", name: str = "a1") -> None:
        """Click Extend on a card that showed this stay."""
        await sessions.extend(
            self.service(), click(name, user), self.scene.node, await self.scene.job(), stay
        )


def interactive(stay: str) -> Request:
    """A request for an interactive cluster."""
    return a_request().model_copy(
        update={
            "workload": "nemo-rl interactive",
            "options": {"nodes": 1, "expires": stay},
            "title": "interactive",
            "typed": "/nemo-rl interactive",
        }
    )


def click(name: str = "a1", user: str = "U1") -> Act:
    """Somebody presses a button."""
    caller = Caller(team="T1", user=user, channel="C1")
    return Act(id=name, kind=ActKind.BUTTON, caller=caller, at=NOW, action="x", message_ts="1.1")


@pytest.fixture
async def lab(tmp_path: Path) -> AsyncIterator[Lab]:
    """A running interactive job that stays for 9 minutes."""
    async with tracking.scene(tmp_path) as scene:
        opened = Lab(scene)
        await opened.launched("00:09:00", "10:00")
        yield opened


@pytest.fixture
async def long(tmp_path: Path) -> AsyncIterator[Lab]:
    """One that stays for 2 hours, with a limit of 12."""
    async with tracking.scene(tmp_path) as scene:
        opened = Lab(scene)
        await opened.launched("02:00:00", "12:00:00")
        yield opened
