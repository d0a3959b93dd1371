"""All the logs of a job are read, on this machine's own shell, and lead to one cause."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bot.card import plain
from bot.cards.evidence import unread
from bot.cluster.files import NoFile, Why
from bot.cluster.launch import launch
from bot.cluster.logs import LogFile, LogKind
from bot.cluster.sift import FILES, Bounds, Sifted
from bot.cluster_settings import ClusterSettings
from bot.diagnosis import Facts, diagnose
from bot.explaining import explanation_of
from bot.job import Job, State
from bot.login_node import LoginNode
from bot.model import Launch
from bot.policy import Policy
from bot.reading import logs, read_logs
from tests.payloads.values import seen, tracked
from tests.unit.cluster.local import LocalShell
from tests.unit.store.makers import NOW

STEP = "Training epoch 0, iteration {0}/99999 | global_step: {0} | reduced_train_loss: 3.1\n"
TRACE = "Traceback (most recent call last):\n"
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
GLOO = "RuntimeError: Connection reset by peer\n"
GATED = "huggingface_hub.errors.GatedRepoError: 403 Client Error."
XID = "NVRM: Xid (PCI:0000:97:00): 79, pid=1234, GPU has fallen off the bus.\n"


class Shell(LocalShell):
    """A cluster with a name."""

    name = "alice"


@pytest.fixture
def node(tmp_path: Path) -> LoginNode:
    """A login node whose home is empty."""
    settings = ClusterSettings(host="login", known_hosts=Path("/dev/null"))
    policy = Policy(cluster="alice", users=(), channels=(), operators=(), ask_above_gpu_hours=1.0)
    return LoginNode(settings=settings, policy=policy, cluster=Shell(tmp_path))


def a_job(home: Path, nodes: str = "a-[0-2]") -> Job:
    """Job 75, which failed."""
    out = str(home / "slurm-75.out")
    observed = seen(
        *("x", State.FAILED), raw="FAILED", workdir=str(home), stdout=out, node_list=nodes
    )
    return tracked("x", State.FAILED).model_copy(update={"id": "75", "seen": observed, "tasks": ()})


def write(home: Path, **texts: str) -> None:
    """Write logs of job 75 by their kind."""
    places = {
        "batch": "slurm-75.out",
        "driver": "75-logs/ray-driver.log",
        "worker": "75-logs/ray-worker-2.log",
        "training": "log-a-b.c_75_0.out",
        "again": "log-a-b.c_75_1.out",
    }
    for name, text in texts.items():
        path = home / places[name]
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


async def test_a_cause_far_before_the_end_of_a_large_log_is_found(
    node: LoginNode, tmp_path: Path
) -> None:
    """With its true line, how far the run came, and the end of the log."""
    steps = "".join(STEP.format(n) for n in range(9000))
    end = "shutting down\n" * (2 * Bounds().whole // 14)
    write(tmp_path, training=steps + TRACE + OOM + end, batch="srun: error: exit code 1\n")
    found = await explanation_of(node, a_job(tmp_path))
    assert found.finding
    assert (found.finding.label, found.finding.unread) == ("cuda-oom", ())
    proof = found.finding.evidence[0]
    assert (proof.file, proof.line_no, proof.line) == ("log-a-b.c_75_0.out", 9002, OOM.strip())
    assert found.tail.endswith("shutting down\n")
    assert "9,000" in found.progress


async def test_a_worker_alone_knows_the_cause_and_its_node_is_named(
    node: LoginNode, tmp_path: Path
) -> None:
    """Its launcher numbers workers as Slurm numbers the job's nodes."""
    write(tmp_path, driver=TRACE + GLOO, worker="up\n" + XID, batch="done\n")
    read = await read_logs(node, a_job(tmp_path))
    names = [source.name for source in read.sources]
    assert names == ["ray-driver.log", "slurm-75.out", "ray-worker-2.log"]
    finding = diagnose(read.sources, Facts(state="FAILED", nodes=3, node_list="a-[0-2]"))
    assert (finding.evidence[0].file, finding.evidence[0].line_no) == ("ray-worker-2.log", 2)
    assert finding.evidence[0].node == "a-2"
    assert finding.nodes == ("a-2",)


async def test_what_an_earlier_attempt_wrote_alone_is_left_to_it(
    node: LoginNode, tmp_path: Path
) -> None:
    """The batch script's log holds all attempts."""
    write(tmp_path, training=TRACE + OOM, again="fine\n", batch="all\n")
    read = await read_logs(node, a_job(tmp_path))
    assert [source.name for source in read.sources] == ["log-a-b.c_75_1.out", "slurm-75.out"]
    assert read.end == "fine\n"


async def test_files_of_single_tasks_are_read(node: LoginNode, tmp_path: Path) -> None:
    """What srun writes for each of them; not an older file that has the number by chance."""
    write(tmp_path, batch="srun: error: a-1: task 3: Exited with exit code 1\n")
    (tmp_path / "train_75-3.log").write_text(TRACE + OOM)
    (tmp_path / "train_175-3.log").write_text(TRACE + XID)
    old = tmp_path / "gpt-75.log"
    old.write_text(TRACE + XID)
    job = a_job(tmp_path)
    assert job.seen.started
    began = job.seen.started.timestamp()
    os.utime(tmp_path / "train_75-3.log", (began, began))
    os.utime(old, (began - 1000, began - 1000))
    read = await read_logs(node, job)
    assert [source.name for source in read.sources] == ["slurm-75.out", "train_75-3.log"]


async def test_standard_error_in_a_file_of_its_own_is_read(node: LoginNode, tmp_path: Path) -> None:
    """Whatever it is called."""
    write(tmp_path, batch="working\n")
    (tmp_path / "75.err").write_text(TRACE + OOM)
    job = a_job(tmp_path)
    apart = job.seen.model_copy(update={"stderr": str(tmp_path / "75.err")})
    found = await explanation_of(node, job.model_copy(update={"seen": apart}))
    assert found.finding
    assert [(proof.file, proof.line_no) for proof in found.finding.evidence] == [("75.err", 2)]
    assert found.tail == "working\n"


@pytest.mark.parametrize(
    ("code", "label"), [(1, "hf-gated"), (0, "cause-not-in-log")], ids=["failed", "well"]
)
async def test_a_launcher_that_failed_may_know_the_cause(
    node: LoginNode, tmp_path: Path, code: int, label: str
) -> None:
    """Where no log does; one that did its work may say what it likes."""
    script = f"echo '{GATED}' >&2; exit {code}"
    what = Launch(argv=("sh", "-c", script), cwd=str(tmp_path))
    await node.run(launch("r1", 1, what, 10.0))
    write(tmp_path, batch="working\n")
    found = await explanation_of(node, a_job(tmp_path).model_copy(update={"request": "r1"}))
    assert found.finding
    assert found.finding.label == label


async def test_a_job_without_logs(node: LoginNode, tmp_path: Path) -> None:
    """Nothing is asked for then."""
    read = await read_logs(node, a_job(tmp_path))
    assert (read.sources, read.end, read.unread) == ((), "", ())


def test_what_was_not_read_is_named() -> None:
    """Too many, closed, or too long for the time there was."""
    files = [LogFile(f"/l/w-{n}", LogKind.WORKER, 1, 9, NOW) for n in range(FILES + 2)]
    answers: list[Sifted | NoFile] = [Sifted(file.path, 9, "text") for file in files[:FILES]]
    answers[3] = NoFile("/l/w-3", Why.FORBIDDEN)
    answers[5] = Sifted("/l/w-5", 9, "end", whole=False, late=True)
    read = logs(files[:FILES], answers, (), beyond=files[FILES:])
    assert read.unread == ("w-3", "w-5", f"w-{FILES}", f"w-{FILES + 1}")
    assert len(read.sources) == FILES - 1
    (said,) = unread([*read.unread, "w-99"])
    assert plain(said) == (
        "5 log files could not be read, or only the end of it: w-3, w-5, w-64, w-65 and 1 more."
    )
