"""squeue: the account's jobs, and everybody's queue."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest

from bot.cluster.slurm import jobs, queue, seen
from bot.cluster.slurm.squeue import FIELDS
from bot.errors import CommandFailed, SlurmRateLimited, SlurmUnreachable
from bot.job import Observation, State
from tests.unit.cluster.slurm.answers import answer, rows

ROW = (
    "75", "RUNNING", "None", "alice", "research", "a3m", "normal", "2", "alice-a3m-[0-1]",
    "gres:gpu:8", "1:00:00", "2026-11-30T20:30:14", "2026-11-30T20:30:20", "2026-11-30T21:30:20",
    "(null)", "/home/alice", "train", "sbatchat:0123",
)  # fmt: skip


def row(**changes: str) -> tuple[str, ...]:
    """A row with other values for some of the % letters."""
    letters = [field.removeprefix("%") for field in FIELDS]
    return tuple(
        changes.get(f"_{letter}", value) for letter, value in zip(letters, ROW, strict=True)
    )


def one(**changes: str) -> Observation:
    """What is seen of one job."""
    (raw,) = answer(jobs(), rows(row(**changes))).values()
    return seen(raw)


def test_a_running_job() -> None:
    """Everything that squeue says."""
    assert one() == Observation(
        id="75",
        state=State.RUNNING,
        raw="RUNNING",
        name="train",
        user="alice",
        account="research",
        partition="a3m",
        qos="normal",
        nodes=2,
        node_list="alice-a3m-[0-1]",
        gpus=16,
        time_limit=timedelta(hours=1),
        submitted=datetime(2026, 11, 30, 20, 30, 14, tzinfo=UTC),
        started=datetime(2026, 11, 30, 20, 30, 20, tzinfo=UTC),
        comment="sbatchat:0123",
        workdir="/home/alice",
    )


def test_when_a_running_jobs_time_is_up_is_not_when_it_ended() -> None:
    """%e is the end of the time limit while the job runs, and the real end afterwards."""
    assert one().ended is None
    done = one(_T="COMPLETED", _e="2026-11-30T20:40:00")
    assert done.ended == datetime(2026, 11, 30, 20, 40, tzinfo=UTC)


def test_a_pending_job_without_a_plan() -> None:
    """No start, no nodes; the reason as Slurm writes it, blanks and commas included."""
    why = "ReqNodeNotAvail, UnavailableNodes:alice-a3m-1"
    job = one(_T="PENDING", _r=why, _N="", _S="N/A", _e="N/A", _b="N/A", _k="(null)")
    assert (job.state, job.reason, job.started, job.gpus) == (State.PENDING, why, None, None)
    assert job.comment == ""


@pytest.mark.parametrize("limit", ["UNLIMITED", "NOT_SET", "Partition_Limit", "INVALID"])
def test_no_time_limit(limit: str) -> None:
    """Words where a time could stand; without a limit the end is NONE."""
    assert one(_l=limit, _e="NONE").time_limit is None


@pytest.mark.parametrize(
    ("slurm_id", "job"), [("202_3", "202"), ("123+1", "123"), ("202_[2-3%2]", "202"), ("75", "75")]
)
def test_tasks_and_components(slurm_id: str, job: str) -> None:
    """Gotchas 16 and 17: the id is text, and each task is a row of its own."""
    assert one(_i=slurm_id).id == slurm_id
    assert one(_i=slurm_id).job == job


def test_any_text_may_be_a_name_or_comment() -> None:
    """Gotcha 19: bars, blanks, parentheses, line breaks."""
    job = one(_j="a name  with | pipe\nand ^^^ (x)", _k="two words\nof comment")
    assert job.name == "a name  with | pipe\nand ^^^ (x)"
    assert job.comment == "two words\nof comment"


def test_lines_of_the_sites_own_are_skipped() -> None:
    """Gotcha 4 and wrappers: a CLUSTER line, a notice before or behind."""
    text = (
        f"NOTICE: maintenance\nCLUSTER: alice\n{rows(ROW)}CLUSTER: other\n{rows(row(_i='76'))}bye\n"
    )
    found = answer(jobs(), text)
    assert list(found) == ["75", "76"]
    assert seen(found["75"]).comment == "sbatchat:0123"


def test_no_jobs_is_an_answer() -> None:
    """Empty output of a command that worked."""
    assert answer(jobs()) == {}


@pytest.mark.parametrize(
    ("stderr", "kind"),
    [
        (
            "slurm_load_jobs error: Unable to contact slurm controller (connect failure)",
            SlurmUnreachable,
        ),
        ("slurm_load_jobs error: Socket timed out on send/recv operation", SlurmUnreachable),
        (
            "slurm_load_jobs error: Rate limit exceeded, please retry momentarily",
            SlurmRateLimited,
        ),
        ("sh: 1: squeue: not found", CommandFailed),
    ],
)
def test_a_failed_squeue_is_never_an_empty_queue(stderr: str, kind: type[CommandFailed]) -> None:
    """Absence of an answer is not absence of jobs."""
    with pytest.raises(kind):
        answer(jobs(), "", stderr, 1)


def test_an_unchanged_job_has_an_unchanged_row() -> None:
    """Nothing that moves by itself (elapsed time, priority) is asked for."""
    assert not {"%M", "%L", "%Q", "%p"} & set(FIELDS)


def test_everybodys_queue_keeps_slurms_order() -> None:
    """By partition, then as they will be considered."""
    text = rows(row(_i="9", _T="PENDING"), row(_i="8", _T="PENDING", _u="bob"))
    assert [(job.id, job.user) for job in answer(queue(), text)] == [("9", "alice"), ("8", "bob")]


def test_ten_thousand_rows_are_split_and_compared_quickly() -> None:
    """What a tick pays when nothing changed; the generous limit only catches a wrong order."""
    text = rows(*(row(_i=str(n), _k=f"sbatchat:{n}") for n in range(10_000)))
    before = answer(jobs(), text)
    began = time.process_time()
    after = answer(jobs(), text)
    changed = [key for key, raw in after.items() if before.get(key) != raw]
    spent = time.process_time() - began
    assert changed == []
    assert spent < 0.2
