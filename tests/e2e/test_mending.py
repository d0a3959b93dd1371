"""A failure and the click that mends it, on a real Slurm: each changes one thing and says so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import pytest_asyncio

from bot.demo.cluster import EmbeddedCluster
from bot.demo.slack.workspace import OUTSIDER
from tests.cluster_fixture import account
from tests.e2e.again import again
from tests.e2e.hands import Hands, Json, controls, key_of, labels, number, options, words
from tests.e2e.room import Room, live_room, told
from tests.e2e.slurm_count import jobs_named, shown

pytestmark = pytest.mark.asyncio(loop_scope="session")

SLEEPS = "#!/bin/bash\nsleep 300\n"
EATS = """#!/bin/bash
python3 -c "
import time
held = bytearray(400 * 2**20)
time.sleep(12)
print('all samples were read')
"
"""
FAULTY = """#!/bin/bash
if [ "$SLURMD_NODENAME" = alice-a3m-0 ]; then
  echo "RuntimeError: CUDA error: uncorrectable ECC error encountered" >&2
  exit 1
fi
echo trained
"""
LISTENS = """#!/bin/bash
python3 -c "
import os, socket
socket.socket().bind(('127.0.0.1', int(os.environ.get('MASTER_PORT', '{port}'))))
print('the ranks have met')
"
"""
LOGS = """#!/bin/bash
[ "$WANDB_MODE" = offline ] && exit 0
echo "wandb.errors.errors.UsageError: No API key configured. Use \\`wandb login\\` to log in." >&2
exit 1
"""


SILENT = """#!/bin/bash
echo step 1
echo 3 requests failed
seq -f 'step %.0f' 2 90
exit 3
"""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def shop(
    cluster: EmbeddedCluster, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Room]:
    """A room in which the bot works all the time, and asks before nothing."""
    async with live_room(cluster, tmp_path_factory.mktemp("shop"), ask_above=1000.0) as opened:
        yield opened


@asynccontextmanager
async def script(shop: Room, text: str) -> AsyncIterator[tuple[Hands, str]]:
    """The person's hands, and a script on the cluster that is gone afterwards."""
    alice = account(shop.cluster)
    name = f"mend-{abs(hash(text))}"
    await alice.ssh(f"cat > jobs/{name}.sh <<'END'\n{text}END")
    async with told(shop) as hands:
        try:
            yield hands, f"/slurm submit jobs/{name}.sh -J {name}"
        finally:
            await alice.ssh(f"rm jobs/{name}.sh; scancel -n {name}")


async def failed(hands: Hands, line: str, cause: str, within: float = 60) -> tuple[Json, Json]:
    """Launch what fails, and return its root message and its diagnosis."""
    root = await hands.launched(line)
    why = await hands.reply(root, cause, within)
    return await hands.becomes(root, number(root)), why


async def test_a_time_limit_is_doubled_from_the_job_s_own_message(shop: Room) -> None:
    """The button stands there as well as in the thread; once it was used it is gone from both."""
    async with script(shop, SLEEPS) as (hands, line):
        root, why = await failed(hands, f"{line} -p a3m --time 1", "time limit", 120)
        assert labels(why)[0] == "Rerun With 2 Minutes"
        root = await hands.becomes(root, "Rerun With 2 Minutes")
        assert controls(root) == ["more_time"]
        again = await hands.pressed(root, "more_time")
        assert "time limit: 1 min → 2 min" in words(again)
        again = await hands.becomes(again, "Running on")
        assert (await shown(shop.cluster, number(again)))["TimeLimit"] == "00:02:00"
        spent = await hands.reply(root, "Run again by")
        assert controls(spent) == ["show_log"]
        await hands.shows(lambda m: key_of(m) == key_of(root) and not controls(m))
        await hands.click(again, "cancel_job")
        await hands.becomes(again, "Cancelled")


async def test_more_memory_is_what_it_had_and_half_again(shop: Room) -> None:
    """Slurm killed it over its limit; with more it completes."""
    async with script(shop, EATS) as (hands, line):
        _, why = await failed(hands, f"{line} -p a3m --time 5 --mem 300M", "memory", 90)
        assert labels(why)[0] == "Rerun With 1 GB"
        again = await hands.pressed(why, "more_memory")
        assert "memory: 300M → 1G" in words(again)
        await hands.becomes(again, "Completed after", 60)


async def test_the_node_to_blame_is_left_out(shop: Room) -> None:
    """By name; pressed twice it is one job, and somebody else may not press it at all."""
    async with script(shop, FAULTY) as (hands, line):
        root, why = await failed(hands, f"{line} -p a3m --time 5", "ECC")
        assert "Rerun Without alice-a3m-0" in labels(why)
        await hands.as_user(OUTSIDER).click(why, "exclude_node")
        await refused_for(hands.as_user(OUTSIDER), "may run it")
        again, _ = await asyncio.gather(
            hands.pressed(why, "exclude_node"), hands.click(why, "exclude_node")
        )
        assert "exclude: none → alice-a3m-0" in words(again)
        await hands.becomes(again, "Completed after")
        name = (await shown(shop.cluster, number(root)))["JobName"]
        assert len(await jobs_named(shop.cluster, name)) == 2


async def refused_for(other: Hands, says: str) -> None:
    """Wait until somebody else was told that this is not theirs."""

    def no(seen: list[Json]) -> bool:
        return any(says in words(one) for one in seen)

    await other.until(other.whispers, no, 20)


async def test_another_port_is_taken(shop: Room) -> None:
    """The one that was taken is still taken when it runs again."""
    server = await asyncio.start_server(lambda _reader, _writer: None, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, script(shop, LISTENS.replace("{port}", str(port))) as (hands, line):
        _, why = await failed(hands, f"{line} -p a3m --time 5", "port")
        again = await hands.pressed(why, "other_port")
        assert "environment: none → MASTER_PORT=2" in words(again)
        await hands.becomes(again, "Completed after")


async def test_weights_and_biases_writes_to_a_folder_instead(shop: Room) -> None:
    """A script has no switch for it, but its environment has."""
    async with script(shop, LOGS) as (hands, line):
        _, why = await failed(hands, f"{line} -p a3m --time 5", "Weights & Biases")
        again = await hands.pressed(why, "without_wandb")
        assert "environment: none → WANDB_MODE=offline" in words(again)
        await hands.becomes(again, "Completed after")


async def test_a_held_job_is_released(shop: Room) -> None:
    """From its own message; its owner may, somebody else may not."""
    async with told(shop) as hands:
        root = await hands.launched("/slurm submit jobs/hello.sh -p a3m --time 5 --hold")
        root = await hands.becomes(root, "It is held by its owner")
        assert labels(root)[0] == "Release Job"
        await hands.as_user(OUTSIDER).click(root, "release")
        await refused_for(hands.as_user(OUTSIDER), "may release it")
        await hands.click(root, "release")
        await hands.reply(root, "was released by")
        await hands.becomes(root, "Completed after")


async def test_a_job_starts_beside_one_of_its_name(shop: Room) -> None:
    """Which runs on."""
    line = "/slurm submit jobs/sleep.sh -d singleton -J beside -p a3m --time 5"
    async with told(shop) as hands:
        first = await hands.launched(line)
        await hands.becomes(first, "Running on")
        second = await hands.launched(line)
        second = await hands.becomes(second, "of the same name")
        assert "Start Beside It" in labels(second)
        await hands.click(second, "free_singleton")
        await hands.reply(second, "no longer waits for others of its name")
        await hands.becomes(second, "Running on")
        await hands.becomes(first, "Running on")
        for one in (first, second):
            await hands.click(one, "cancel_job")
            await hands.becomes(one, "Cancelled")


async def test_a_training_goes_on_from_its_last_checkpoint(shop: Room) -> None:
    """In the folder of the job before, which is given to it as a setting."""
    stale = "OSError: [Errno 116] Stale file handle: 'batch.bin'"
    async with told(shop) as hands, again(shop, stale) as folder:
        root, why = await failed(hands, "/nemo-rl run again -p a3m --time 5", "stale", 90)
        assert "Rerun From the Last Checkpoint" in labels(why)
        more = await hands.pressed(why, "resume")
        setting = f"checkpointing.checkpoint_dir={folder}/{number(root)}/checkpoints"
        assert setting in words(more)
        await hands.becomes(more, "Completed after", 120)
        saved = words(await hands.asked(f"/slurm checkpoints {number(root)}"))
        assert "step 20" in saved


async def test_where_no_cause_is_known_the_logs_are_read_by_choice(shop: Room) -> None:
    """It says so, who may know more, and shows what speaks of errors."""
    async with script(shop, SILENT) as (hands, line):
        _, why = await failed(hands, f"{line} -p a3m --time 5", "does not say why")
        assert "the kernel's log of alice-a3m-" in words(why)
        offered = options(why)
        assert list(offered) == ["Lines That Speak of Errors", "Log: slurm"]
        await hands.click(why, "read_log", offered["Lines That Speak of Errors"])
        await hands.shows(lambda m: "2: 3 requests failed" in words(m), 20)
        await hands.click(why, "show_log")
        short = await hands.shows(lambda m: "the last 40 lines" in words(m), 20)
        assert "The whole log: `/home/" in words(short)
        await hands.click(short, "read_log")
        await hands.shows(lambda m: "91 lines" in words(m), 20)


@asynccontextmanager
async def narrow(shop: Room) -> AsyncIterator[None]:
    """A QOS for a while that gives one node to a job for half an hour, and refuses more."""
    run, user = shop.cluster.run, shop.cluster.address.user
    await run("sacctmgr", "-i", "add", "qos", "narrow")
    limit = ("MaxTRESPerJob=node=1", "MaxWall=30", "Flags=DenyOnLimit")
    await run("sacctmgr", "-i", "modify", "qos", "narrow", "set", *limit)
    await run("sacctmgr", "-i", "modify", "user", user, "set", "qos+=narrow")
    try:
        yield
    finally:
        await run("sacctmgr", "-i", "modify", "user", user, "set", "qos-=narrow")
        await run("sacctmgr", "-i", "delete", "qos", "narrow")


async def test_what_a_qos_refuses_is_submitted_with_another_or_on_fewer_nodes(shop: Room) -> None:
    """One list has both; what was chosen is what changes."""
    line = "/slurm submit jobs/hello.sh -p a3m -q narrow -N 2 --time 5"
    async with told(shop) as hands, narrow(shop):
        root = await hands.launched(line)
        root = await hands.becomes(root, "Not submitted")
        offered = options(root)
        assert {"1 node", "QOS normal"} <= set(offered), offered
        fewer = await hands.pressed(root, "resubmit_with", offered["1 node"])
        assert "nodes: 2 → 1" in words(fewer)
        await hands.becomes(fewer, "Completed after")
        other = await hands.pressed(root, "resubmit_with", offered["QOS normal"])
        assert "qos: narrow → normal" in words(other)
        await hands.becomes(other, "Completed after")

        long = await hands.launched("/slurm submit jobs/hello.sh -p a3m -q narrow --time 60")
        long = await hands.becomes(long, "Not submitted")
        assert "Submit With 30 Minutes" in labels(long), words(long)
        shorter = await hands.pressed(long, "more_time")
        assert "time limit: 1 h → 30 min" in words(shorter)
        await hands.becomes(shorter, "Completed after")
