"""A job that waits for what may not come: told once, after a while, and only if it is so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.card import Card, Paragraph, Tone, plain
from bot.cluster.slurm import Wait, reason_in_words, wait
from bot.cluster.slurm.reasons import REASONS
from bot.errors import ClusterUnreachable
from bot.job import Job, Observation, State
from bot.model import PartitionState
from bot.waiting import Delay, doubtful, due, noted, served
from tests.unit import tracking
from tests.unit.slurm_says import scontrol, squeue, waits
from tests.unit.tracking import Scene

NOW = datetime(2026, 11, 30, 22, 0, tzinfo=UTC)
PATIENCE = timedelta(minutes=5)
NODES = (
    "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions"
)


def waiting(reason: str, **changes: object) -> Job:
    """A job that waits, as Slurm says for what."""
    seen = Observation(id="75", state=State.PENDING, raw="PENDING", reason=reason, nodes=2)
    fields = {"cluster": "alice", "id": "75", "request": "r1", "seen": seen, "created": NOW}
    return noted(Job.model_validate({**fields, **changes}), NOW)


@pytest.mark.parametrize(
    ("reason", "delay"),
    [
        ("Resources", None),
        ("Priority", None),
        ("Dependency", None),
        ("None", None),
        ("DependencyNeverSatisfied", None),
        ("PartitionTimeLimit", None),
        ("launch failed requeued held", None),
        ("QOSMaxBillingPerJob", None),
        ("AssocMaxCpuPerJobLimit", None),
        ("QOSMaxGRESPerNode", None),
        ("QOSMaxCpuMinutesPerJobLimit", None),
        ("QOSMinCpuNotSatisfied", None),
        ("PartitionDown", Delay.BLOCKED),
        ("PartitionInactive", Delay.BLOCKED),
        ("ReqNodeNotAvail, UnavailableNodes:alice-a3m-1", Delay.BLOCKED),
        ("ReqNodeNotAvail,_UnavailableNodes:alice-a3m-1", Delay.BLOCKED),
        (NODES, Delay.BLOCKED),
        ("ReqNodeNotAvail, Reserved for maintenance", Delay.LIMIT),
        ("QOSMaxJobsPerUserLimit", Delay.LIMIT),
        ("QOSMaxGRESPerUser", Delay.LIMIT),
        ("AssocGrpGRES", Delay.LIMIT),
        ("AssocGrpCPUMinutesLimit", Delay.LIMIT),
        ("QOSGrpCPURunMinutesLimit", Delay.LIMIT),
        ("MaxGRESPerAccount", Delay.LIMIT),
    ],
)
def test_what_may_not_come_is_told_once_it_has_lasted(reason: str, delay: Delay | None) -> None:
    """What never comes is told at once elsewhere; a job's turn is nothing to tell."""
    job = waiting(reason)
    assert due(job, NOW + PATIENCE - timedelta(seconds=1), PATIENCE, None) is None
    assert due(job, NOW + PATIENCE, PATIENCE, None) is delay
    if delay is not None:
        told = job.model_copy(update={"told": (f"1/{delay}",)})
        assert due(told, NOW + PATIENCE, PATIENCE, None) is None
        assert due(told.model_copy(update={"attempt": 2}), NOW + PATIENCE, PATIENCE, None) is delay


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("QOSMaxBillingPerJob", "It asks for more billing units than the QOS allows in one job"),
        ("AssocMaxCpuPerJobLimit", "It asks for more cores than the account allows in one job"),
        ("QOSMinGRES", "It asks for fewer GPUs than the QOS requires"),
        ("AssocGrpGRES", "The account's limit of GPUs is used up"),
        ("AssocGrpMemMinutes", "The account's budget of compute time is used up"),
        ("QOSMaxCpuPerUserLimit", "The user's limit of cores in this QOS is reached"),
        ("MaxNodePerAccount", "The account's limit of nodes in this QOS is reached"),
    ],
)
def test_each_limit_says_whose_it_is_and_of_what(reason: str, words: str) -> None:
    """Slurm has a code for each owner, each thing that is counted, and each way to count."""
    assert reason_in_words(reason) == words


def test_a_limit_that_a_job_exceeds_alone_is_told_as_that() -> None:
    """Nothing else of the user has run for as long."""
    job, later = waiting("QOSMaxGRESPerUser"), NOW + PATIENCE
    assert due(job, later, PATIENCE, NOW) is Delay.BEYOND
    assert due(job, later, PATIENCE, NOW + timedelta(seconds=5)) is None
    assert due(waiting("QOSMaxJobsPerUserLimit"), later, PATIENCE, NOW) is Delay.LIMIT
    assert due(waiting("AssocGrpGRES"), later, PATIENCE, NOW) is Delay.LIMIT


def test_a_reason_that_goes_begins_anew_when_it_comes_back() -> None:
    job = waiting("PartitionDown")
    gone = job.model_copy(update={"seen": job.seen.model_copy(update={"reason": "Priority"})})
    assert noted(gone, NOW).waits_since is None
    other = job.seen.model_copy(update={"reason": "PartitionInactive"})
    still = noted(job.model_copy(update={"seen": other}), NOW + PATIENCE)
    assert still.waits_since == NOW


@pytest.mark.parametrize(
    ("states", "up", "enough"),
    [
        ({"allocated": 2}, True, True),
        ({"allocated": 2, "drained": 2}, True, True),
        ({"idle": 1, "drained": 1}, True, False),
        ({"drained": 2}, True, False),
        ({"down": 2}, True, False),
        ({"allocated": 2}, False, False),
    ],
)
def test_nodes_that_others_merely_have_are_no_trouble(
    states: dict[str, int], up: bool, enough: bool
) -> None:
    """Slurm's reason is the same."""
    partition = PartitionState(
        name="a3m",
        up=up,
        default=True,
        nodes=sum(states.values()),
        free=0,
        states=tuple(states.items()),
    )
    assert doubtful(waiting(NODES))
    assert served(waiting(NODES), partition) is enough
    assert not served(waiting(NODES), None)


def test_what_must_be_acted_on_says_how() -> None:
    """For every reason for which waiting alone never helps, or which an administrator ends."""
    for reason in REASONS:
        if reason.wait in {Wait.VAIN, Wait.BLOCKED}:
            assert reason.helps, reason.code
        assert wait(reason.code) is reason.wait


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    """A job, and a bot that has patience for a second."""
    async with tracking.scene(tmp_path) as opened:
        opened.held_up_for = "1s"
        opened.begin()
        await opened.follow("75")
        yield opened


def pends(scene: Scene, reason: str) -> None:
    """Let Slurm show that it waits."""
    scene.slurm.queue[:] = [row for row in scene.slurm.queue if "\x1e75\x1f" not in row]
    scene.slurm.queue.append(waits("75", reason))
    scene.slurm.control["75"] = [scontrol("75", "PENDING", reason.replace(" ", "_"), node="")]


async def lasts(scene: Scene) -> None:
    """Look, look again after a while, and once more in another life."""
    await scene.tracker.tick()
    await scene.tracker.tick()
    await asyncio.sleep(1.1)
    await scene.tracker.tick()
    assert await scene.writes(1) == 0
    scene.begin()
    await scene.tracker.load()
    await scene.tracker.tick()


async def shown(scene: Scene, name: str) -> Card:
    """A message under the job's own."""
    card = await scene.card(f"75/1/{name}")
    assert card is not None
    return card


async def test_a_partition_that_is_down_is_told_to_the_person(scene: Scene) -> None:
    pends(scene, "PartitionDown")
    await lasts(scene)
    card = await shown(scene, "blocked")
    assert plain(card.lead).startswith("@U1 Job 75: Waiting since ")
    assert plain(card.lead).endswith(". The partition is down.")
    assert card.tone is Tone.TROUBLE
    assert [button.action for button in card.buttons] == ["cancel_job"]
    assert "sinfo" not in scene.slurm.asked


async def test_a_limit_is_told_calmly(scene: Scene) -> None:
    """It passes; nobody is called."""
    pends(scene, "QOSMaxJobsPerUserLimit")
    await lasts(scene)
    card = await shown(scene, "limit")
    assert plain(card.lead).startswith("Job 75: Waiting since ")
    assert card.tone is Tone.WAITING


async def test_a_request_above_the_limit_of_a_user_is_told(scene: Scene) -> None:
    pends(scene, "QOSMaxGRESPerUser")
    await lasts(scene)
    card = await shown(scene, "beyond")
    assert plain(card.lead).endswith(" It asks for more GPUs than the QOS allows one user.")
    assert await scene.card("75/1/limit") is None


async def test_a_limit_that_another_job_uses_up_is_no_request_above_it(scene: Scene) -> None:
    scene.slurm.queue.append(squeue("70"))
    pends(scene, "QOSMaxGRESPerUser")
    await lasts(scene)
    assert plain((await shown(scene, "limit")).lead).endswith(
        " The user's limit of GPUs in this QOS is reached."
    )
    assert await scene.card("75/1/beyond") is None


def sinfo(*states: str) -> str:
    """The records of a partition with one node in each state."""
    rows = (("a3m*", "up", "infinite", "n/a", "1", state, "gpu:8") for state in states)
    return "".join("\x1e" + "".join(f"{value}\x1f" for value in row) + "\n" for row in rows)


async def test_drained_nodes_are_told_and_nodes_of_others_are_not(scene: Scene) -> None:
    """Slurm's reason is the same; the partition tells, and is asked once in a while."""
    pends(scene, NODES)
    scene.slurm.partitions = sinfo("allocated", "drained")
    await scene.tracker.tick()
    await asyncio.sleep(1.1)
    for _ in range(5):
        await scene.tracker.tick()
    assert scene.slurm.count("sinfo") == 1
    assert await scene.card("75/1/blocked") is None
    scene.slurm.partitions = sinfo("drained", "drained")
    scene.begin()
    await scene.tracker.load()
    await asyncio.sleep(1.1)
    await scene.tracker.tick()
    assert "DOWN" not in plain((await shown(scene, "blocked")).lead)


async def test_a_partition_that_cannot_be_seen_is_looked_at_later(scene: Scene) -> None:
    """Nothing is told that may not be so."""
    pends(scene, NODES)
    scene.slurm.instead["sinfo"] = ClusterUnreachable("the connection was cut")
    await scene.tracker.tick()
    await asyncio.sleep(1.1)
    await scene.tracker.tick()
    assert await scene.card("75/1/blocked") is None
    del scene.slurm.instead["sinfo"]
    scene.slurm.partitions = sinfo("drained", "drained")
    await asyncio.sleep(1.1)
    await scene.tracker.tick()
    assert await scene.card("75/1/blocked") is not None


async def test_what_waits_in_vain_says_what_to_do(scene: Scene) -> None:
    """At once, and it can be cancelled from there."""
    pends(scene, "launch failed requeued held")
    await scene.tracker.tick()
    card = await shown(scene, "stuck")
    assert isinstance(card.parts[0], Paragraph)
    assert "scontrol release 75" in plain(card.parts[0].text)
    assert [button.action for button in card.buttons] == ["release", "cancel_job"]
    await asyncio.sleep(1.1)
    await scene.tracker.tick()
    assert await scene.card("75/1/blocked") is None
