"""--retries on a real Slurm: failures that pass or stay, a bad node, a change of mind."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from bot.demo.cluster import EmbeddedCluster
from bot.demo.slack.workspace import OUTSIDER
from tests.e2e.again import again
from tests.e2e.hands import controls, is_root, labels, number, words
from tests.e2e.room import Room, live_room, said, told
from tests.e2e.slurm_count import jobs_named, shown

pytestmark = pytest.mark.asyncio(loop_scope="session")

PORT = "RuntimeError: The server socket has failed to listen: errno: 98 - Address already in use"
STOP = "Stop Retrying"
PATIENT = {"retry_after": '"8s"'}
"""Long enough for the bot to be stopped meanwhile."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def lab(
    cluster: EmbeddedCluster, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Room]:
    """A room whose bot waits two seconds before it tries again."""
    directory = tmp_path_factory.mktemp("retries")
    async with live_room(cluster, directory, keys={"retry_after": '"2s"'}) as opened:
        yield opened


async def test_a_failure_that_passes_is_run_again_until_it_works(lab: Room) -> None:
    """Two attempts fail, the third completes; one message in the channel tells of all three."""
    async with told(lab) as hands:
        card = await hands.launched("/slurm submit jobs/flaky.sh -J passes --retries 3 -- 2 port")
        assert "Attempt  1 of 4" in words(card)
        first = number(await hands.reply(card, "is taken by another process", 60))
        await hands.reply(card, "Attempt 2 of 4 is job")
        await hands.reply(card, "Attempt 3 of 4 is job", 60)
        done = await hands.becomes(card, "Completed after", 60)
        jobs = await jobs_named(lab.cluster, "passes")
        assert jobs[0].id == first
        assert [job.state for job in jobs] == ["FAILED", "FAILED", "COMPLETED"]
        assert f"Attempt  3 of 4, after job {jobs[1].id}" in words(done)
        assert number(done) == jobs[2].id
        roots = [m for m in await hands.messages() if is_root(m)]
        assert len(roots) == 1
        listed = words(await hands.asked("/slurm jobs"))
        assert "passes (attempt 2 of 4)" in listed
        assert "passes (attempt 3 of 4)" in listed
        bot = (await hands.see("info"))["bot"]["user_id"]
        thread = len(await hands.messages(card["ts"]))
        await hands.say(f"<@{bot}> status", thread=card["ts"])
        answer = await hands.newest(card["ts"], thread)
        assert f"Job {jobs[2].id}: Completed" in words(answer)


async def test_a_failure_that_stays_is_not_run_again(lab: Room) -> None:
    """A file that is not there will not be there the next time."""
    async with told(lab) as hands:
        card = await hands.launched("/slurm submit jobs/flaky.sh -J stays --retries 3 -- 9 data")
        await hands.becomes(card, "Failed")
        end = await hands.reply(card, "Not run again by itself")
        assert "comes again until it is mended" in words(end)
        await hands.becomes(card, "Attempt  1 of 4, and the last")
        assert len(await jobs_named(lab.cluster, "stays")) == 1


async def test_the_attempts_are_used_up(lab: Room) -> None:
    """It says how each of them failed, and leaves it at that."""
    async with told(lab) as hands:
        card = await hands.launched("/slurm submit jobs/flaky.sh -J used --retries 1 -- 9 port")
        end = await hands.reply(card, "Both attempts failed", 60)
        jobs = await jobs_named(lab.cluster, "used")
        assert len(jobs) == 2
        for nth, job in enumerate(jobs, 1):
            assert f"Attempt {nth}, job {job.id}: The port" in words(end)
        root = await hands.becomes(card, "Attempt  2 of 2, and the last")
        assert STOP not in labels(root)


async def test_a_node_to_blame_is_left_out_until_there_is_no_other(lab: Room) -> None:
    """The second attempt runs on the other node; when that fails alike, it is given up."""
    async with told(lab) as hands:
        card = await hands.launched(
            "/slurm submit jobs/flaky.sh -J sick -p a3u --retries 5 -- 9 gpu"
        )
        await hands.reply(card, "It keeps away from", 60)
        end = await hands.reply(card, "in the same way on", 90)
        assert "too few nodes would be left" in words(end)
        jobs = await jobs_named(lab.cluster, "sick")
        seen = [await shown(lab.cluster, job.id) for job in jobs]
        assert len(seen) == 2
        assert seen[1]["ExcNodeList"] == seen[0]["NodeList"]
        assert seen[1]["NodeList"] != seen[0]["NodeList"]


async def test_a_training_goes_on_from_its_last_checkpoint(lab: Room) -> None:
    """Where the launcher takes settings: the folder of the job before is one."""
    async with told(lab) as hands, again(lab, PORT) as folder:
        card = await hands.launched("/nemo-rl run again -p a3m --time 5 --retries 1")
        first = number(await hands.reply(card, "is taken by another process", 90))
        goes_on = await hands.reply(card, "It goes on from the checkpoint of step 10", 30)
        done = words(await hands.becomes(card, "Completed after", 120))
        setting = f"checkpointing.checkpoint_dir={folder}/{first}/checkpoints"
        assert f"after job {first}, arguments: none → {setting}" in done
        assert "step 20" in words(await hands.asked(f"/slurm checkpoints {first}"))
        assert goes_on["thread_ts"] == card["ts"]


async def test_a_recipe_is_run_again_with_the_same_folders(lab: Room) -> None:
    """Through run.py and the shim, away from the node that lost its GPU."""
    recipes = lab.cluster.address.workdir
    recipe = base64.b64encode(RECIPE.encode()).decode()
    await said(lab, f"echo {recipe} | base64 -d >{recipes}/pretrain/loses_gpu.py")
    try:
        async with told(lab) as hands:
            card = await hands.launched(
                "/nemo run pretrain/loses_gpu.py -p a3u --time 5 --retries 2"
                " --cache-dir ~/.cache/loses-gpu --experiment-name loses-gpu"
            )
            await hands.reply(card, "It keeps away from", 90)
            await hands.becomes(card, "Completed after", 120)
        seen = [
            await shown(lab.cluster, job.id) for job in await jobs_named(lab.cluster, "loses-gpu")
        ]
        assert len(seen) == 2
        assert seen[1]["ExcNodeList"] == seen[0]["NodeList"]
    finally:
        await said(lab, f"rm {recipes}/pretrain/loses_gpu.py")


RECIPE = """
import os, pathlib, sys
mark = pathlib.Path(os.environ["CACHE_DIR"], "ran")
if not mark.exists():
    mark.touch()
    sys.exit("RuntimeError: CUDA error: uncorrectable ECC error encountered")
"""


async def test_what_people_or_slurm_end_is_not_run_again(lab: Room) -> None:
    """Cancelled means cancelled; and what Slurm requeues is its own affair."""
    async with told(lab) as hands:
        card = await hands.launched("/slurm submit jobs/sleep.sh -J ended --retries 3 -- 300")
        job = number(await hands.becomes(card, "Running on"))
        await said(lab, f"scontrol requeue {job}")
        await hands.reply(card, "Requeued by Slurm", 60)
        await hands.click(card, "cancel_job")
        await hands.reply(card, "Not run again: it was cancelled.")
        assert len(await jobs_named(lab.cluster, "ended")) == 1


async def test_a_job_that_runs_again_is_ended_by_its_new_number(lab: Room) -> None:
    """Whoever types the old one is told the new one."""
    async with told(lab) as hands:
        line = "/slurm submit jobs/flaky.sh -J renamed -p a3m --retries 1 -- 1 port 300"
        card = await hands.launched(line)
        old = number(await hands.reply(card, "is taken by another process", 60))
        await hands.reply(card, "Attempt 2 of 2 is job", 60)
        new = number(await hands.becomes(card, "Running on"))
        answer = words(await hands.asked(f"/slurm cancel {old}"))
        assert f"Attempt 2 of 2 is job {new}" in answer
        await hands.asked(f"/slurm cancel {new}")
        await hands.becomes(card, "Cancelled by")


async def test_people_stop_further_attempts(cluster: EmbeddedCluster, tmp_path: Path) -> None:
    """By the button, by /slurm cancel, or by running it again; others may not."""
    async with (
        live_room(cluster, tmp_path, keys={"retry_after": '"10m"'}) as lab,
        told(lab) as hands,
    ):
        line = "/slurm submit jobs/flaky.sh -J {} --retries 3 -- 9 port"
        card = await hands.launched(line.format("clicked"))
        card = await hands.becomes(card, "Attempt 2 of 4 starts", 60)
        assert labels(card) == [STOP]
        assert STOP in labels(await hands.reply(card, "A failure like this may pass by itself"))
        await hands.as_user(OUTSIDER).click(card, "stop_retrying")
        await hands.until(
            hands.as_user(OUTSIDER).whispers,
            lambda seen: any("may stop it" in words(one) for one in seen),
            20,
        )
        await hands.click(card, "stop_retrying")
        card = await hands.becomes(card, "Attempt 2 of 4 was called off")
        assert controls(card) == []
        line_of_it = await hands.reply(card, "wants no further one")
        assert STOP not in labels(line_of_it)

        typed = await hands.launched(line.format("typed"))
        typed = await hands.becomes(typed, "Attempt 2 of 4 starts", 60)
        assert "Attempt 2 of 4 starts" in words(await hands.asked("/slurm jobs"))
        answer = await hands.asked(f"/slurm cancel {number(typed)}")
        assert "Attempt 2 of 4 was called off" in words(answer)
        await hands.becomes(typed, "was called off")

        taken = await hands.launched(line.format("taken"))
        taken = await hands.becomes(taken, "Attempt 2 of 4 starts", 60)
        await hands.slash(f"/slurm rerun {number(taken)}")
        taken = await hands.becomes(taken, "runs it again instead")
        for name, times in (("clicked", 1), ("typed", 1), ("taken", 2)):
            assert len(await jobs_named(cluster, name)) == times, name


async def test_what_costs_is_asked_once_for_all_attempts(lab: Room) -> None:
    """One attempt alone would have been submitted unasked; the second one is."""
    async with told(lab) as hands:
        card = await hands.launched(
            "/slurm submit jobs/flaky.sh -J dear -G 8 --time 45 --retries 1 -- 1 port"
        )
        assert "It may take 6 GPU-hours, and 12 GPU-hours with all its attempts." in words(card)
        await hands.click(card, "submit")
        await hands.becomes(card, "Completed after", 90)
        assert len(await jobs_named(lab.cluster, "dear")) == 2


async def test_what_is_no_longer_allowed_is_given_up(
    cluster: EmbeddedCluster, tmp_path: Path
) -> None:
    """The bot comes back with stricter rules, under which this would have been asked about."""
    async with live_room(cluster, tmp_path, keys=PATIENT) as lab, told(lab) as hands:
        line = "/slurm submit jobs/flaky.sh -J strict -G 1 --time 5 --retries 1 -- 1 port"
        card = await hands.launched(line)
        await hands.becomes(card, "Attempt 2 of 2 starts", 60)
        await lab.bot.stop()
        settings = lab.directory / "sbatchat.toml"
        loose = settings.read_text()
        settings.write_text(loose.replace("ask_above_gpu_hours = 8.0", "ask_above_gpu_hours = 0.0"))
        assert settings.read_text() != loose
        lab.bot.start()
        await lab.online()
        told_so = await hands.reply(card, "was not submitted", 60)
        assert "nobody has confirmed that" in words(told_so)
        assert f"<@{hands.user}>" in words(told_so)
        root = await hands.becomes(card, "Attempt 2 of 2 was called off")
        assert controls(root) == []
        assert len(await jobs_named(cluster, "strict")) == 1


async def test_an_array_is_not_launched_with_retries(lab: Room) -> None:
    """Not all of its tasks need have failed."""
    answer = await lab.hands.asked("/slurm submit jobs/flaky.sh --array 0-3 --retries 1")
    assert "The tasks of an array are not run again by themselves" in words(answer)


async def test_a_restart_forgets_no_attempt(cluster: EmbeddedCluster, tmp_path: Path) -> None:
    """It waits while no bot is there, and begins in the next life, once."""
    async with (
        live_room(cluster, tmp_path, keys=PATIENT) as lab,
        told(lab) as hands,
    ):
        line = "/slurm submit jobs/flaky.sh -J restarted --retries 1 -- 1 port"
        card = await hands.launched(line)
        await hands.becomes(card, "Attempt 2 of 2 starts", 60)
        await lab.bot.stop()
        assert len(await jobs_named(cluster, "restarted")) == 1
        lab.bot.start()
        await lab.online()
        await hands.becomes(card, "Completed after", 60)
        assert len(await jobs_named(cluster, "restarted")) == 2
