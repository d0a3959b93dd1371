"""Interactive jobs: the way in, reminders, release in time, GPUs without work."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typing_extensions import override

from bot.card import Card, plain
from bot.cards.request import request_card
from bot.errors import ClusterUnreachable, Gone, NotAllowed, UserError
from bot.launching import new_job
from bot.messages import living
from bot.model import Act, ActKind, Caller, Job, Request, Session, State
from bot.ports import Output, Wanted
from bot.service import Service, mends, sessions
from bot.sessions import Sessions
from tests.unit import tracking
from tests.unit.cards.saying import facts, offers, says
from tests.unit.idle import Idle
from tests.unit.slurm_says import sacct, scontrol, squeue
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


async def test_without_interactive_jobs_nothing_is_asked(lab: Lab) -> None:
    """Other jobs are none of its business."""
    lab.scene.slurm.asked.clear()
    other = await lab.scene.job()
    lab.scene.begin()
    lab.scene.tracker.follow([other.model_copy(update={"session": None})])
    lab.begin()
    assert await lab.sessions.tick() == 60.0
    assert lab.scene.slurm.asked == []


async def test_while_it_comes_up_its_message_says_how_far_it_is(lab: Lab) -> None:
    """The newest telling line; the same line again writes nothing."""
    assert "2 to 5 minutes are normal" in facts(await lab.living())["Coming up"]
    lab.scene.slurm.doors["75"] = ("", "[INFO][now] Number of actors online: 1/2\n")
    await lab.at(MINUTE)
    assert facts(await lab.living())["Coming up"] == "Number of actors online: 1/2"
    assert await lab.sessions.tick() == lab.scene.node.settings.tick_fast
    before = lab.scene.woken
    await lab.at(MINUTE, times=3)
    assert lab.scene.woken == before


async def test_the_way_in_is_told_to_its_owner_in_exact_lines(lab: Lab) -> None:
    """The ssh line, and what is typed then; its message shows the way too."""
    await lab.ready()
    card = await lab.thread("ready")
    assert card is not None
    assert plain(card.lead).startswith("@U1 The interactive cluster of job 75 is ready.")
    assert "@login\ncd /home/alice; bash 75/attach.sh" in says(card)
    assert facts(await lab.living())["Attach"] == "cd /home/alice; bash 75/attach.sh"
    assert "2026-11-30 21:55" in facts(await lab.living())["Released"]
    assert offers(await lab.living()) == ["show_log", "extend_session", "cancel_job"]


async def test_the_way_in_is_looked_for_no_longer_once_it_is_known(lab: Lab) -> None:
    """Also in the next life."""
    await lab.ready()
    await lab.restart()
    await lab.at(MINUTE, times=2)
    assert lab.scene.slurm.count("doors") == 1


async def test_a_script_that_does_not_come_is_told_once_and_still_looked_for(long: Lab) -> None:
    """With what was seen last, and a way to release it; later it may come after all."""
    lab = long
    lab.scene.slurm.doors["75"] = ("", "Waiting for head node container to start...\n")
    await lab.at(14 * MINUTE)
    assert await lab.thread("late") is None
    await lab.at(16 * MINUTE, times=2)
    card = await lab.thread("late")
    assert card is not None
    assert "after 15 min its attach.sh has still not come" in plain(card.lead)
    assert "Waiting for head node container" in says(card)
    assert offers(card) == ["cancel_job", "show_log"]
    lab.scene.slurm.doors["75"] = (ATTACH,)
    await lab.at(20 * MINUTE)
    assert await lab.thread("ready") is not None
    assert lab.scene.slurm.cancelled == []


async def test_a_requeued_job_is_entered_anew(lab: Lab) -> None:
    """The script of the attempt before leads nowhere."""
    await lab.ready()
    lab.scene.slurm.queue = [squeue("75", "PENDING", "BeginTime", node="", start="N/A")]
    lab.scene.slurm.control["75"] = [scontrol("75", "PENDING", "BeginTime", restarts=1, node="")]
    await lab.scene.tracker.tick()
    assert (await lab.scene.job()).attach == ""
    assert "Attach" not in facts(await lab.living())
    lab.scene.slurm.queue = [squeue("75", start="21:50:00")]
    lab.scene.slurm.control["75"] = [scontrol("75", restarts=1, start="21:50:00")]
    await lab.scene.tracker.tick()
    await lab.at(4 * MINUTE)
    assert await lab.thread("ready", attempt=2) is not None
    assert "2026-11-30 21:59" in facts(await lab.living())["Released"]


async def test_its_owner_is_reminded_once_before_it_is_released(lab: Lab) -> None:
    """Five minutes before; thirty would be before it began."""
    await lab.ready()
    await lab.at(3 * MINUTE)
    assert await lab.thread("reminder/300/540") is None
    await lab.at(5 * MINUTE, times=2)
    card = await lab.thread("reminder/300/540")
    assert card is not None
    assert plain(card.lead).startswith("@U1 The interactive job 75 is released")
    assert offers(card) == ["extend_session", "cancel_job"]
    assert await lab.thread("reminder/1800/540") is None
    await lab.restart()
    before = lab.scene.woken
    await lab.at(6 * MINUTE)
    assert lab.scene.woken == before


async def test_it_is_released_when_its_time_is_up(lab: Lab) -> None:
    """Slurm is told once; its end says why, and needs no diagnosis."""
    await lab.ready()
    await lab.at(9 * MINUTE + timedelta(seconds=1), times=3)
    assert lab.scene.slurm.cancelled == ["75"]
    assert lab.hurried == 1
    lab.scene.ends("CANCELLED", "0:15")
    lab.scene.slurm.accounting = [sacct("75", "CANCELLED by 50001")]
    await lab.scene.tracker.tick()
    lead = await lab.scene.lead()
    assert lead.startswith("Released after")
    assert "since its time was up." in lead
    assert [one.wished for one in lab.scene.explained] == [True]
    (entry, *_) = await lab.scene.store.audit()
    assert (entry.did, entry.job, entry.caller.user) == ("release", "alice:75", "")


async def test_a_release_survives_an_outage_and_a_restart(lab: Lab) -> None:
    """The wish was kept; the next life carries it out."""
    await lab.ready()
    lab.scene.slurm.instead["scancel"] = DOWN
    await lab.at(10 * MINUTE)
    await lab.restart()
    await lab.at(10 * MINUTE)
    assert lab.scene.slurm.cancelled == []
    await lab.restart()
    del lab.scene.slurm.instead["scancel"]
    await lab.at(11 * MINUTE)
    assert lab.scene.slurm.cancelled == ["75"]
    assert len(await lab.scene.store.audit()) == 1


async def test_one_that_cannot_be_released_is_told(lab: Lab) -> None:
    """It belongs to somebody else; once is enough."""
    lab.scene.slurm.instead["scancel"] = Output("\x1d1\x1d", "Access/permission denied", 0)
    await lab.at(10 * MINUTE, times=2)
    card = await lab.thread("not_released")
    assert card is not None
    assert "Slurm did not let the bot end it" in plain(card.lead)


async def test_an_extension_is_seen_and_the_release_comes_later(lab: Lab) -> None:
    """Up to what Slurm's own limit allows; the thread and the audit log say who did it."""
    await lab.ready()
    await lab.extend(9 * MINUTE)
    assert (await lab.scene.job()).session == Session(stay=10 * MINUTE, attempt=1, attach=ATTACH)
    said = await lab.thread("extended/600")
    assert said is not None
    assert "Extended by @U1" in plain(said.lead)
    assert "extend to 10 min" in [entry.did for entry in await lab.scene.store.audit()]
    await lab.at(9 * MINUTE + timedelta(seconds=1))
    assert lab.scene.slurm.cancelled == []


async def test_a_second_click_extends_nothing(lab: Lab) -> None:
    """It saw the stay that has been extended already."""
    await lab.extend(9 * MINUTE)
    with pytest.raises(Gone, match="extended meanwhile"):
        await lab.extend(9 * MINUTE, name="a2")
    with pytest.raises(UserError, match="time limit of 10 min"):
        await lab.extend(10 * MINUTE, name="a3")


async def test_an_extension_is_two_hours_where_slurm_allows(long: Lab) -> None:
    """And reminders begin anew."""
    await long.ready()
    await long.at(91 * MINUTE)
    assert await long.thread("reminder/1800/7200") is not None
    await long.extend(120 * MINUTE)
    await long.at(121 * MINUTE)
    assert long.scene.slurm.cancelled == []
    assert await long.thread("reminder/1800/14400") is None
    await long.at(211 * MINUTE)
    assert await long.thread("reminder/1800/14400") is not None


async def test_only_the_owner_or_an_operator_extends(lab: Lab) -> None:
    """Somebody else is told so, and nothing changes."""
    with pytest.raises(NotAllowed):
        await lab.extend(9 * MINUTE, user="U2")
    await lab.extend(9 * MINUTE, user="U9")


async def test_one_that_is_released_by_a_person_says_so(lab: Lab) -> None:
    """By command or button: cancelling is releasing."""
    node, job = lab.scene.node, await lab.scene.job()
    answer = await mends.cancel(lab.service(), click(), node, job)
    assert plain(answer.lead) == "Job 75 train is released, and its nodes with it."
    lab.scene.ends("CANCELLED", "0:15")
    lab.scene.slurm.accounting = [sacct("75", "CANCELLED by 50001")]
    await lab.scene.tracker.tick()
    lead = await lab.scene.lead()
    assert lead.startswith("Released by @U1")
    assert "before there was a way in" in lead


async def test_gpus_without_work_are_told_once(long: Lab) -> None:
    """After half an hour of looks that saw none; the next stretch is told anew."""
    lab = long
    await lab.ready()
    lab.scene.slurm.gpu_use = "0\n" * 24
    began = int((BEGAN + MINUTE).timestamp())
    for minutes in (1, 11, 21):
        lab.begin()
        await lab.at(minutes * MINUTE)
    assert await lab.thread(f"idle/{began}") is None
    lab.begin()
    await lab.at(31 * MINUTE)
    card = await lab.thread(f"idle/{began}")
    assert card is not None
    assert "The GPUs of the interactive job 75 have had no work since" in plain(card.lead)
    assert offers(card) == ["cancel_job"]
    lab.scene.slurm.gpu_use = "0\n55\n" * 12
    lab.begin()
    await lab.at(41 * MINUTE)
    session = (await lab.scene.job()).session
    assert session is not None
    assert session.idle_since is None


@pytest.mark.parametrize(
    "said", ["", "0\n", "[N/A]\n" * 24, "No devices were found\n", "0\n97\n0\n"]
)
async def test_what_nobody_knows_is_no_alarm(lab: Lab, said: str) -> None:
    """Without nvidia-smi, without an answer of each node, or at work: nothing is said."""
    await lab.ready()
    lab.scene.slurm.gpu_use = said
    lab.begin()
    await lab.at(MINUTE)
    session = (await lab.scene.job()).session
    assert session is not None
    assert session.idle_since is None
    assert "gpu use" in lab.scene.slurm.asked


async def test_looks_at_gpus_are_sparse(lab: Lab) -> None:
    """Once in ten minutes, however many turns there are."""
    await lab.ready()
    await lab.at(MINUTE, times=5)
    assert lab.scene.slurm.count("gpu use") == 1


async def test_a_silent_cluster_is_no_fault_of_a_turn(lab: Lab) -> None:
    """Reminders come all the same."""
    lab.scene.slurm.instead["doors"] = DOWN
    await lab.at(5 * MINUTE)
    assert await lab.thread("reminder/300/540") is not None


async def test_an_ended_job_is_left_alone(lab: Lab) -> None:
    """Whatever was due."""
    lab.scene.ends("FAILED", "1:0")
    await lab.scene.tracker.tick()
    assert (await lab.scene.job()).seen.state is State.FAILED
    await lab.at(10 * MINUTE)
    assert lab.scene.slurm.cancelled == []
    assert "before there was a way in" in await lab.scene.lead()
    with pytest.raises(Gone):
        await lab.extend(9 * MINUTE)
