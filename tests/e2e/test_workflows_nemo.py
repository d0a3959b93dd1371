"""NeMo recipes from Slack: what there is to launch, options of the launcher, experiments."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from bot.demo.cluster import EmbeddedCluster
from tests.e2e.hands import labels, options, words
from tests.e2e.room import Room, live_room, told

pytestmark = pytest.mark.asyncio(loop_scope="session")

CHAIN = "sft/llama3p1_2b_pt_sft.py"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def bench(
    cluster: EmbeddedCluster, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Room]:
    """A room in which the bot works all the time, and asks before nothing."""
    async with live_room(cluster, tmp_path_factory.mktemp("bench"), ask_above=1000.0) as opened:
        yield opened


async def test_the_recipes_are_listed_by_kind_with_their_commit(bench: Room) -> None:
    """Each as the command that launches it; a run without a recipe lists them, too."""
    async with told(bench) as hands:
        listed = words(await hands.asked("/nemo recipes"))
        for part in ("Pre-training", f"/nemo run {CHAIN}", "release-allowlist-ga", "commit: "):
            assert part in listed
        tuned = words(await hands.asked("/nemo recipes sft"))
        assert f"/nemo run {CHAIN}" in tuned
        assert "pretrain/" not in tuned
        assert f"/nemo run {CHAIN}" in words(await hands.asked("/nemo run"))


async def test_what_the_launcher_lacks_is_refused_and_nothing_runs(bench: Room) -> None:
    """With what it has instead; a recipe is guessed at among those there are."""
    async with told(bench) as hands:
        said = words(
            await hands.asked(f"/nemo run {CHAIN} -p a3m --checkpint-every 5 --dry-run", 60)
        )
        assert "has no option" in said
        assert "--checkpoint-every" in said
        wrong = words(await hands.asked("/nemo run pretrain/llama3p1_8b.py -p a3m"))
        assert "pretrain/llama3p1_8b_pt.py" in wrong


async def test_two_jobs_of_one_recipe_are_one_experiment(bench: Room) -> None:
    """Row 13: told, asked for and read by the id that NeMo-Run gives it."""
    async with told(bench) as hands:
        line = f"/nemo run {CHAIN} -p a3m --time 10 --experiment-name pair --checkpoint-every 50"
        card = await hands.launched(line)
        both = await hands.becomes(card, "waiting")
        assert labels(both) == ["Cancel All Jobs"]
        runs = await hands.becomes(card, "1 running and 1 waiting")
        assert "It waits for job" in words(runs)
        assert len(options(runs)) == 1
        done = await hands.becomes(card, "Both jobs completed.", 180)
        assert "llama3p1_2b_pt" in words(done)
        assert "llama3p1_2b_sft" in words(done)
        shown = words(await hands.asked("/nemo experiment status pair"))
        assert "Both jobs completed." in shown
        log = words(await hands.asked("/nemo experiment logs pair 1 -n 20"))
        assert "Trainer.fit" in log
        begun = words(await hands.asked("/nemo experiment logs pair 1 --grep RestoreConfig"))
        assert re.search(r"RestoreConfig\(path='\S+/\d+/checkpoints/llama3p1_2b--", begun)
        listed = await hands.asked("/slurm jobs")
        assert "2 of 2" in str(listed["blocks"])


async def test_all_jobs_of_an_experiment_are_cancelled_by_one_click(bench: Room) -> None:
    """The one that waits as well."""
    async with told(bench) as hands:
        card = await hands.launched(f"/nemo run {CHAIN} -p a3u --time 10 --experiment-name gone")
        both = await hands.becomes(card, "2 jobs")
        assert (await hands.click(both, "cancel_all"))["acked"]
        await hands.becomes(card, "Both jobs cancelled.", 60)
