"""Told before it fails: steps that stop, a loss that is lost, too little time, waiting in vain."""

from __future__ import annotations

import shlex
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from bot.demo.cluster import EmbeddedCluster
from tests.cluster_fixture import Person, account
from tests.e2e.hands import Json, controls, number, words
from tests.e2e.room import Room, live_room, told

pytestmark = pytest.mark.asyncio(loop_scope="session")

SETTINGS = '{ no_step_for = "12s", held_up_for = "5s" }'
NODES = "alice-a3u-[0-1]"

SCRIPT = r"""#!/bin/bash
# Trains as NeMo prints it: steps.sh NAME OF 'LOSS …' (a step each; `wait` waits to be let go).
index=0
for loss in $3; do
  if [ "$loss" = wait ]; then
    until [ -e "$HOME/$1.go" ]; do sleep 0.2; done
    continue
  fi
  sleep 1
  step="Training epoch 0, iteration $index/$(($2 - 1))"
  echo "$step | reduced_train_loss: $loss | train_step_timing in s: 1.0"
  index=$((index + 1))
done
"""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def lab(
    cluster: EmbeddedCluster, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Room]:
    """A room in which patience is short, and nobody is asked about costs."""
    keys = {"warnings": SETTINGS}
    folder = tmp_path_factory.mktemp("warnings")
    alice = account(cluster)
    await alice.ssh(f"printf %s {shlex.quote(SCRIPT)} >steps.sh; rm -f *.go")
    async with live_room(cluster, folder, keys=keys, ask_above=1000.0) as opened:
        yield opened
    await alice.ssh("rm -f steps.sh *.go")


@pytest.fixture(scope="module")
def alice(cluster: EmbeddedCluster) -> Person:
    """Whom the bot logs in as."""
    return account(cluster)


async def trains(lab: Room, name: str, of: int, losses: str, time: str = "10") -> Json:
    """Launch a training with these losses, and return its card."""
    line = f"/slurm submit steps.sh -p a3m -J {name} --time {time} -- {name} {of} '{losses}'"
    return await lab.hands.launched(line)


async def thread(lab: Room, card: Json) -> list[str]:
    """What the thread says."""
    return [words(message) for message in await lab.hands.messages(card["ts"])]


async def test_a_training_that_stops_is_told_once_and_goes_on(lab: Room, alice: Person) -> None:
    """Whoever dies meanwhile; the card says both, the thread's message becomes the end of it."""
    async with told(lab) as hands:
        card = await trains(lab, "stalls", 20, "3.2 " * 8 + "wait " + "3.1 " * 12)
        told_so = await hands.reply(card, "No step since", 90)
        assert f"<@{hands.user}>" in words(told_so)
        assert "The last was step 8 of 20, and one usually comes every 1 s." in words(told_so)
        assert controls(told_so) == ["show_log", "cancel_job"]
        await hands.becomes(card, "No step since")
        await lab.bot.kill()
        lab.bot.start()
        await lab.online()
        await alice.ssh("touch stalls.go")
        await hands.becomes(card, "Completed after", 90)
        said = await thread(lab, card)
        assert not any("No step since" in text for text in said)
        assert sum("without a step it went on, step" in text for text in said) == 1


async def test_a_loss_that_is_lost_is_told_while_it_trains(lab: Room, alice: Person) -> None:
    async with told(lab) as hands:
        card = await trains(lab, "diverges", 20, "3.2 3.3 9.1 nan nan nan nan wait")
        warning = await hands.reply(card, "Its loss is no longer a number.", 60)
        assert "loss NaN" in words(warning)
        assert controls(warning) == ["show_log", "cancel_job"]
        await hands.becomes(card, "Its loss is no longer a number.")
        await hands.click(warning, "cancel_job")
        await hands.becomes(card, "Cancelled by")
        said = await thread(lab, card)
        assert sum("Its loss is no longer a number." in text for text in said) == 1


async def test_a_time_limit_that_comes_first_is_told(lab: Room) -> None:
    """A thousand steps of a second do not fit into two minutes."""
    async with told(lab) as hands:
        card = await trains(lab, "late", 1000, "3 " * 120, time="2")
        warning = await hands.reply(card, "Its time limit will end it before it is done.", 90)
        shown = await hands.becomes(card, "Its time limit will end it before it is done.")
        assert f"/slurm rerun {number(shown)} --time 00:30:00" in words(warning)
        await hands.click(warning, "cancel_job")
        await hands.becomes(card, "Cancelled by")


async def test_a_job_whose_dependency_fails_says_what_to_do(lab: Room) -> None:
    async with told(lab) as hands:
        first = await hands.launched("/slurm submit jobs/sleep.sh -J first -- 600")
        job = number(await hands.becomes(first, "Running on"))
        card = await hands.launched(f"/slurm submit jobs/sleep.sh -J second --after {job} -- 1")
        await hands.becomes(card, f"It waits for job {job} to end well.")
        await hands.click(await hands.becomes(first, "Running on"), "cancel_job")
        warning = await hands.reply(card, "It will not start by itself.", 60)
        assert "launch it again once the job that it needs has ended well" in words(warning)
        await hands.click(warning, "cancel_job")
        await hands.becomes(card, "Cancelled by")


async def test_a_drained_partition_is_told_and_the_job_starts_when_it_is_back(lab: Room) -> None:
    """Nodes that others merely have are no trouble; these are."""
    async with told(lab) as hands:
        await lab.cluster.run(
            "scontrol", "update", f"NodeName={NODES}", "State=DRAIN", "Reason=repair"
        )
        try:
            card = await hands.launched("/slurm submit jobs/sleep.sh -J drained -p a3u -- 1")
            warning = await hands.reply(card, "Waiting since", 90)
            assert f"<@{hands.user}>" in words(warning)
            assert "Ask an administrator of the cluster" in words(warning)
            assert controls(warning) == ["cancel_job"]
        finally:
            await lab.cluster.run("scontrol", "update", f"NodeName={NODES}", "State=RESUME")
        await hands.becomes(card, "Completed after", 90)
        assert sum("Waiting since" in text for text in await thread(lab, card)) == 1


async def test_a_request_above_the_limit_of_one_user_is_told(lab: Room) -> None:
    """Slurm lets it wait for ever, in the words that it has for a limit that passes."""
    limit = ("sacctmgr", "-i", "modify", "qos", "normal", "set")
    async with told(lab) as hands:
        await lab.cluster.run(*limit, "MaxTRESPerUser=node=1")
        try:
            card = await hands.launched("/slurm submit jobs/sleep.sh -J beyond -p a3m -N 2 -- 1")
            warning = await hands.reply(card, "more nodes than the QOS allows one user", 90)
            assert f"<@{hands.user}>" in words(warning)
            await hands.click(warning, "cancel_job")
            await hands.becomes(card, "Cancelled by")
        finally:
            await lab.cluster.run(*limit, "MaxTRESPerUser=node=-1")
