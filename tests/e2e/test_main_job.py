"""The main job as people do it: launch a recipe, watch it, read why it failed, mend it."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from bot.demo.cluster import EmbeddedCluster
from bot.demo.slack.workspace import ADMIN, OUTSIDER
from tests.e2e.hands import Json, controls, labels, number, options, words
from tests.e2e.room import Room, live_room, told
from tests.e2e.slurm_count import jobs_named, shown

pytestmark = pytest.mark.asyncio(loop_scope="session")

SAME_CACHE = "Rerun With the Same Cache Dir"
PLACE = "Place Tokenizer Files"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def lab(
    cluster: EmbeddedCluster, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Room]:
    """A room in which the bot works all the time."""
    async with live_room(cluster, tmp_path_factory.mktemp("lab")) as opened:
        yield opened


def losses(message: Json) -> list[float]:
    """The losses in the lines of a log."""
    return [float(n) for n in re.findall(r"reduced_train_loss: ([0-9.]+)", words(message))]


async def test_a_partition_that_is_not_there_is_caught_chosen_anew_and_the_recipe_trains(
    lab: Room,
) -> None:
    """There is no `general`, but a3m; a card asks; the job runs, its loss falls, it completes."""
    async with told(lab) as hands:
        line = "/nemo run pretrain/llama3p1_2b_pt.py -n 2 -p general --experiment-name main"
        answer = await hands.asked(line)
        assert answer["ephemeral"] == hands.user
        assert "no partition general" in words(answer)
        offered = options(answer)
        assert {label.split(" ")[0] for label in offered} == {"a3m", "a3u"}
        assert all("nodes free" in label for label in offered)
        assert await jobs_named(lab.cluster, "main") == []

        a3m = next(value for label, value in offered.items() if label.startswith("a3m"))
        card = await hands.pressed(answer, "resubmit_partition", a3m)
        asked = words(card)
        assert "Submit this to alice? It may take 16 GPU-hours." in asked
        assert "2 nodes × 8 GPUs × 1 h" in asked
        assert labels(card) == ["Submit", "Cancel"]
        assert await jobs_named(lab.cluster, "main") == []

        await hands.click(card, "submit")
        running = await hands.becomes(card, "Running on")
        assert controls(running) == ["show_log", "cancel_job"]
        await hands.becomes(card, "loss", 90)
        done = await hands.becomes(card, "Completed after", 120)
        assert controls(done) == []
        assert "GPU-hours" in words(done)
        await hands.reply(card, "Started on")
        await hands.reply(card, "Completed after")
    await trained(lab, "main")


async def trained(lab: Room, name: str) -> None:
    """One job on both nodes completed, and the losses in its log fall."""
    (job,) = await jobs_named(lab.cluster, name)
    facts = await shown(lab.cluster, job.id)
    assert (facts["Partition"], facts["NumNodes"], job.state) == ("a3m", "2", "COMPLETED")
    found = losses(await lab.hands.asked(f"/slurm logs {job.id} training -n 300"))
    assert len(found) > 20
    assert sum(found[-5:]) < sum(found[:5])


async def test_a_link_across_devices_is_mended_by_a_rerun_with_the_same_cache(lab: Room) -> None:
    """Errno 18 the first time, as documented; one click, and the same recipe completes."""
    async with told(lab) as hands:
        first = await hands.launched(
            "/nemo run pretrain/gpt2_345m_pt.py -p a3u --time 10 --cache-dir ~/.cache/errno18"
        )
        first = await hands.becomes(first, "Failed", 120)
        why = await hands.reply(first, "Errno 18")
        assert "Invalid cross-device link" in words(why)
        assert labels(why)[0] == SAME_CACHE
        again = await hands.pressed(why, "rerun_same")
        assert f"Rerun of  job {number(first)}" in words(again)
        await hands.reply(first, "Run again by")
        await hands.becomes(again, "Completed after", 120)


async def test_a_link_that_keeps_failing_is_mended_by_putting_the_files_in_place(lab: Room) -> None:
    """It fails again, so the other button is offered; the files are fetched, and it completes."""
    async with told(lab) as hands:
        first = await hands.launched(
            "/nemo run cpt/gpt2_345m_cpt.py -p a3u --time 10 --cache-dir ~/.cache/stubborn"
        )
        first = await hands.becomes(first, "Failed", 120)
        why = await hands.reply(first, "Errno 18")
        assert PLACE not in labels(why)
        second = await hands.pressed(why, "rerun_same")
        await hands.becomes(second, "Failed", 120)
        worse = await hands.reply(second, "Errno 18")
        assert PLACE in labels(worse)
        third = await hands.pressed(worse, "place_tokenizer")
        placed = await hands.reply(second, "tokenizer files are in place")
        assert "torch/megatron/megatron-gpt-345m_vocab" in words(placed)
        assert "torch/megatron/megatron-gpt-345m_merges" in words(placed)
        await hands.becomes(third, "Completed after", 120)

    # The log is for administrators: no command shows it yet, so it is read where it lies.
    database = sqlite3.connect(f"file:{lab.directory / 'bot.db'}?mode=ro", uri=True)
    kept = database.execute("SELECT did, typed FROM audit").fetchall()
    database.close()
    assert any(did == "place tokenizer files" for did, _ in kept)
    assert any(typed.startswith("rerun_same ") for _, typed in kept)


async def test_only_the_owner_or_an_operator_cancels(lab: Room) -> None:
    """Somebody else is refused by word and by button, and the job runs on; the owner ends it."""
    async with told(lab) as hands:
        card = await hands.launched("/slurm submit jobs/sleep.sh -J mine -- 300")
        card = await hands.becomes(card, "Running on")
        other = hands.as_user(OUTSIDER)
        refused = await other.asked(f"/slurm cancel {number(card)}")
        assert "Only the person who launched it" in words(refused)
        before = len(await other.whispers())
        await other.click(card, "cancel_job")
        await hands.until(other.whispers, lambda seen: len(seen) > before, 20)
        assert "Only the person who launched it" in words((await other.whispers())[-1])
        assert (await jobs_named(lab.cluster, "mine"))[0].state == "RUNNING"

        await hands.click(card, "cancel_job")
        ended = await hands.becomes(card, "Cancelled")
        assert f"<@{hands.user}>" in words(ended)
        assert (await jobs_named(lab.cluster, "mine"))[0].state.startswith("CANCELLED")

        operated = await hands.launched("/slurm submit jobs/sleep.sh -J operated -- 300")
        operated = await hands.becomes(operated, "Running on")
        await hands.as_user(ADMIN).asked(f"/slurm cancel {number(operated)}")
        await hands.becomes(operated, "Cancelled")


async def test_a_job_is_looked_at_by_slash_by_mention_and_in_its_thread(lab: Room) -> None:
    """The same words, three ways; in the thread the job need not be named."""
    async with told(lab) as hands:
        card = await hands.launched("/slurm submit jobs/fails.sh -J looked-at")
        await hands.becomes(card, "Failed")
        why = await hands.reply(card, "train.jsonl")
        assert "No such file or directory" in words(why)
        job, bot = number(card), f"<@{lab.slack.platform.identity.bot_user_id}>"
        looks = {
            "partitions": "2 of 2",
            "jobs": "looked-at",
            f"status {job}": "Failed",
            f"logs {job}": "counting samples",
            f"why {job}": "train.jsonl",
        }
        for line, says in looks.items():
            answer = await hands.asked(f"/slurm {line}")
            assert says in words(answer), line
            assert answer["ephemeral"] == hands.user
        for line, says in looks.items():
            said = await hands.say(f"{bot} {line}")
            assert says in words(await hands.reply({**said, "thread_ts": None}, says)), line
        for line, says in looks.items():
            before = len(await hands.messages(card["ts"]))
            await hands.say(f"{bot} {line.replace(f' {job}', '')}", thread=card["ts"])
            answer = await hands.newest(card["ts"], before + 1)
            assert says in words(answer), line


async def test_the_line_of_the_documentation_works_as_it_is_pasted(lab: Room) -> None:
    """`NEMORUN_HOME=… python3 run.py …`: the same launch as the bot's own words."""
    address = lab.cluster.address
    line = (
        f"/nemo NEMORUN_HOME={address.workdir} python3 run.py -e slurm --slurm-type hcc-a3u "
        f"--partition a3u -d {address.workdir} -i {address.images}/nemo-20250721.sqsh "
        "-s cpt/llama3p1_2b_cpt.py -n 1 --experiment-name pasted"
    )
    async with told(lab) as hands:
        card = await hands.launched(line)
        assert "no time limit; each hour takes 8 GPU-hours" in words(card)
        assert "python3 run.py -e slurm" in words(card)
        await hands.click(card, "submit")
        await hands.becomes(card, "Completed after", 120)
        (job,) = await jobs_named(lab.cluster, "pasted")
        facts = await shown(lab.cluster, job.id)
        assert (facts["Partition"], facts["NumNodes"]) == ("a3u", "1")


async def test_what_the_launcher_has_no_flag_for_reaches_slurm(lab: Room) -> None:
    """Time limit and dependency pass through the shim; a dry run shows them and submits nothing."""
    async with told(lab) as hands:
        first = await hands.launched("/slurm submit jobs/sleep.sh -J before -- 300")
        first = await hands.becomes(first, "Running on")
        line = (
            "/nemo run cpt/llama3p1_2b_cpt.py -p a3u --time 7 --exclude alice-a3u-1 "
            f"--after {number(first)} --experiment-name later-one"
        )
        dry = words(await hands.asked(f"{line} --dry-run"))
        assert "Nothing was submitted" in dry
        assert f"--time=00:07:00 --exclude=alice-a3u-1 --dependency=afterok:{number(first)}" in dry
        assert await jobs_named(lab.cluster, "later-one") == []

        card = await hands.launched(line)
        waits = await hands.becomes(card, "Waiting", 60)
        (job,) = await jobs_named(lab.cluster, "later-one")
        facts = await shown(lab.cluster, job.id)
        assert facts["TimeLimit"] == "00:07:00"
        assert facts["Dependency"].startswith(f"afterok:{number(first)}")
        assert facts["ExcNodeList"] == "alice-a3u-1"
        for one in (waits, first):
            await hands.click(one, "cancel_job")
            await hands.becomes(one, "Cancelled")


async def test_a_card_that_is_declined_submits_nothing(lab: Room) -> None:
    """Cancel on the card: nothing went to Slurm, and the card says so without buttons."""
    async with told(lab) as hands:
        card = await hands.launched(
            "/nemo run pretrain/llama3p1_2b_pt.py -n 2 -p a3m --experiment-name declined"
        )
        await hands.click(card, "withdraw")
        declined = await hands.becomes(card, "Nothing was submitted")
        assert controls(declined) == []
        assert await jobs_named(lab.cluster, "declined") == []
