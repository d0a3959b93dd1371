"""A container image made of a Docker image, from Slack: made, refused in words; no token leaks."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from bot.demo.cluster import EmbeddedCluster
from tests.cluster_fixture import account
from tests.e2e.hands import Json, words
from tests.e2e.room import Room, live_room, said, told

pytestmark = pytest.mark.asyncio(loop_scope="session")

CUSTOM = "us-docker.pkg.dev/alice-training/images/nemo-custom"
TOKEN = b"ya29."  # how each access token of Google begins


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def lab(
    cluster: EmbeddedCluster, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Room]:
    """A room in which the bot works all the time."""
    async with live_room(cluster, tmp_path_factory.mktemp("images")) as opened:
        yield opened


class Onlooker:
    """Sees the command line of every process of this machine, as `ps` shows it to anybody."""

    def __init__(self) -> None:
        self.seen: set[bytes] = set()

    async def look(self) -> None:
        """Look on, until cancelled."""
        while True:
            for entry in Path("/proc").iterdir():
                if entry.name.isdecimal():
                    self._read(entry / "cmdline")
            await asyncio.sleep(0.02)

    def _read(self, file: Path) -> None:
        try:
            self.seen.add(file.read_bytes())
        except OSError:
            return


async def test_an_image_is_made_and_no_token_is_seen_anywhere(lab: Room) -> None:
    """Not in a command line, a file on the cluster, the database, the log or the channel."""
    onlooker = Onlooker()
    looking = asyncio.create_task(onlooker.look())
    async with told(lab) as hands:
        card = await hands.launched(f"/nemo image build {CUSTOM}:25.07 --name e2e -p a3m")
        images = lab.cluster.address.images
        assert f"The image is {images}/e2e.sqsh" in words(card)
        assert "no GPUs" in words(card)
        done = await hands.becomes(card, "Completed after", 90)
        done = await hands.becomes(card, "Use it with", 30)
        assert f"{images}/e2e.sqsh" in words(done)
        assert "/nemo run RECIPE -i e2e.sqsh" in words(done)
        await hands.reply(done, "Use it with")
    looking.cancel()
    assert await said(lab, f"head -c 4 {images}/e2e.sqsh; ls {images}/e2e.sqsh*") == (
        f"hsqs{images}/e2e.sqsh\n"
    )
    assert any(b"enroot" in line and b"import" in line for line in onlooker.seen)
    assert not any(TOKEN in line for line in onlooker.seen)
    assert await said(lab, "grep -rlaF ya29. ~/.sbatchat || true") == ""
    assert await said(lab, "grep -lF 'Authentication succeeded' ~/.sbatchat/images/*.out")
    assert await said(lab, "find /dev/shm /tmp -name 'image-build.*' 2>/dev/null || true") == ""
    for file in lab.directory.iterdir():
        assert TOKEN not in file.read_bytes(), file
    assert TOKEN.decode() not in json.dumps(await lab.hands.messages())


async def test_the_image_is_then_known_by_its_name(lab: Room) -> None:
    """To a recipe, as the answer said."""
    async with told(lab) as hands:
        line = "/nemo run pretrain/llama3p1_2b_pt.py -p a3m -i e2e.sqsh --time 10 --dry-run"
        shown = words(await hands.asked(line, 60))
        assert f"-i {lab.cluster.address.images}/e2e.sqsh" in shown


@pytest.mark.parametrize(
    ("reference", "why", "what_to_do"),
    [
        (f"{CUSTOM}:none", "The registry has no such image or tag.", "Look at the name"),
        (
            "us-docker.pkg.dev/alice-training/secret/nemo:1",
            "The cluster's Google account may not read this image.",
            "Artifact Registry Reader",
        ),
        ("quay.io/a/b:1", "The node does not find the registry quay.io.", "Look at its name"),
    ],
)
async def test_a_build_that_fails_says_why_and_the_old_image_stays(
    lab: Room, reference: str, why: str, what_to_do: str
) -> None:
    """With what to do about it; nothing half made is left."""
    images = lab.cluster.address.images
    await account(lab.cluster).ssh(f"printf old >{images}/kept.sqsh")
    async with told(lab) as hands:
        card = await hands.launched(f"/nemo image build {reference} --name kept -p a3m")
        await hands.becomes(card, "Failed after", 90)
        answer = await hands.reply(card, why)
        assert what_to_do in words(answer)
        assert "returned error code" in words(answer) or "Could not resolve" in words(answer)
    assert await said(lab, f"cat {images}/kept.sqsh; cd {images}; ls kept*") == "oldkept.sqsh\n"


async def test_without_a_google_account_it_says_who_must_log_in(lab: Room) -> None:
    """And the same build goes through once somebody has."""
    credentials = "~/.config/gcloud/credentials.json"
    await account(lab.cluster).ssh(f"mv {credentials} {credentials}.away")
    async with told(lab) as hands:
        try:
            card = await hands.launched(f"/nemo image build {CUSTOM}:25.07 --name again -p a3m")
            answer = await hands.reply(card, "gcloud gives no access token for the registry.", 90)
            assert "gcloud auth login" in words(answer)
        finally:
            await account(lab.cluster).ssh(f"mv {credentials}.away {credentials}")
        again = await hands.pressed(answer, "rerun_same")
        await hands.becomes(again, "Use it with", 90)


async def test_builds_of_the_same_image_wait_for_one_another(lab: Room) -> None:
    """And say so; a cancelled one lets the next go on."""
    images = lab.cluster.address.images
    async with told(lab) as hands:
        nodes = "alice-a3m-0,alice-a3m-1"
        hold = await account(lab.cluster).sbatch(
            f"-w {nodes} -N 2 --exclusive -p a3m jobs/sleep.sh 120"
        )
        first = await hands.launched(f"/nemo image build {CUSTOM}:25.07 --name twice -p a3m")
        second = await hands.launched(f"/nemo image build {CUSTOM}:latest --name twice -p a3m")
        job = re.search(r"Job\s+(\d+)", words(first))
        assert job
        await hands.becomes(second, f"job {job[1]}", 60)
        await hands.asked(f"/slurm cancel {job[1]}")
        await hands.becomes(first, "Cancelled by", 60)
        await account(lab.cluster).ssh(f"scancel {hold}")
        await hands.becomes(second, "Use it with", 120)
    assert await said(lab, f"cd {images} && ls twice*") == "twice.sqsh\n"


@pytest.mark.parametrize(
    ("typed", "said_back"),
    [
        ("us-docker.pkg.dev/{YOUR_CONTAINER_IMG_URI}:x", "stands for something of yours"),
        (f"{CUSTOM}:1 -N 2", "-N"),
        ("gs://vmds-containers-us/x.sqsh", "/nemo image pull"),
    ],
)
async def test_what_cannot_be_built_is_refused_at_once(
    lab: Room, typed: str, said_back: str
) -> None:
    """In words, and nothing reaches the cluster."""
    before = await said(lab, "squeue -h -t all | wc -l")
    async with told(lab) as hands:
        answer: Json = await hands.asked(f"/nemo image build {typed}")
        assert said_back in words(answer)
    assert await said(lab, "squeue -h -t all | wc -l") == before
