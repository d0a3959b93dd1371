"""Set-up and images from Slack alone: done, joined, stopped, refused, killed on the way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from bot.demo.cluster import EmbeddedCluster
from bot.demo.slack.workspace import ADMIN
from tests.e2e.hands import Hands, Json, key_of, labels, words
from tests.e2e.room import Room, live_room, said, told

pytestmark = pytest.mark.asyncio(loop_scope="session")

BUCKET = "gs://vmds-containers-us/vmds_nemo_squashfs"
MADE = "~/nemo-venv ~/vertex-oss-training/nemo_rl/RL ~/images/pulled*"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def lab(
    cluster: EmbeddedCluster, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Room]:
    """A room in which the bot works all the time."""
    async with live_room(cluster, tmp_path_factory.mktemp("errands"), ask_above=1000.0) as opened:
        yield opened
        await said(opened, f"rm -rf {MADE}")


def is_errand(message: Json) -> bool:
    """Whether a message is that of an errand."""
    return key_of(message).startswith("errand/")


async def begun(hands: Hands, line: str) -> Json:
    """Type a line and return the message of the errand that it begins."""
    before = {key_of(message) for message in await hands.messages()}
    typed = await hands.slash(line)
    assert typed["acked"], typed
    return await hands.shows(lambda m: is_errand(m) and key_of(m) not in before, 30)


async def test_nemo_is_set_up_and_what_was_made_is_used(lab: Room) -> None:
    """Rows 3 and 7: an environment with NeMo-Run, the recipes; each step checked."""
    async with told(lab) as hands:
        card = await begun(hands, "/nemo setup")
        done = words(await hands.becomes(card, "Done on alice", 120))
        commit = (await said(lab, "git -C ~/vertex-oss-training rev-parse --short HEAD")).strip()
        for line in ("NeMo-Run 0.11.1 (commit ", f"Recipes at {commit}", "run.py --help works"):
            assert line in done
        shown = words(await hands.asked("/nemo run pretrain/llama3p1_2b_pt.py -p a3m --dry-run"))
        assert "/nemo-venv/bin/python run.py" in shown
        again = await begun(hands, "/nemo setup")
        assert "already there" in words(await hands.becomes(again, "Done on alice", 60))


async def test_nemo_rl_is_set_up_with_its_submodules(lab: Room) -> None:
    """Row 8."""
    async with told(lab) as hands:
        card = await begun(hands, "/nemo-rl setup")
        assert "1 submodule checked out, none missing" in words(
            await hands.becomes(card, "Done on alice", 60)
        )
        status = await said(lab, "git -C ~/vertex-oss-training/nemo_rl/RL submodule status")
        assert status.startswith(" ")


async def test_an_image_is_pulled_while_the_bot_is_killed(lab: Room) -> None:
    """Row 4: the copy goes on; the next life of the bot tells its end in the same message."""
    async with told(lab) as hands:
        card = await begun(hands, f"/nemo image pull {BUCKET}/nemo-20250721.sqsh --to pulled.sqsh")
        await hands.becomes(card, "Copying", 20)
        await lab.bot.kill()
        await asyncio.sleep(1)
        lab.bot.start()
        await lab.online()
        done = words(await hands.becomes(card, "Done on alice", 60))
        assert "whole squashfs image" in done
        starts = [line for line in lab.bot.steps() if line == "errand_started"]
        assert len(starts) == len([m for m in await hands.messages() if is_errand(m)])
        listed = words(await hands.asked("/nemo image list"))
        assert "pulled.sqsh" in listed
        assert "not whole" not in listed


async def test_a_pull_is_joined_and_stopped_and_nothing_stays(lab: Room) -> None:
    """A second person learns who is at work; Stop takes away what was begun."""
    async with told(lab) as hands:
        line = f"/nemo image pull {BUCKET}/nemo-20250721.sqsh --to pulled2.sqsh"
        card = await begun(hands, line)
        copying = await hands.becomes(card, "Copying", 20)
        assert "at work on alice already" in words(await hands.as_user(ADMIN).asked(line))
        await hands.click(copying, "stop_errand")
        stopped = await hands.becomes(card, "Stopped by", 30)
        assert labels(stopped) == ["Try Again"]
        assert "pulled2" not in await said(lab, "ls ~/images")


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (f"{BUCKET}/nemo-internal.sqsh", "may not read"),
        (f"{BUCKET}/none.sqsh", "There is no"),
        (f"{BUCKET}/nemo-truncated.sqsh", "itself is not whole"),
        ("gs://vmds-containers-restricted/a/b.sqsh", "policy forbids"),
    ],
)
async def test_what_cannot_be_pulled_says_why(lab: Room, source: str, says: str) -> None:
    """In words, with what the program printed, and nothing half-written."""
    async with told(lab) as hands:
        card = await begun(hands, f"/nemo image pull {source} --to pulled3.sqsh")
        assert labels(await hands.becomes(card, says, 60)) == ["Try Again"]
        assert "pulled3" not in await said(lab, "ls ~/images")


async def test_missing_credentials_name_the_page_to_visit(lab: Room) -> None:
    """Put in place, the same is tried again by a click."""
    async with told(lab) as hands:
        await said(lab, "mv ~/.gitcookies ~/.gitcookies.away")
        try:
            card = await begun(hands, "/nemo-rl setup")
            failed = await hands.becomes(card, "has no credentials", 60)
            assert "https://www.googlesource.com/new-password" in words(failed)
        finally:
            await said(lab, "mv ~/.gitcookies.away ~/.gitcookies")
        before = {key_of(message) for message in await hands.messages()}
        await hands.click(failed, "errand_again")
        again = await hands.shows(lambda m: is_errand(m) and key_of(m) not in before, 30)
        await hands.becomes(again, "Done on alice", 60)


async def test_an_account_that_gcloud_does_not_know_logs_in_first(lab: Room) -> None:
    """The sentence says how."""
    async with told(lab) as hands:
        where = "~/.config/gcloud"
        await said(lab, f"mv {where} {where}.away")
        try:
            card = await begun(hands, f"/nemo image pull {BUCKET}/none.sqsh")
            assert "gcloud auth login" in words(await hands.becomes(card, "no account", 30))
        finally:
            await said(lab, f"rm -rf {where}; mv {where}.away {where}")
