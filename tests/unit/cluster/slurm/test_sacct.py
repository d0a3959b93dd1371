"""sacct: what accounting remembers, and how it misleads."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.cluster.slurm import AccountingOff, Attempt, Step, history, matching
from bot.cluster.slurm.sacct import FIELDS
from bot.errors import CommandFailed, SlurmUnreachable
from bot.job import Observation, State, Tally
from tests.unit.cluster.slurm.answers import answer

SINCE = datetime(2026, 11, 29, 20, 0, tzinfo=UTC)
BASE = {
    "JobID": "16",
    "State": "COMPLETED",
    "ExitCode": "0:0",
    "DerivedExitCode": "0:0",
    "Submit": "2026-11-30T20:30:14",
    "Start": "2026-11-30T20:30:14",
    "End": "2026-11-30T20:31:14",
    "ElapsedRaw": "60",
    "NNodes": "2",
    "NodeList": "alice-a3m-[0-1]",
    "AllocTRES": "billing=2,cpu=2,gres/gpu=16,mem=4000M,node=2",
    "Timelimit": "01:00:00",
    "Partition": "a3m",
    "QOS": "normal",
    "Account": "research",
    "User": "alice",
    "TotalCPU": "00:00.123",
    "MaxRSS": "",
    "WorkDir": "/home/alice",
    "JobName": "s.sh",
    "Comment": "my comment",
}


def row(**changes: str) -> str:
    """One row as `sacct -p` prints it with our delimiter."""
    return "".join(f"{({**BASE, **changes})[field]}\x1f" for field in FIELDS) + "\n"


def ask(text: str, stderr: str = "", status: int = 0) -> tuple[Attempt, ...] | AccountingOff:
    """What the history of job 16 is read as."""
    return answer(history(("16",), SINCE), text, stderr, status)


def one(*rows: str) -> Attempt:
    """The only attempt in these rows."""
    found = ask("".join(rows))
    assert isinstance(found, tuple)
    (attempt,) = found
    return attempt


def test_a_completed_job_with_its_step() -> None:
    """Job row, then the step rows below it."""
    batch = row(
        JobID="16.batch", JobName="batch", MaxRSS="4208K", User="", Partition="", Comment=""
    )
    found = one(row(), batch)
    assert found == Attempt(
        seen=Observation(
            id="16",
            state=State.COMPLETED,
            raw="COMPLETED",
            name="s.sh",
            user="alice",
            account="research",
            partition="a3m",
            qos="normal",
            nodes=2,
            node_list="alice-a3m-[0-1]",
            gpus=16,
            time_limit=timedelta(hours=1),
            submitted=datetime(2026, 11, 30, 20, 30, 14, tzinfo=UTC),
            started=datetime(2026, 11, 30, 20, 30, 14, tzinfo=UTC),
            ended=datetime(2026, 11, 30, 20, 31, 14, tzinfo=UTC),
            elapsed=timedelta(minutes=1),
            exit_code="0:0",
            comment="my comment",
            workdir="/home/alice",
        ),
        derived_exit="0:0",
        cpu_time=timedelta(),
        memory=4000 * 2**20,
        steps=(Step(name="batch", state="COMPLETED", exit_code="0:0", max_rss=4208 * 1024),),
    )


@pytest.mark.parametrize(("real", "printed"), [(137, "9:0"), (143, "15:0"), (254, "126:0")])
def test_exit_codes_are_masked(real: int, printed: str) -> None:
    """sacct prints code & 127, so this is kept as it is and scontrol is asked for the real one."""
    assert one(row(State="FAILED", ExitCode=printed)).seen.exit_code == f"{real & 127}:0" == printed


def test_an_empty_exit_code() -> None:
    """NODE_FAIL: the steps have none, and one is cancelled `by` somebody who was not there."""
    found = one(
        row(State="NODE_FAIL"),
        row(JobID="16.batch", State="CANCELLED", ExitCode=""),
        row(JobID="16.0", State="CANCELLED by 1001", ExitCode=""),
    )
    assert found.seen.state is State.NODE_FAIL
    assert found.seen.cancelled_by == ""
    assert [step.exit_code for step in found.steps] == ["", ""]


def test_who_cancelled() -> None:
    """Only sacct knows; `by 0` is Slurm itself as often as root."""
    seen = one(row(State="CANCELLED by 1001", Start="None", NodeList="None assigned")).seen
    assert (seen.state, seen.raw, seen.cancelled_by) == (State.CANCELLED, "CANCELLED", "1001")
    assert (seen.started, seen.node_list) == (None, "")


def test_a_young_row_is_broken() -> None:
    """A job that ended within a second: no name, partition or folder; the state is right."""
    young = row(
        State="FAILED",
        ExitCode="2:0",
        JobName="allocation",
        Partition="",
        QOS="Unknown",
        WorkDir="",
        AllocTRES="",
        Timelimit="",
        Comment="",
    )
    seen = one(young).seen
    assert (seen.state, seen.exit_code) == (State.FAILED, "2:0")
    assert (seen.name, seen.partition, seen.qos, seen.workdir) == ("", "", "", "")
    assert seen.gpus is None


def test_a_row_that_lags() -> None:
    """slurmdbd was down when the job ended: the state is right, End is Unknown for a while."""
    seen = one(row(State="FAILED", ExitCode="0:0", End="Unknown")).seen
    assert (seen.state, seen.ended) == (State.FAILED, None)


def test_attempts_of_a_requeued_job() -> None:
    """-D shows each run, oldest first; steps belong to the run above them."""
    found = ask(
        row(State="PREEMPTED")
        + row(JobID="16.batch", State="CANCELLED")
        + row(State="REQUEUED")
        + row(State="RUNNING", End="Unknown", DerivedExitCode="1:0")
    )
    assert isinstance(found, tuple)
    assert [attempt.seen.raw for attempt in found] == ["PREEMPTED", "REQUEUED", "RUNNING"]
    assert [len(attempt.steps) for attempt in found] == [1, 0, 0]
    assert found[2].derived_exit == "1:0"


def test_a_refused_job_leaves_a_ghost() -> None:
    """`Requested node configuration is not available` consumes an id: FAILED, never ran."""
    seen = one(row(State="FAILED", ExitCode="1:0", NodeList="None assigned", ElapsedRaw="0")).seen
    assert (seen.state, seen.elapsed, seen.node_list) == (State.FAILED, timedelta(), "")


def test_tasks_and_components() -> None:
    """Gotchas 16 and 17: sacct's ids are those of squeue; `matching` gathers a job's own."""
    found = ask(row(JobID="202_3") + row(JobID="202_[4-5]") + row(JobID="203+0"))
    assert isinstance(found, tuple)
    assert [a.seen.id for a in matching(found, "202")] == ["202_3", "202_[4-5]"]
    assert [a.seen.id for a in matching(found, "203")] == ["203+0"]


def test_names_of_several_lines() -> None:
    """A line break in a name does not begin a row."""
    assert one(row(JobName="a\nb|c", Comment="d\ne")).seen.name == "a\nb|c"


def test_not_heard_of_yet() -> None:
    """Gotcha 8: sacct lags by seconds and says nothing, with status 0."""
    assert ask("") == ()


@pytest.mark.parametrize(
    "stderr",
    [
        "sacct: error: Slurm accounting storage is disabled\n",
        "Slurm accounting storage is disabled\n",
        "sacct: error: slurmdb_jobs_get: Access/permission denied\n",
        "sacct: error: Problem getting jobs: Operation not permitted\n",
    ],
)
def test_accounting_that_is_off_or_closed_is_an_answer(stderr: str) -> None:
    """Gotcha 9: asking again would not help."""
    found = ask("", stderr, 1)
    assert isinstance(found, AccountingOff)
    assert found.why == stderr.strip()


@pytest.mark.parametrize(
    "stderr",
    [
        (
            "sacct: error: slurm_persist_conn_open_without_init: failed to open persistent "
            "connection to host:localhost:6819: Connection refused\n"
        ),
        "sacct: error: Sending PersistInit msg: Connection refused\n",
        "sacct: error: Problem talking to the database: Connection refused\n",
        "sacct: error: Problem talking to the database: Unknown error 1021\n",
    ],
)
def test_a_database_that_is_down_is_an_outage(stderr: str) -> None:
    """Gotcha 9: temporary, so it raises."""
    with pytest.raises(SlurmUnreachable):
        ask("", stderr, 1)


def test_a_field_that_this_sacct_lacks_is_a_failure() -> None:
    """Gotcha 22: one unknown field rejects the whole question."""
    with pytest.raises(CommandFailed, match="Invalid field requested"):
        ask("", 'sacct: error: Invalid field requested: "Restarts"\n', 1)


def test_the_question_names_when_it_begins() -> None:
    """Gotcha 10: sacct's default window begins today at midnight."""
    query = history(tuple(map(str, range(1200))), SINCE)
    assert query.args[1] == "2026-11-29T20:00:00"
    assert [len(group.split(",")) for group in query.args[2:]] == [500, 500, 200]


def test_the_steps_tell_what_the_job_row_hides() -> None:
    """A step out of memory, who stopped one, how much memory the greediest used of a node's."""
    attempt = one(
        row(State="FAILED", ExitCode="1:0", DerivedExitCode="0:125"),
        row(JobID="16.batch", State="FAILED", MaxRSS="12108K"),
        row(JobID="16.0", State="OUT_OF_MEMORY", MaxRSS="1.5G"),
        row(JobID="16.1", State="CANCELLED by 1001", MaxRSS=""),
    )
    assert attempt.tally == Tally(
        steps=("FAILED", "OUT_OF_MEMORY", "CANCELLED"),
        worst="0:125",
        stopped_by="1001",
        used=1536 * 2**20,
        asked=2000 * 2**20,
    )
