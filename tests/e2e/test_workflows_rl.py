"""NeMo-RL from Slack where it does not go by the book: what waits, dies early, lacks something."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import pytest_asyncio

from bot.demo.cluster import EmbeddedCluster
from tests.cluster_fixture import account
from tests.e2e.hands import number, options, words
from tests.e2e.room import Room, live_room, told

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def desk(
    cluster: EmbeddedCluster, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Room]:
    """A room in which the bot works all the time, and asks before nothing."""
    async with live_room(cluster, tmp_path_factory.mktemp("desk"), ask_above=1000.0) as opened:
        yield opened


@asynccontextmanager
async def instead(desk: Room, change: str, back: str) -> AsyncIterator[None]:
    """Change something in NeMo-RL's folder for a while."""
    address = desk.cluster.address
    alice = account(desk.cluster)
    await alice.ssh(f"cd {address.nemo_rl} && {change}")
    try:
        yield
    finally:
        await alice.ssh(f"cd {address.nemo_rl} && {back}")


async def test_the_documented_lines_can_be_pasted(desk: Room) -> None:
    """With the folder before them, and either spelling of the cluster type."""
    async with told(desk) as hands:
        shown = words(
            await hands.asked(
                "/nemo-rl cd $HOME/vertex-oss-training/nemo_rl/; sbatch -N 2 --partition=a3m"
                " launch.sh --cluster-type hcc-a3m --job_script algorithms/dpo.sh --dry-run"
            )
        )
        assert (
            "sbatch -N 2 --partition=a3m --account=research launch.sh --cluster_type hcc-a3m"
            " --job_script algorithms/dpo.sh"
        ) in shown


async def test_the_launchers_spelling_is_used_and_what_it_lacks_is_said(desk: Room) -> None:
    """The documentation spells its options both ways; the script on the cluster decides."""
    spell = "sed -i.kept s/--cluster_type/--cluster-type/g launch.sh"
    async with told(desk) as hands, instead(desk, spell, "mv launch.sh.kept launch.sh"):
        shown = words(await hands.asked("/nemo-rl run dpo -p a3m --dry-run"))
        assert "launch.sh --cluster-type hcc-a3m" in shown
    rename = "sed -i.kept s/--job_script/--script/g launch.sh"
    async with told(desk) as hands, instead(desk, rename, "mv launch.sh.kept launch.sh"):
        said = words(await hands.asked("/nemo-rl run dpo -p a3m"))
        assert "has no option" in said
        assert "--script" in said


async def test_a_job_that_dies_before_its_folder_is_made_shows_what_slurm_kept(
    desk: Room,
) -> None:
    """As its cause, for a log that never came, and for checkpoints."""
    away = "mv scripts scripts.away"
    async with told(desk) as hands, instead(desk, away, "mv scripts.away scripts"):
        card = await hands.launched("/nemo-rl run dpo -p a3m --time 5 --name early")
        job = number(await hands.becomes(card, "Failed", 60))
        await hands.reply(card, "submit it from its own folder", 30)
        for asked in (f"logs {job} driver", "logs early worker 1", f"checkpoints {job}"):
            said = words(await hands.asked(f"/slurm {asked}"))
            assert "ended before" in said, said
            assert "submit it from its own folder" in said


async def test_without_its_image_nothing_is_submitted(desk: Room) -> None:
    """And what fetches it is named."""
    away = "mv nemo_rl-h20260302.sqsh image.away"
    back = "mv image.away nemo_rl-h20260302.sqsh"
    async with told(desk) as hands, instead(desk, away, back):
        said = words(await hands.asked("/nemo-rl run dpo -p a3m"))
        assert "There is no image" in said
        assert "/nemo image pull nemo-rl" in said


async def test_a_job_that_waits_for_one_of_its_name_says_so(desk: Room) -> None:
    """In its message and when asked; until that one is gone."""
    line = "/slurm submit jobs/sleep.sh -d singleton -J twin -p a3m --time 5"
    async with told(desk) as hands:
        first = await hands.launched(line)
        one = number(await hands.becomes(first, "Running on"))
        second = await hands.launched(line)
        two = number(await hands.becomes(second, f"waits for job {one} of the same name"))
        assert f"waits for job {one} of the same name" in words(
            await hands.asked(f"/slurm why {two}")
        )
        await hands.click(first, "cancel_job")
        await hands.becomes(second, "Running on")
        await hands.click(second, "cancel_job")
        await hands.becomes(second, "Cancelled")


async def test_a_requeued_job_goes_on_and_its_epochs_are_told(desk: Room) -> None:
    """From the newest whole checkpoint, in the same folder."""
    async with told(desk) as hands:
        card = await hands.launched("/nemo-rl run dpo -p a3u --time 10")
        job = number(await hands.becomes(card, "Running on"))
        address = desk.cluster.address
        alice = account(desk.cluster)
        saved = f"{address.nemo_rl}/{job}/checkpoints/step_10"
        await alice.ssh(f"until [ -d {saved} ]; do sleep 0.2; done; scontrol requeue {job}")
        await hands.reply(card, "Requeued by Slurm", 60)
        # Slurm lets it wait for two minutes, in which it cleans up; a person may not want to.
        await alice.ssh(f"scontrol update jobid={job} starttime=now")
        await hands.becomes(card, "Completed after", 240)
        await hands.becomes(card, "epoch 4 of 4", 20)
        said = words(await hands.asked(f"/slurm logs {job} driver --grep Resuming"))
        assert "Resuming from checkpoint" in said
        assert "/step_40" in words(await hands.asked(f"/slurm checkpoints {job}"))


async def test_a_training_without_a_key_for_wandb_is_mended_by_a_click(desk: Room) -> None:
    """SFT logs to Weights & Biases unless told otherwise."""
    forget = "sed -i.kept 's/^python3/WANDB_API_KEY= &/' algorithms/sft.sh"
    back = "mv algorithms/sft.sh.kept algorithms/sft.sh"
    async with told(desk) as hands, instead(desk, forget, back):
        card = await hands.launched("/nemo-rl run sft -p a3m --time 5")
        await hands.becomes(card, "Failed", 90)
        why = await hands.reply(card, "Weights & Biases", 30)
        again = await hands.pressed(why, "without_wandb")
        shown = words(await hands.becomes(again, "Completed after", 120))
        assert "no wandb" in shown
        assert "logger.wandb_enabled=False" in shown


async def test_a_partition_that_does_not_exist_is_replaced_by_one_that_does(desk: Room) -> None:
    """Its cluster type follows, which nobody can know of a partition that is not there."""
    async with told(desk) as hands:
        offer = await hands.asked("/nemo-rl run dpo -p general --time 5")
        assert "has no partition" in words(offer)
        place = next(value for label, value in options(offer).items() if label.startswith("a3u"))
        card = await hands.pressed(offer, "resubmit_partition", place)
        await hands.becomes(card, "Completed after", 120)
