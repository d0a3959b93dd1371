"""Interactive NeMo-RL from Slack on a real Slurm: the way in, commands, release, failures."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from bot.demo.cluster import EmbeddedCluster
from bot.demo.slack.workspace import ADMIN, OUTSIDER
from tests.cluster_fixture import Person, alice
from tests.e2e.hands import Json, controls, number, words
from tests.e2e.journal_kill import Death
from tests.e2e.room import Room, live_room, room, told
from tests.e2e.slurm_count import shown

__all__ = ["alice"]

pytestmark = pytest.mark.asyncio(loop_scope="session")

SETTINGS = (
    '{ remind = ["25s"], attach_within = "8s", command_time = 3,'
    ' idle_after = "3s", look_for_idle_every = "2s" }'
)
SLOW = "slow_rl"
"""A copy of the folder in which the way in does not come."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def lab(
    cluster: EmbeddedCluster, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Room]:
    """A room in which nobody is asked about costs, and in which time is short."""
    keys = {"sessions": SETTINGS}
    async with live_room(
        cluster, tmp_path_factory.mktemp("interactive"), keys=keys, ask_above=1000.0
    ) as opened:
        yield opened


async def state(lab: Room, job: str) -> str:
    """How Slurm says that a job is."""
    return (await shown(lab.cluster, job))["JobState"]


async def restarted(lab: Room, dies_at: str = "") -> None:
    """Kill the bot and let it live again; with a step, for a life that ends at that step first."""
    if lab.bot.alive:
        await lab.bot.kill()
    if dies_at:
        lab.bot.start(Death(dies_at))
        async with asyncio.timeout(60):
            await lab.bot.died()
    lab.bot.start()
    await lab.online()


async def test_an_idle_cluster_is_entered_used_extended_and_released(
    lab: Room, alice: Person
) -> None:
    """The exact lines are given and lead in; killing the bot in between changes nothing."""
    async with told(lab) as hands:
        card = await hands.launched("/nemo-rl interactive -N 2 -p a3m --expires 1h --time 2h")
        coming = await hands.becomes(card, "Coming up")
        job = number(coming)
        await restarted(lab, dies_at="session_ready")
        ready = words(await hands.reply(card, "is ready", 60))
        folder = lab.cluster.address.nemo_rl
        assert f"<@{hands.user}>" in ready
        assert f"ssh -p {lab.cluster.address.port} {lab.cluster.address.user}@" in ready
        line = f"cd {folder}; bash {job}/attach.sh"
        assert line in ready
        assert f"{line} 1" in ready
        for typed, node in ((line, "alice-a3m-0"), (f"{line} 1", "alice-a3m-1")):
            found = await alice.ssh(f"export COMMAND='echo $SLURMD_NODENAME'; {typed}")
            assert found.stdout == f"{node}\n"

        status = words(await hands.asked(f"/slurm status {job}"))
        assert line in status
        assert re.search(r"Until .*, in 5\d min", status)

        await hands.click(card, "extend_session")
        await hands.reply(card, f"Extended by <@{hands.user}>")
        again = await hands.becomes(card, "Until")
        value = f"alice:{job}|3600"
        await hands.click(again, "extend_session", value)
        await hands.until(hands.whispers, lambda seen: "extended" in words(seen[-1]).lower(), 20)
        idle = words(await hands.reply(card, "have had no work since"))
        assert f"<@{hands.user}>" in idle

        refused = await hands.as_user(OUTSIDER).asked(f"/nemo-rl exec {job} -- hostname")
        assert "Only an operator" in words(refused)
        await commands(lab, alice, card, job)

        await hands.click(await hands.becomes(card, "Attach"), "cancel_job")
        ended = await hands.becomes(card, f"Released by <@{hands.user}>")
        assert controls(ended) == []
        assert (await state(lab, job)).startswith("CANCELLED")
        thread = [words(m) for m in await hands.messages(card["ts"])]
        assert sum("is ready" in text for text in thread) == 1


async def commands(lab: Room, alice: Person, card: Json, job: str) -> None:
    """An operator's commands: output, status, by mention; once, whoever dies; a time limit."""
    operator = lab.hands.as_user(ADMIN)
    pointer = await operator.asked(f"/nemo-rl exec {job} -- 'echo $((6 * 7)); exit 3'")
    assert "ended with status 3" in words(pointer)
    assert "42" in words(await operator.reply(card, "ended with status 3"))

    bot = f"<@{lab.slack.platform.identity.bot_user_id}>"
    await operator.say(f"{bot} exec -- echo '$HOME; `id`' \"it's\"", thread=card["ts"])
    answer = words(await operator.reply(card, "it's"))
    assert "$HOME; `id` it's" in answer

    await operator.slash(f"/nemo-rl exec {job} -- 'sleep 2; echo it ran >>$HOME/ran'")
    await operator.reply(card, "Runs inside job")
    await restarted(lab)
    await operator.reply(card, "it ran >>$HOME/ran ended with status 0")
    assert (await alice.ssh("cat ran; rm ran")).stdout == "it ran\n"

    await operator.slash(f"/nemo-rl exec {job} -- 'echo begun; sleep 71 & sleep 71'")
    await operator.reply(card, "Runs inside job")
    await operator.asked(f"/slurm status {job}", within=2.5)
    late = words(await operator.reply(card, "was ended after 3 s", 40))
    assert "begun" in late
    steps = await lab.cluster.run("squeue", "-s", "-h", "-j", job, "-o", "%i %j")
    assert [line for line in steps.stdout.splitlines() if line.endswith(" bash")] == []


async def test_it_is_released_when_its_time_is_up_also_by_the_next_life(lab: Room) -> None:
    """A reminder comes before; the bot is dead when the time is up, and makes up for it."""
    async with told(lab) as hands:
        card = await hands.launched("/nemo-rl interactive -p a3u --expires 40s")
        await hands.becomes(card, "Running on")
        reminder = await hands.reply(card, "in less than 25 s", 60)
        assert f"<@{hands.user}>" in words(reminder)
        assert controls(reminder) == ["extend_session", "cancel_job"]
        job = number(await hands.becomes(card, "Attach"))
        await lab.bot.kill()
        await hands.until(lambda: _ran(lab, job), lambda seconds: seconds > 41, 60)
        assert await state(lab, job) == "RUNNING"
        await restarted(lab, dies_at="session_released")
        ended = words(await hands.becomes(card, "since its time was up", 60))
        assert "Released after" in ended
        assert (await state(lab, job)).startswith("CANCELLED")
        thread = [words(m) for m in await hands.messages(card["ts"])]
        assert sum("in less than" in text for text in thread) == 1


async def _ran(lab: Room, job: str) -> int:
    hours, minutes, seconds = (await shown(lab.cluster, job))["RunTime"].split(":")
    return (int(hours) * 60 + int(minutes)) * 60 + int(seconds)


async def test_a_stay_that_the_partition_does_not_allow_is_refused_in_words(lab: Room) -> None:
    """And a time limit that ends it earlier."""
    hands = lab.hands
    refused = await hands.asked("/nemo-rl interactive -p a3u --expires 8h --time 1h")
    assert "Its time limit is 1 h, so it cannot stay for 8 h" in words(refused)
    assert "--expires 1h" in words(refused)


@pytest_asyncio.fixture(loop_scope="session")
async def slow(
    cluster: EmbeddedCluster, alice: Person, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Room]:
    """A room whose NeMo-RL never gets as far as its attach.sh."""
    folder = cluster.address.nemo_rl
    await alice.ssh(f"cp -r {folder} {SLOW} && rm -rf {SLOW}/[0-9]*")
    await alice.ssh(f"sed -i 's/:-3}}/:-600}}/' {SLOW}/scripts/ray_cluster.sh")
    home = cluster.address.home
    keys = {"sessions": SETTINGS}
    async with room(
        cluster, tmp_path_factory.mktemp("slow"), keys=keys, ask_above=1000.0
    ) as opened:
        settings = opened.directory / "sbatchat.toml"
        settings.write_text(settings.read_text().replace(folder, f"{home}/{SLOW}"))
        opened.bot.start()
        await opened.online()
        yield opened
    await alice.ssh(f"rm -rf {SLOW}")


async def test_a_way_in_that_never_comes_is_told_and_a_job_that_dies_first_too(
    slow: Room, alice: Person
) -> None:
    """Once, with what was seen last and a button; then with why it died."""
    async with told(slow) as hands:
        card = await hands.launched("/nemo-rl interactive -N 2 -p a3m --expires 1h")
        late = await hands.reply(card, "has still not come", 60)
        assert "All workers connected!" in words(late)
        assert controls(late) == ["cancel_job", "show_log"]
        job = number(await hands.becomes(card, "Running on"))
        refused = await hands.as_user(ADMIN).asked(f"/nemo-rl exec {job} -- hostname")
        assert f"no way into job {job} yet" in words(refused)
        await hands.click(late, "cancel_job")
        ended = words(await hands.becomes(card, f"Released by <@{hands.user}>"))
        assert "before there was a way in" in ended

        # Whole when it was looked at, and gone when the nodes want it.
        image = "./nemo_rl-h20260302.sqsh"
        await alice.ssh(f"sed -i '2i rm -f {image}' {SLOW}/launch.sh")
        card = await hands.launched("/nemo-rl interactive -N 2 -p a3m --expires 1h")
        ended = words(await hands.becomes(card, "Failed", 60))
        assert "before there was a way in" in ended
        why = words(await hands.reply(card, f"<@{hands.user}>"))
        assert "image" in why.lower()
