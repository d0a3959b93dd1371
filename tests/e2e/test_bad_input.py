"""What people type that cannot be done: each answered in plain words, nothing changed or lost."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio

from bot.demo.cluster import EmbeddedCluster
from bot.demo.slack.workspace import ADMIN, OUTSIDER, PRIVATE
from bot.grammar.commands import LATER
from tests.cluster_fixture import Person
from tests.e2e.hands import Json, is_root, key_of, options, words
from tests.e2e.room import Room, room
from tests.e2e.slurm_count import all_jobs, jobs_named

pytestmark = pytest.mark.asyncio(loop_scope="session")

RECIPE = "pretrain/llama3p1_2b_pt.py"
RUN = f"/nemo run {RECIPE}"
LONG = "x" * 3_000
HEBREW, ARABIC, OVERRIDE = "שלום", "مرحبا", "\u202egnp.exe"

REFUSED = {
    "unknown-recipe": ("/nemo run pretrain/llama3p1_2c_pt.py -p a3m", "Did you mean"),
    "no-recipe": ("/nemo run", "recipe"),
    "nodes-0": (f"{RUN} -p a3m -n 0", "nodes"),
    "nodes-10000": (f"{RUN} -p a3m -n 10000", "10,000 is too many"),
    "nodes-3": (f"{RUN} -p a3m -n 3", "has 2 nodes"),
    "nodes-10,000": (f"{RUN} -p a3m -n 10,000", "nodes"),
    "nodes-two": (f"{RUN} -p a3m -n two", "nodes"),
    "nodes-negative": (f"{RUN} -p a3m -n -1", "-1"),
    "semicolon": (f"{RUN} -p a3m; rm -rf ~", "no shell here, so “;” cannot"),
    "semicolon-in-quotes": (f"{RUN} -p a3m --experiment-name ';rm -rf ~'", "experiment-name"),
    "semicolon-in-a-path": ("/slurm submit 'jobs/;rm -rf ~'", "not possible as a path"),
    "backticks": (f"{RUN} -p a3m --experiment-name x`id`", "no shell here, so “`” cannot"),
    "dollar": (f"{RUN} -p a3m --experiment-name $(id)", "no shell here, so “$(” cannot"),
    "dollar-in-quotes": (f"{RUN} -p a3m --experiment-name '$(id)'", "experiment-name"),
    "newlines": (f"{RUN} -p a3m\n/slurm jobs\n", "more than one line"),
    "newline-in-quotes": (f"{RUN} -p a3m --experiment-name 'a\nb'", "more than one line"),
    "3000-characters": (f"/slurm submit {LONG}", "characters"),
    "2900-characters-of-name": (f"{RUN} -p a3m --experiment-name {LONG[:2900]}", "64"),
    "2900-characters-of-path": (f"/slurm submit {LONG[:2900]}", "too long"),
    "emoji": (f"{RUN} -p a3m --experiment-name 🚀🔥", "experiment-name"),
    "right-to-left": (f"{RUN} -p {HEBREW} --experiment-name {ARABIC}", "experiment-name"),
    "right-to-left-override": (f"/slurm submit jobs/{OVERRIDE}", "jobs/"),
    "channel": ("/slurm submit <!channel> jobs/hello.sh", "no shell here, so “<” “>” cannot"),
    "channel-as-a-path": ("/slurm submit 'jobs/<!channel>'", "not possible as a path"),
    "channel-as-typed": ("/slurm submit @channel", "not possible as a path"),
    "everyone-as-a-command": ("/slurm '<!everyone>'", "not a command"),
    "person-as-a-job": (f"/slurm status <@{ADMIN}>", ADMIN),
    "outside-the-roots": ("/slurm submit /etc/passwd", "outside the folders"),
    "outside-by-dots": ("/slurm submit jobs/../../../etc/passwd", "leads out of its folder"),
    "outside-by-workdir": (f"{RUN} -p a3m -d /etc", "outside the folders"),
    "outside-by-output": ("/slurm submit jobs/hello.sh -o /tmp/out", "outside the folders"),
    "missing-script": ("/slurm submit jobs/helo.sh", "Did you mean"),
    "folder-as-script": ("/slurm submit jobs", "no script"),
    "unknown-option": (f"{RUN} --nodez 2", "--nodes"),
    "unknown-command": ("/slurm sumbit jobs/hello.sh", "submit"),
    "unclosed-quote": (f'{RUN} --experiment-name "x', "quot"),
    "bad-time": ("/slurm submit jobs/hello.sh --time soon", "time"),
    "bad-type": (f"{RUN} --slurm-type hcc-a9", "hcc-a3m"),
    "too-many-gpus": ("/slurm submit jobs/hello.sh --gpus-per-node 9", "has 8 GPUs"),
    "unknown-cluster": ("/slurm jobs --cluster alise", "alice"),
    "status-of-nothing": ("/slurm status 999999", "no job 999999"),
    "logs-of-nothing": ("/slurm logs 999999", "no job 999999"),
    "why-of-nothing": ("/slurm why 999999", "no job 999999"),
    "cancel-of-nothing": ("/slurm cancel 999999", "no job 999999"),
    "rerun-of-nothing": ("/slurm rerun 999999", "no job 999999"),
    "job-by-no-name": ("/slurm status nobody-called-it-so", "nobody-called-it-so"),
    "no-job": ("/slurm logs", "Which job"),
    "bad-pattern": ("/slurm logs 999999 --grep '['", "["),
    "not-built-yet": (f"/slurm {LATER['slurm'][0]}", "not built yet"),
}
"""What is typed, and a word of the answer that tells what is wrong or what to do."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def lab(
    cluster: EmbeddedCluster, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Room]:
    """A room in which the bot works all the time."""
    async with room(cluster, tmp_path_factory.mktemp("bad"), keys={"connect_timeout": "5"}) as made:
        made.bot.start()
        await made.online()
        yield made


def checked(answer: Json) -> str:
    """The words of an answer, which must notify nobody and be no trace of a fault."""
    said = words(answer)
    assert not {"channel", "here", "everyone", ADMIN} & set(answer["notified"]), answer["notified"]
    assert "The bot broke on this" not in said
    assert "Traceback" not in said
    return said


@pytest.mark.parametrize(("line", "says"), REFUSED.values(), ids=REFUSED)
async def test_what_cannot_be_done_is_answered_and_changes_nothing(
    lab: Room, line: str, says: str
) -> None:
    """At once, to the person alone, in words; no job, no message for the channel."""
    jobs, shown = await all_jobs(lab.cluster), await lab.hands.messages()
    said = checked(await lab.hands.asked(line))
    assert says in said, said
    assert await all_jobs(lab.cluster) == jobs
    new = (await lab.hands.messages())[len(shown) :]
    assert [m for m in new if not m["ephemeral"]] == []


async def test_quotes_and_dashes_of_a_word_processor_are_understood(lab: Room) -> None:
    """Curly quotes, an em dash for two hyphens, non-breaking spaces: it runs all the same."""
    line = "/slurm submit\u00a0jobs/hello.sh —job-name “curly” -p\u00a0a3u"
    card = await lab.hands.launched(line)
    await lab.hands.becomes(card, "Completed after")
    (job,) = await jobs_named(lab.cluster, "curly")
    assert job.state == "COMPLETED"


async def test_a_job_whose_arguments_call_everybody_notifies_nobody(lab: Room) -> None:
    """`<!channel>` reaches the script as it was typed, and stays text wherever it is shown."""
    card = await lab.hands.launched("/slurm submit jobs/sleep.sh -J quiet -- '<!channel>' @here")
    done = await lab.hands.becomes(card, "Completed after")
    assert "&amp;" not in words(done)
    (job,) = await jobs_named(lab.cluster, "quiet")
    log = await lab.hands.asked(f"/slurm logs {job.id}")
    assert "sleeping <!channel> s" in words(log)
    for message in await lab.hands.messages():
        if message["by_bot"]:
            checked(message)


async def test_the_job_of_another_account_is_shown_and_left_alone(lab: Room, bob: Person) -> None:
    """Anybody may look; only operators may try, and Slurm itself then says no."""
    job = await bob.sbatch("-J of-bob --wrap 'sleep 120'")
    assert "bob" in checked(await lab.hands.asked(f"/slurm status {job}"))
    said = checked(await lab.hands.asked(f"/slurm cancel {job}"))
    assert "only an operator" in said
    said = checked(await lab.hands.as_user(ADMIN).asked(f"/slurm cancel {job}"))
    assert "belongs to another user" in said
    said = checked(await lab.hands.asked(f"/slurm rerun {job}"))
    assert "not launched from here" in said
    assert (await jobs_named(lab.cluster, "of-bob"))[0].state in {"RUNNING", "PENDING"}
    await bob.ssh(f"scancel {job}")


async def test_a_stranger_and_a_strange_channel_are_refused(lab: Room) -> None:
    """Who is not on the list is told so, and how to get onto it."""
    made = await lab.hands.do("user", name="passer-by")
    stranger = lab.hands.as_user(made["user"]["id"])
    said = checked(await stranger.asked("/slurm submit jobs/hello.sh -J stranger"))
    assert "not on the list" in said
    assert "allow.users" in said
    elsewhere = lab.hands.in_channel(PRIVATE)
    said = checked(await elsewhere.asked("/slurm submit jobs/hello.sh -J stranger"))
    assert "allow.channels" in said
    assert await jobs_named(lab.cluster, "stranger") == []


async def test_a_control_of_somebody_else_is_refused(lab: Room) -> None:
    """Another's Submit submits nothing; the owner's still does."""
    card = await lab.hands.launched(
        "/slurm submit jobs/hello.sh -J theirs --gpus-per-node 8 -N 2 --time 10:00:00"
    )
    other = lab.hands.as_user(OUTSIDER)
    await other.click(card, "submit")
    await lab.hands.until(other.whispers, lambda seen: seen, 20)
    assert "Only the person who launched it" in checked((await other.whispers())[-1])
    assert await jobs_named(lab.cluster, "theirs") == []
    await lab.hands.click(card, "submit")
    await lab.hands.becomes(card, "Completed after")
    assert len(await jobs_named(lab.cluster, "theirs")) == 1


async def test_a_partition_of_odd_letters_is_answered_with_the_ones_there_are(lab: Room) -> None:
    """Whatever was typed for it, the answer offers the real ones."""
    answer = await lab.hands.asked(f"{RUN} -p A3M")
    said = checked(answer)
    assert "a3m" in said
    assert {label.split(" ")[0] for label in options(answer)} <= {"a3m", "a3u"}


# --- what is broken, and healed -------------------------------------------------------------


@asynccontextmanager
async def down(cluster: EmbeddedCluster, daemon: str) -> AsyncIterator[None]:
    """A daemon that is away, with every connection to it."""
    await cluster.stop_daemon(daemon)
    if daemon == "sshd":
        cluster.cut_connections()
    try:
        yield
    finally:
        await cluster.start_daemon(daemon)


async def test_a_login_node_that_is_down_loses_nothing(lab: Room) -> None:
    """A running job stays known; a launch is refused in words; when it is back, all goes on."""
    hands = lab.hands
    card = await hands.launched("/slurm submit jobs/sleep.sh -J outlives -- 8")
    await hands.becomes(card, "Running on")
    async with down(lab.cluster, "sshd"):
        said = checked(await hands.asked("/slurm submit jobs/hello.sh -J nothing", 60))
        assert "not reachable" in said
        assert "Nothing was submitted" in said
        said = checked(await hands.asked("/slurm status 999999", 60))
        assert "not reachable" in said
        outage = await hands.shows(lambda m: key_of(m).startswith("outage/"), 60)
        assert "has not answered since" in words(outage)
    healed = await hands.reply(outage, "answers again", 60)
    assert healed["thread_ts"] == outage["ts"]
    await hands.becomes(card, "Completed after")
    outages = [m for m in await hands.messages() if key_of(m).startswith("outage/")]
    assert len(outages) == 2
    assert await jobs_named(lab.cluster, "nothing") == []


async def test_a_request_in_flight_waits_for_the_login_node(lab: Room) -> None:
    """Submit is pressed while it is down: the card says why; when it is back, it is submitted."""
    hands = lab.hands
    card = await hands.launched(
        "/slurm submit jobs/hello.sh -J patient --gpus-per-node 8 -N 2 --time 10:00:00"
    )
    async with down(lab.cluster, "sshd"):
        await hands.click(card, "submit")
        checked(await hands.becomes(card, "Still trying"))
    await hands.becomes(card, "Completed after", 90)
    assert len(await jobs_named(lab.cluster, "patient")) == 1


async def test_a_slurm_that_is_down_is_said_so_and_nothing_is_submitted(lab: Room) -> None:
    """The controller is away when a card is confirmed: refused, and mended by a click."""
    hands = lab.hands
    running = await hands.launched("/slurm submit jobs/sleep.sh -J steady -- 6")
    await hands.becomes(running, "Running on")
    card = await hands.launched(
        "/slurm submit jobs/hello.sh -J afterwards --gpus-per-node 8 -N 2 --time 10:00:00"
    )
    async with down(lab.cluster, "slurmctld"):
        await hands.click(card, "submit")
        refused = await hands.becomes(card, "Not submitted.", 60)
        assert "controller" in checked(refused)
        said = checked(await hands.asked("/slurm jobs all", 60))
        assert "Unable to contact slurm controller" in said
        assert "Nothing was submitted" in said
    await hands.becomes(running, "Completed after", 120)
    assert await jobs_named(lab.cluster, "afterwards") == []
    again = await hands.pressed(refused, "rerun_same")
    await hands.click(again, "submit")
    await hands.becomes(again, "Completed after", 90)
    assert len(await jobs_named(lab.cluster, "afterwards")) == 1


async def test_a_full_home_is_said_so_and_nothing_is_submitted(
    cluster: EmbeddedCluster, tmp_path: Path
) -> None:
    """A quota of the login account: a small file system, full, where the spool lies."""
    address = cluster.address
    spool = f"{address.home}/.sbatchat"
    await cluster.run("mkdir", "-p", spool, user=address.user)
    mounted = await cluster.run(
        "mount", "-t", "tmpfs", "-o", "size=64k,mode=1777", "none", spool, check=False
    )
    if mounted.returncode:
        pytest.skip("needs root and private namespaces to mount a full file system")
    try:
        async with room(cluster, tmp_path) as here:
            here.bot.start()
            await here.online()
            await cluster.run(
                "sh", "-c", f"dd if=/dev/zero of={spool}/ballast bs=1k 2>/dev/null; true"
            )
            card = await here.hands.launched("/slurm submit jobs/hello.sh -J crowded")
            full = await here.hands.becomes(card, "Nothing was submitted")
            assert "no room" in checked(full)
            assert await jobs_named(cluster, "crowded") == []
            await cluster.run("rm", f"{spool}/ballast")
            again = await here.hands.launched("/slurm submit jobs/hello.sh -J crowded")
            await here.hands.becomes(again, "Completed after")
            assert len(await jobs_named(cluster, "crowded")) == 1
    finally:
        await cluster.run("umount", spool)


async def test_a_wrong_host_key_is_refused_and_says_where_the_pinned_one_stands(
    cluster: EmbeddedCluster, tmp_path: Path
) -> None:
    """Nobody else's login node is ever talked to."""
    address = cluster.address
    other = address.key.with_suffix(".pub").read_text().split()[:2]
    pinned = tmp_path / "known_hosts"
    pinned.write_text(f"[{address.host}]:{address.port} {' '.join(other)}\n")
    async with room(cluster, tmp_path) as here:
        settings = tmp_path / "sbatchat.toml"
        settings.write_text(settings.read_text().replace(str(address.known_hosts), str(pinned)))
        here.bot.start()
        await here.online()
        said = checked(await here.hands.asked("/slurm submit jobs/hello.sh -J impostor"))
        assert "host key is not the pinned one" in said
        assert f"{pinned}:1" in said
        assert not any(is_root(m) for m in await here.hands.messages())
    assert await jobs_named(cluster, "impostor") == []
