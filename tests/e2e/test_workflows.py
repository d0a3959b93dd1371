"""The steps of the source document that people do by hand, each from Slack alone."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from bot.demo.cluster import EmbeddedCluster
from tests.e2e.hands import labels, number, words
from tests.e2e.room import Room, live_room, told

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def lab(
    cluster: EmbeddedCluster, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Room]:
    """A room in which the bot works all the time, and asks before nothing."""
    async with live_room(cluster, tmp_path_factory.mktemp("lab"), ask_above=1000.0) as opened:
        yield opened


async def test_a_job_of_nemo_rl_trains_and_its_logs_and_checkpoints_are_there(lab: Room) -> None:
    """Rows 11, 14, 15 and 18: launch, logs by source, progress, the newest whole checkpoint."""
    async with told(lab) as hands:
        card = await hands.launched("/nemo-rl run dpo -N 2 -p a3m --time 10")
        await hands.becomes(card, "Running on")
        done = await hands.becomes(card, "Completed after", 180)
        job = number(done)
        await hands.becomes(card, "step", 20)
        for source, says in (
            ("driver", "Training Results"),
            ("head", "Ray"),
            ("worker 1", "worker"),
            ("slurm", ""),
        ):
            answer = words(await hands.asked(f"/slurm logs {job} {source}"))
            assert says.lower() in answer.lower(), (source, answer)
        answer = words(await hands.asked(f"/slurm checkpoints {job}"))
        assert "step_" in answer


async def test_wandb_is_left_out_in_a_copy_that_is_shown_first(lab: Room) -> None:
    """Row 12: the changed line is seen in the dry run; the job then runs without a key."""
    async with told(lab) as hands:
        shown = words(await hands.asked("/nemo-rl run sft -p a3m --no-wandb --time 10 --dry-run"))
        assert "logger.wandb_enabled=False" in shown
        card = await hands.launched("/nemo-rl run sft -p a3m --no-wandb --time 10")
        await hands.becomes(card, "Completed after", 180)


async def test_nodes_are_asked_whether_they_are_well(lab: Room) -> None:
    """Row 25: a short job, one answer for each node."""
    async with told(lab) as hands:
        card = await hands.launched("/slurm health alice-a3m-[0-1] -p a3m")
        done = await hands.becomes(card, "Completed after", 90)
        await hands.becomes(card, "2 of 2 nodes are well.", 20)
        assert labels(done) == []


async def test_the_lines_for_one_node_are_given_and_no_node_is_made_up(lab: Room) -> None:
    """Row 20: a node beyond the partition is refused with those that exist."""
    async with told(lab) as hands:
        lines = words(await hands.asked("/nemo-rl shell 1 -p a3u"))
        for line in ("ssh ", "export CLUSTER_TYPE=", "source bash_utils.sh", "nemorlinteractive 1"):
            assert line in lines
        assert "It has nodes 0 and 1" in words(await hands.asked("/nemo-rl shell 7 -p a3u"))
