"""Secrets, clusters and the doctor from Slack, over Google Cloud's tunnel; no secret leaks."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from bot.demo.cluster import EmbeddedCluster
from tests.cluster_fixture import Person, alice
from tests.e2e.hands import key_of, words
from tests.e2e.room import Room, live_room

pytestmark = pytest.mark.asyncio(loop_scope="session")
__all__ = ["alice"]
PASTED = "hf_" + "pAst3d" * 6


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def far(
    cluster: EmbeddedCluster, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Room]:
    """A room whose bot reaches the cluster through `gcloud compute start-iap-tunnel` alone."""
    keys = {"proxy_command": json.dumps(cluster.address.beyond.tunnel())}
    folder = tmp_path_factory.mktemp("far")
    async with live_room(cluster, folder, keys=keys, ask_above=1000.0) as opened:
        yield opened


async def test_the_secrets_are_put_in_place_and_accepted(far: Room, alice: Person) -> None:
    """On the cluster, in NeMo-RL's file, with their services."""
    answer = words(await far.hands.asked("/slurm secrets"))
    assert "The secrets of" in answer
    assert "are in place" in answer
    assert answer.count("accepted") == 2
    modes = await alice.ssh(
        f"stat -c %a ~/.sbatchat/secrets.sh {alice.address.nemo_rl}/configs/auth.sh"
    )
    assert modes.stdout.split() == ["600", "600"]


async def test_how_the_cluster_is_and_how_it_is_reached(far: Room) -> None:
    """Through the tunnel, in so many milliseconds."""
    answer = words(await far.hands.asked("/slurm clusters"))
    assert "alice answers." in answer
    assert "4 nodes" in answer
    assert "through env" in answer
    assert " ms" in answer


async def test_the_doctor_says_that_it_looks_and_then_what_it_found(far: Room) -> None:
    """One message, which changes."""
    await far.hands.slash("/slurm doctor")
    card = await far.hands.shows(lambda m: key_of(m).startswith("doctor/"), 20)
    done = words(await far.hands.becomes(card, "is well", 60))
    for check in ("git server", "NeMo-RL image", "gcloud", "buckets", "login node", "HF_TOKEN"):
        assert check in done


@pytest.mark.parametrize("way", ["command", "mention"])
async def test_a_pasted_token_is_answered_and_kept_nowhere(far: Room, way: str) -> None:
    """Nothing is run; where to revoke it is said at once."""
    if way == "command":
        answer = words(await far.hands.asked(f"/slurm submit x.sh HF_TOKEN={PASTED}"))
    else:
        bot = far.slack.platform.identity.bot_user_id
        await far.hands.say(f"<@{bot}> submit x.sh HF_TOKEN={PASTED}")
        card = await far.hands.shows(lambda m: key_of(m).startswith("act/"), 20)
        answer = words(card)
        assert "Delete your message" in answer
    assert "a Hugging Face token" in answer
    assert "huggingface.co/settings/tokens" in answer
    assert PASTED not in _kept(far)


async def test_nothing_shows_the_secrets_of_a_launch(far: Room, alice: Person) -> None:
    """Neither the bot's database and log, nor Slack, nor any program's arguments."""
    beyond = far.cluster.address.beyond
    secrets = [path.read_text().strip() for path in (beyond.hf_token, beyond.wandb_key)]
    card = await far.hands.launched("/nemo run pretrain/gpt2_345m_pt.py -p a3u --time 10")
    await far.hands.becomes(card, "Job", 60)
    shown = await alice.ssh("ps axww -o args; grep -rl . ~/.sbatchat/requests | xargs cat")
    traffic = str([call.shown() for call in far.slack.platform.traffic.since(0)])
    for secret in secrets:
        assert secret not in shown.stdout
        assert secret not in traffic
        assert secret not in _kept(far)


def _kept(far: Room) -> str:
    """All that the bot keeps: its database, with what is not yet in it, and its log."""
    files = [path for path in Path(far.directory).iterdir() if path.is_file()]
    assert {"bot.log", "bot.db"} <= {path.name for path in files}
    return "".join(path.read_bytes().decode("utf-8", "replace") for path in files)
