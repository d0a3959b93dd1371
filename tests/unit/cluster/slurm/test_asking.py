"""Start estimates, cancelling, searching, associations."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.cluster.slurm import (
    AccountingOff,
    Association,
    Cancelled,
    Estimate,
    QosLimit,
    Subject,
    associations,
    cancel,
    find_by_comment,
    find_by_name,
    qos_limits,
    signature,
    signatures,
    start_estimate,
)
from bot.errors import CommandFailed, SlurmUnreachable
from bot.model import Resources
from tests.unit.cluster.slurm import test_sacct, test_squeue
from tests.unit.cluster.slurm.answers import answer, rows

SINCE = datetime(2026, 11, 30, 20, 0, tzinfo=UTC)
UNKNOWN = "slurm_load_jobs error: Invalid job id specified\n"


def test_an_estimate() -> None:
    """sbatch tells it on standard error."""
    said = (
        "sbatch: Job 4 to start at 2026-11-30T22:05:14 using 2 processors on nodes"
        " alice-a3m-[0-1] in partition a3m\n"
    )
    assert answer(start_estimate(Resources(partition="a3m")), "", said) == Estimate(
        start=datetime(2026, 11, 30, 22, 5, 14, tzinfo=UTC), node_list="alice-a3m-[0-1]"
    )


def test_an_estimate_asks_with_the_resources_alone() -> None:
    """Whatever else the launch will add."""
    wish = Resources(partition="a3m", nodes=2, gpus_per_node=8, time=timedelta(minutes=90))
    query = start_estimate(wish, account="research", qos="normal")
    assert query.args == (
        "--nodes=2",
        "--partition=a3m",
        "--gpus-per-node=8",
        "--time=90",
        "--account=research",
        "--qos=normal",
    )
    assert start_estimate(Resources()).args == ("--nodes=1",)


def test_an_estimate_of_what_would_be_refused() -> None:
    """`allocation failure` is an answer, with its reason."""
    found = answer(
        start_estimate(Resources()),
        "",
        "allocation failure: Requested node configuration is not available\n",
        1,
    )
    assert found.start is None
    assert found.said is not None
    assert found.said.subject is Subject.NODES


def test_no_estimate_while_slurm_is_down() -> None:
    """An outage raises."""
    error = "allocation failure: Unable to contact slurm controller (connect failure)\n"
    with pytest.raises(SlurmUnreachable):
        answer(start_estimate(Resources()), "", error, 1)


@pytest.mark.parametrize(
    ("before", "status", "after", "stderr", "outcome"),
    [
        (["RUNNING"], 0, ["COMPLETING"], "", Cancelled.DONE),
        (["PENDING"], 0, ["CANCELLED"], "", Cancelled.DONE),
        (["RUNNING"], 0, [], "", Cancelled.DONE),
        (["RUNNING"], 0, ["RUNNING"], "", Cancelled.RUNS),
        (["RUNNING", "PENDING"], 0, ["CANCELLED", "COMPLETING"], "", Cancelled.DONE),
        (["COMPLETED"], 0, ["COMPLETED"], "", Cancelled.ENDED),
        (["COMPLETED", "RUNNING"], 0, ["COMPLETED", "CANCELLED"], "", Cancelled.DONE),
        ([], 0, [], UNKNOWN, Cancelled.UNKNOWN),
        (
            ["RUNNING"],
            1,
            ["RUNNING"],
            "scancel: error: Kill job error on job id 12: Access/permission denied\n",
            Cancelled.DENIED,
        ),
    ],
)
def test_what_came_of_a_cancel(
    before: list[str], status: int, after: list[str], stderr: str, outcome: Cancelled
) -> None:
    """scancel itself is silent, and leaves with 0, about ended and unknown jobs."""
    was, now = (rows(*(("12", word) for word in words)) for words in (before, after))
    found = answer(cancel("12"), f"{was}\x1d{status}\x1d{now}", stderr)
    assert found.outcome is outcome


def test_a_cancel_that_slurm_never_heard_raises() -> None:
    """slurmctld down: nothing was cancelled."""
    error = "scancel: error: Unable to contact slurm controller (connect failure)\n"
    with pytest.raises(SlurmUnreachable):
        answer(cancel("12"), "\x1d1\x1d", error)


def found(queued: str, past: str, status: int = 0) -> str:
    """What the search prints."""
    return f"{queued}\x1d{past}\x1d{status}"


def test_jobs_are_found_by_their_signature() -> None:
    """In the queue, in accounting, also behind a comment of the person's own."""
    queued = rows(
        test_squeue.row(_i="1", _k="sbatchat:r1"),
        test_squeue.row(_i="2", _k="sbatchat:r1 mine"),
        test_squeue.row(_i="3", _k="sbatchat:r11"),
        test_squeue.row(_i="4", _k="see sbatchat:r2 for more"),
    )
    past = test_sacct.row(JobID="1", Comment="sbatchat:r1") + test_sacct.row(
        JobID="9", Comment="sbatchat:r3"
    )
    search = answer(find_by_comment(("r1", "r2", "r3", "r4"), SINCE), found(queued, past))
    ids = {request: [job.id for job in jobs] for request, jobs in search.found.items()}
    assert ids == {"r1": ["1", "2"], "r2": ["4"], "r3": ["9"]}
    assert search.accounting


def test_a_search_without_accounting_says_so() -> None:
    """An ended job may have been overlooked."""
    search = answer(
        find_by_comment(("r1",), SINCE),
        found("", "", 1),
        "sacct: error: Slurm accounting storage is disabled\n",
    )
    assert not search.accounting


def test_a_search_that_half_failed_is_no_search() -> None:
    """Not found must mean not found."""
    with pytest.raises(SlurmUnreachable):
        answer(find_by_comment(("r1",), SINCE), found("", "", 1), "sacct: Connection refused\n")
    with pytest.raises(CommandFailed):
        answer(find_by_comment(("r1",), SINCE), "", "squeue: error\n", 1)


def test_jobs_are_found_by_name_folder_and_time() -> None:
    """The last resort; jobs from before, or from elsewhere, are others."""
    queued = rows(
        test_squeue.row(_i="1"),
        test_squeue.row(_i="2", _j="other"),
        test_squeue.row(_i="3", _Z="/elsewhere"),
        test_squeue.row(_i="4", _V="2026-11-30T19:00:00"),
    )
    for workdir, ids in (("/home/alice", ["1"]), ("", ["1", "3"])):
        sighting = answer(find_by_name("train", workdir, SINCE), found(queued, ""))
        assert [job.id for job in sighting.jobs] == ids


def test_signatures() -> None:
    """What is written is what is found."""
    assert signatures(signature("0123abc")) == ("0123abc",)
    assert signatures("xsbatchat:1") == ()
    assert signatures("sbatchat:1 x sbatchat:2") == ("1", "2")


def test_associations() -> None:
    """Which accounts may be charged."""
    assert answer(associations(), "research|a3m|normal,high|normal\nother|||\n") == (
        Association(
            account="research", partition="a3m", qos=("normal", "high"), default_qos="normal"
        ),
        Association(account="other", partition="", qos=(), default_qos=""),
    )
    for said in (
        "sacctmgr: error: Slurm accounting storage is disabled\n",
        (
            "You are not running a supported accounting_storage plugin\n"
            "Only 'accounting_storage/slurmdbd' is supported.\n"
        ),
    ):
        assert isinstance(answer(associations(), "", said, 1), AccountingOff)


def test_what_a_qos_allows_a_job() -> None:
    """Its time and its nodes; what is not limited is empty."""
    said = "normal||\nlong|7-00:00:00|\nnarrow|00:30:00|cpu=8,node=2,gres/gpu=16\n"

    assert answer(qos_limits(), said) == (
        QosLimit(name="normal"),
        QosLimit(name="long", time=timedelta(days=7)),
        QosLimit(name="narrow", time=timedelta(minutes=30), nodes=2),
    )
    silent = answer(
        qos_limits(), "", "You are not running a supported accounting_storage plugin", 1
    )
    assert isinstance(silent, AccountingOff)
