"""The embedded cluster itself works."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.demo.cluster import ClusterError, EmbeddedCluster, Login, conf, reaper
from bot.demo.cluster.daemon import Daemon, Spec
from bot.demo.cluster.slot import claim
from tests.cluster_fixture import Person

ROOT = Path(__file__).parents[2]
NAP = 100_000 + os.getpid()  # seconds; nobody else on this machine sleeps for so long


async def test_a_batch_job_runs_to_its_end(alice: Person) -> None:
    """Submitted over ssh, run by a node, written to a file at home, kept by the accounting."""
    job = await alice.sbatch("-p a3u jobs/hello.sh")
    assert await alice.ended(job) == "COMPLETED"
    assert (await alice.ssh(f"cat slurm-{job}.out")).stdout.startswith("hello from ")
    await _accounted(alice, job, "state,partition,account", "COMPLETED|a3u|research")


async def test_the_comment_of_a_job_is_kept(alice: Person) -> None:
    """By the queue and by the accounting, which is what finds a job whose receipt was lost."""
    job = await alice.sbatch("--comment=sbatchat:0123 jobs/hello.sh")
    await alice.ended(job)
    assert (await alice.ssh(f"squeue -h -t all -j {job} -o %k")).stdout.strip() == "sbatchat:0123"
    await _accounted(alice, job, "comment", "sbatchat:0123")


async def test_nodes_have_eight_gpus_and_no_partition_is_called_general(alice: Person) -> None:
    """What sinfo shows."""
    shown = await alice.ssh("sinfo -h -N -o '%N %R %G'")
    assert shown.stdout.split("\n")[:-1] == [
        "alice-a3m-0 a3m gpu:8",
        "alice-a3m-1 a3m gpu:8",
        "alice-a3u-0 a3u gpu:8",
        "alice-a3u-1 a3u gpu:8",
    ]


async def test_only_one_partition_has_a_default_time(alice: Person) -> None:
    """The other's default is no limit."""
    shown = await alice.ssh("scontrol show partition -o | grep -o 'DefaultTime=[^ ]*'")
    assert shown.stdout.split() == ["DefaultTime=01:00:00", "DefaultTime=NONE"]


async def test_two_people_own_their_jobs(alice: Person, bob: Person) -> None:
    """Neither may end the job of the other."""
    job = await bob.sbatch("--hold jobs/hello.sh")
    refused = await alice.ssh(f"scancel {job}", check=False)
    assert "Access/permission denied" in refused.stderr
    assert (await alice.ssh(f"squeue -h -j {job} -o '%u %a'")).stdout == "bob research\n"
    await bob.ssh(f"scancel {job}")
    assert await bob.ended(job) == "CANCELLED"


async def test_a_crashed_node_takes_its_processes_along(
    cluster: EmbeddedCluster, alice: Person
) -> None:
    """Nothing of the job is left, and the node comes back."""
    job = await alice.sbatch(f"-w alice-a3m-1 --no-requeue jobs/sleep.sh {NAP}")
    await _until(alice, f"cat slurm-{job}.out", lambda shown: "sleeping" in shown)
    assert _sleepers()
    await cluster.crash_node("alice-a3m-1")
    assert not _sleepers()
    await cluster.run("scancel", job)
    await cluster.revive_node("alice-a3m-1")
    await _until(alice, "sinfo -hN -n alice-a3m-1 -o %T", lambda shown: shown == "idle\n")


async def test_the_login_node_goes_down_and_comes_back(
    cluster: EmbeddedCluster, alice: Person
) -> None:
    """New connections are refused; a detached command that runs there goes on."""
    await alice.ssh("setsid sh -c 'sleep 2; echo done >detached' >/dev/null 2>&1 </dev/null &")
    await cluster.stop_daemon("sshd")
    assert "Connection refused" in (await alice.ssh("true", check=False)).stderr
    await asyncio.sleep(2.5)
    await cluster.start_daemon("sshd")
    assert (await alice.ssh("cat detached")).stdout == "done\n"


async def test_a_connection_can_be_cut(cluster: EmbeddedCluster, alice: Person) -> None:
    """The client sees the end; the remote command does not."""
    session = asyncio.create_task(alice.ssh("sleep 2; echo survived >cut", check=False))
    await asyncio.sleep(1)
    assert cluster.cut_connections()
    assert (await session).returncode == 255
    await _until(alice, "cat cut", lambda shown: shown == "survived\n")


async def test_the_accounting_goes_down_and_comes_back(
    cluster: EmbeddedCluster, alice: Person
) -> None:
    """The queue answers all the same."""
    await cluster.stop_daemon("slurmdbd")
    assert "Connection refused" in (await alice.ssh("sacct", check=False)).stderr
    assert (await alice.ssh("squeue -h")).returncode == 0
    await cluster.start_daemon("slurmdbd")
    assert (await alice.ssh("sacct -n")).returncode == 0


async def test_a_second_cluster_runs_beside_the_first(
    cluster: EmbeddedCluster, alice: Person, tmp_path: Path
) -> None:
    """Without accounting, with its own ports, nodes and homes."""
    async with EmbeddedCluster(tmp_path / "second", accounting=False) as second:
        address = second.address
        visitor = Person(address, Login(address.user, address.key))
        assert address.port != cluster.address.port
        job = await visitor.sbatch("jobs/hello.sh")
        assert await visitor.ended(job) == "COMPLETED"
        assert "accounting storage is disabled" in (await visitor.ssh("sacct", check=False)).stderr
    assert (await alice.ssh("sinfo -h")).stdout
    assert [path.name for path in (tmp_path / "second").iterdir()] == ["log"]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
async def test_nothing_is_left_when_the_starter_ends(number: signal.Signals) -> None:
    """However it ends: no daemon, no job, no detached command, no socket."""
    argv = [sys.executable, "-m", "bot.demo.cluster", "--json"]
    with subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE) as starter:
        assert starter.stdout is not None
        address = json.loads(await asyncio.to_thread(starter.stdout.readline))
        slurm = {"PATH": "/usr/bin:/bin", "SLURM_CONF": address["slurm_conf"]}
        job = ["sbatch", "--chdir=/", "--output=/dev/null", "--wrap", f"setsid sleep {NAP}"]
        subprocess.run(job, env=slurm, check=True, stdout=subprocess.DEVNULL)
        await _until_true(_sleepers)
        family = reaper.descendants(starter.pid)
        sockets = _socket_folder(Path(address["slurm_conf"]))
        assert len(family) > 20
        assert sockets.is_dir()
        starter.send_signal(number)
        status = await asyncio.to_thread(starter.wait)
    assert status == (-number if number == signal.SIGKILL else 0)
    await _until_true(lambda: not any(Path(f"/proc/{pid}").exists() for pid in family))
    await _until_true(lambda: not sockets.exists())
    assert not _sleepers()


async def test_without_rights_everything_runs_as_the_caller(alice: Person) -> None:
    """Below one directory: not even the home of whoever calls is touched."""
    rights = ["setpriv", "--bounding-set=-sys_admin"] if os.geteuid() == 0 else []
    argv = [*rights, sys.executable, "-m", "bot.demo.cluster", "--json"]
    with subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE) as starter:
        assert starter.stdout is not None
        address = json.loads(await asyncio.to_thread(starter.stdout.readline))
        caller = _elsewhere(alice, address)
        home = Path(caller.address.home)
        assert home.is_relative_to(ROOT / "var")
        assert (await caller.ssh("pwd; cd; pwd; echo $HOME")).stdout == f"{home}\n" * 3
        job = await caller.sbatch("jobs/hello.sh")
        assert await caller.ended(job) == "COMPLETED"
        assert (home / f"slurm-{job}.out").read_text().startswith("hello from ")
        starter.terminate()


@pytest.mark.parametrize(
    ("version", "plugin"),
    [
        ("slurm-wlm 22.05.8", "cgroup/v1"),
        ("slurm-wlm 23.11.4", "cgroup/v1"),
        ("slurm 24.05.0", "disabled"),
        ("slurm 25.05.1-0rc1", "disabled"),
    ],
)
def test_control_groups_are_left_alone(version: str, plugin: str) -> None:
    """In the words that each version understands."""
    assert conf.cgroup_conf(f"{version}\n") == f"CgroupPlugin={plugin}\n"


async def test_a_daemon_that_ends_at_once_is_explained(tmp_path: Path) -> None:
    """By its own last words."""
    argv = ("/bin/sh", "-c", "echo no such database; exit 3")
    daemon = Daemon(Spec("slurmdbd", argv, "root", port=1), tmp_path / "slurmdbd.log")
    with pytest.raises(ClusterError, match=r"slurmdbd ended while it was starting(.|\n)*database"):
        await daemon.start(argv, {"PATH": "/usr/bin:/bin"})
    await daemon.end()


async def test_a_missing_environment_is_explained(tmp_path: Path) -> None:
    """With the command that builds it."""
    with pytest.raises(ClusterError, match="nowhere is missing; `make setup` builds it"):
        async with EmbeddedCluster(tmp_path / "cluster", python=tmp_path / "nowhere"):
            pass


def test_a_slot_belongs_to_one_process_at_a_time(tmp_path: Path) -> None:
    """And is given again when that one is gone."""
    with claim(tmp_path) as first, claim(tmp_path) as second:
        assert (first.name, second.name) == ("1", "2")
    with claim(tmp_path) as again:
        assert again.name == "1"


async def _accounted(person: Person, job: str, fields: str, row: str) -> None:
    """Wait for that row; those of jobs that end within a second are patchy for a while."""
    command = f"sacct -nPX -j {job} -o {fields}"
    await _until(person, command, lambda shown: shown.strip() == row)


async def _until(person: Person, command: str, done: Callable[[str], bool]) -> str:
    async with asyncio.timeout(60):
        while not done(shown := (await person.ssh(command, check=False)).stdout):
            await asyncio.sleep(0.5)
    return shown


async def _until_true(done: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30
    while not done():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)


def _sleepers() -> list[int]:
    """The processes that sleep for exactly so long."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdecimal():
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[:2] == [b"sleep", str(NAP).encode()]:
                found.append(int(process.name))
    return found


def _elsewhere(person: Person, address: dict[str, Any]) -> Person:
    """The person at another cluster, whose address came as JSON."""
    ssh = address["ssh"]
    login = Login(ssh["user"], Path(ssh["key"]))
    known = Path(ssh["known_hosts"])
    there = replace(person.address, port=ssh["port"], known_hosts=known, home=address["home"])
    return Person(there, login)


def _socket_folder(slurm_conf: Path) -> Path:
    line = next(line for line in slurm_conf.read_text().splitlines() if "AuthInfo=" in line)
    return Path(line.partition("socket=")[2]).parents[1]
