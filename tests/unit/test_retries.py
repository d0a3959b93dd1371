"""Attempts that wait: begun when they are due, called off when they may no longer be."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.card import Card, plain
from bot.errors import ClusterUnreachable, Gone, NotAllowed
from bot.job import State
from bot.model import Act, ActKind, Caller, Request, Stage
from bot.retry import Chances, retry
from bot.service import Service, retries
from tests.unit import tracking
from tests.unit.idle import Idle
from tests.unit.tracking import Scene, a_request

HOUR = timedelta(hours=1)


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    """A cluster with nothing on it."""
    async with tracking.scene(tmp_path) as opened:
        yield opened


def service(scene: Scene) -> Service:
    """The use cases, before this cluster."""
    return Service(
        store=scene.store,
        nodes={"alice": scene.node},
        carrier=Idle(),
        wake=lambda: None,
        watch=Idle(),
        cluster_of=lambda _: "alice",
    )


async def waiting(scene: Scene, ago: timedelta = HOUR) -> Request:
    """An attempt after a job that failed so long ago; it was due a minute later."""
    await scene.follow("75")
    job = await scene.job()
    failed = {"state": State.FAILED, "raw": "FAILED"}
    ended = job.model_copy(
        update={
            "seen": job.seen.model_copy(update=failed),
            "settled": True,
            "transient": True,
            "cause": "The port is taken.",
        }
    )
    request = a_request()
    request = request.model_copy(update={"options": {**request.options, "retries": 2}})
    chances = Chances(now=datetime.now(UTC) - ago, pause=timedelta(minutes=1))
    again = retry(request, ended, (), chances)
    assert isinstance(again, Request)
    await scene.store.save_jobs([ended], requests=[again])
    return again


async def stage(scene: Scene, request: Request) -> Stage:
    """Where it is now."""
    found = await scene.store.request(request.id)
    assert found is not None
    return found.stage


async def lead(scene: Scene, name: str) -> str:
    """What an answer in the thread says first."""
    posted = await scene.store.message(name)
    return plain(posted.wanted.card.lead) if posted else ""


async def living(scene: Scene) -> Card:
    """What the channel shows."""
    card = await scene.card()
    assert card is not None
    return card


async def test_what_is_not_due_waits_without_a_question(scene: Scene) -> None:
    """The next look comes in time for it."""
    again = await waiting(scene, timedelta(seconds=57))
    assert 0 < await retries.begin_due(service(scene), scene.node) <= 3.0
    assert await stage(scene, again) is Stage.WAITING
    assert scene.slurm.asked == []


async def test_a_person_who_is_no_longer_on_the_list_gets_no_further_attempt(scene: Scene) -> None:
    """What was allowed an hour ago is asked again; the person is told why it is not."""
    again = await waiting(scene)
    scene.node.policy = replace(scene.node.policy, users=())
    await retries.begin_due(service(scene), scene.node)
    assert await stage(scene, again) is Stage.WITHDRAWN
    told = await lead(scene, f"request/{again.id}/given-up")
    assert told.startswith("@U1 Attempt 2 of 3 was not submitted. You are not on the list")
    assert "Attempt 2 of 3 was called off. You are not on the list" in plain(
        (await living(scene)).lead
    )


async def test_a_job_that_slurm_requeued_is_not_run_twice(scene: Scene) -> None:
    """An administrator, or Slurm itself, may have put it back into the queue."""
    again = await waiting(scene)
    scene.runs()
    await retries.begin_due(service(scene), scene.node)
    assert await stage(scene, again) is Stage.WITHDRAWN
    told = await lead(scene, f"request/{again.id}/given-up")
    assert "Slurm itself runs job 75 again." in told


async def test_while_the_cluster_is_silent_it_waits_and_says_so(scene: Scene) -> None:
    """It can still be stopped; nothing is repeated to nobody's use."""
    again = await waiting(scene)
    scene.slurm.instead["scontrol show job"] = ClusterUnreachable("alice does not answer")
    assert await retries.begin_due(service(scene), scene.node) == retries.LOOK_EVERY
    assert await stage(scene, again) is Stage.WAITING
    card = await living(scene)
    assert "Attempt 2 of 3 is due. alice does not answer. Still trying" in plain(card.lead)
    assert [button.label for button in card.buttons] == ["Stop Retrying"]


async def test_only_its_person_or_an_operator_stops_it_and_only_while_it_waits(
    scene: Scene,
) -> None:
    """A click comes twice; the second one is told that it is over."""
    again = await waiting(scene)
    with pytest.raises(NotAllowed):
        await retries.stop(service(scene), click(again, "U2"))
    assert await stage(scene, again) is Stage.WAITING
    await retries.stop(service(scene), click(again, "U9"))
    assert await stage(scene, again) is Stage.WITHDRAWN
    assert "@U9 wants no further one." in await lead(scene, f"request/{again.id}/attempt")
    with pytest.raises(Gone):
        await retries.stop(service(scene), click(again, "U9"))


def click(request: Request, user: str) -> Act:
    """A click on Stop Retrying."""
    return Act(
        id=f"click {user}",
        kind=ActKind.BUTTON,
        caller=Caller(team="T1", user=user, channel="C1"),
        at=datetime.now(UTC),
        action="stop_retrying",
        value=request.id,
    )
