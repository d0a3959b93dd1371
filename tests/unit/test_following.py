"""A job moved on by what Slurm says of it now; every row is one that Slurm printed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from bot.cluster import slurm
from bot.cluster.slurm import AccountingOff, Attempt
from bot.following import (
    PATIENCE,
    advance,
    earlier,
    grouped,
    missing,
    needs_details,
    needs_history,
    tasks,
    whole,
    with_details,
    with_history,
)
from bot.job import Job, Observation, State
from tests.unit.cluster.slurm.answers import answer
from tests.unit.slurm_says import sacct, scontrol, squeue, waits

NOW = datetime(2026, 11, 30, 21, 50, tzinfo=UTC)
OFF = AccountingOff(why="Slurm accounting storage is disabled")


def observed(*records: str) -> tuple[Observation, ...]:
    """What squeue's records say."""
    return tuple(slurm.seen(row) for row in answer(slurm.jobs(), "".join(records)).values())


def detailed(*lines: str) -> tuple[Observation, ...]:
    """What scontrol's lines say."""
    return answer(slurm.details(("75",)), "".join(lines))


def remembered(*rows: str) -> tuple[Attempt, ...]:
    """What accounting's rows say."""
    found = answer(slurm.history(("75",), NOW), "".join(rows))
    assert not isinstance(found, AccountingOff)
    return found


def submitted(job: str = "75") -> Job:
    """A job of which only its receipt is known."""
    seen = Observation(id=job, state=State.PENDING, raw="PENDING")
    return Job(cluster="alice", id=job, request="r1", seen=seen, created=NOW)


def running(job: str = "75") -> Job:
    """A job that squeue and scontrol have shown running."""
    known = advance(submitted(job), observed(squeue(job)))
    return with_details(known, detailed(scontrol(job)))


def in_array(*records: str, job: Job | None = None) -> Job:
    """An array as squeue -r shows it."""
    return advance(job or submitted("3"), observed(*records))


def test_what_squeue_does_not_say_stays() -> None:
    """The output file and the restarts, which scontrol told."""
    job = advance(running(), observed(squeue("75", "COMPLETING")))
    assert (job.seen.state, job.seen.stdout) == (State.COMPLETING, "/home/alice/slurm-75.out")
    assert job.seen.restarts == 0


def test_nodes_that_are_free_again_were_the_jobs_all_the_same() -> None:
    """Of a job that is ending, squeue counts only those that are not."""
    one = running()
    two = one.model_copy(update={"seen": one.seen.model_copy(update={"nodes": 2})})
    assert advance(two, observed(squeue("75", "COMPLETING"))).seen.nodes == 2


def test_a_requeued_job_has_all_its_way_before_it() -> None:
    """`about 22 s left` was said of the attempt before."""
    far = running().model_copy(update={"progress": "step 20 of 120, about 22 s left"})
    assert advance(far, observed(squeue("75"))).progress == far.progress
    again = advance(far, observed(waits("75", "BeginTime")))
    assert (again.attempt, again.progress) == (2, "")


def test_an_ended_job_ran_from_its_start_to_its_end() -> None:
    """squeue prints no elapsed time, and scontrol's was of the job that still ran."""
    job = advance(running(), observed(squeue("75", "FAILED", end="21:48:19")))
    assert job.seen.elapsed == timedelta(seconds=90)


def test_the_exit_code_of_a_job_that_goes_on_is_not_how_it_ended() -> None:
    """scontrol prints 0:0 for it."""
    assert running().seen.exit_code == ""
    failed = with_details(running(), detailed(scontrol("75", "FAILED", code="137:0")))
    assert failed.seen.exit_code == "137:0"


def test_a_requeued_job_has_one_more_attempt() -> None:
    """squeue shows it waiting after it ran; scontrol's count agrees and does not count twice."""
    again = advance(running(), observed(squeue("75", "PENDING", "BeginTime", node="")))
    assert (again.seen.state, again.attempt, again.seen.node_list) == (State.PENDING, 2, "")
    assert needs_details(again, running())
    told = with_details(
        again, detailed(scontrol("75", "PENDING", "BeginTime", restarts=1, node=""))
    )
    assert told.attempt == 2


def test_a_requeue_between_two_looks_is_found_by_its_other_start() -> None:
    """It ran before and runs now, but not since then."""
    now = advance(running(), observed(squeue("75", start="21:49:05")))
    assert needs_details(now, running())
    assert with_details(now, detailed(scontrol("75", restarts=1))).attempt == 2


def test_a_job_that_just_runs_on_needs_no_details() -> None:
    """Another reason or limit is no reason to ask scontrol."""
    assert not needs_details(advance(running(), observed(squeue("75", reason="Prolog"))), running())


def test_the_cause_of_the_last_attempt_is_forgotten_when_the_next_begins() -> None:
    """What it was preempted for says nothing of how it ends."""
    waiting = advance(running(), observed(waits("75", "BeginTime")))
    waiting = waiting.model_copy(update={"label": "slurm-preempted", "cause": "Preempted."})
    assert advance(waiting, observed(waits("75"))).cause == "Preempted."
    assert advance(waiting, observed(squeue("75"))).cause == ""


def test_the_earlier_attempts_are_those_that_ended() -> None:
    """The row of the one that waits may be there or come seconds later."""
    before = sacct("75", "PREEMPTED"), sacct("75", "REQUEUED")
    later = sacct("75", "PENDING", start="Unknown", end="Unknown", node="None assigned")
    assert earlier(remembered(*before), running()) == ("PREEMPTED", "REQUEUED")
    assert earlier(remembered(*before, later), running()) == ("PREEMPTED", "REQUEUED")
    assert earlier(OFF, running()) == ()


def test_a_missing_job_settles() -> None:
    """Absence is not an ending; it settles since it was first missed."""
    gone = missing(running(), NOW)
    assert (gone.seen.state, gone.settling_since) == (State.SETTLING, NOW)
    assert missing(gone, NOW + timedelta(minutes=1)).settling_since == NOW


def test_a_missing_job_that_is_back_goes_on() -> None:
    """As if nothing had been."""
    back = advance(missing(running(), NOW), observed(squeue("75")))
    assert back == running()


def test_accounting_settles_a_missing_job() -> None:
    """With its code; nothing that an earlier look said passes for it."""
    gone = missing(running(), NOW)
    ended = with_history(gone, remembered(sacct("75", "FAILED", "9:0", ran=60)), NOW)
    assert (ended.seen.state, ended.seen.exit_code) == (State.FAILED, "9:0")
    assert (ended.seen.elapsed, ended.settling_since) == (timedelta(minutes=1), None)
    assert ended.seen.stdout == "/home/alice/slurm-75.out"


def test_the_last_attempt_settles_a_missing_job() -> None:
    """What it died of before does not count."""
    rows = remembered(sacct("75", "NODE_FAIL"), sacct("75", "COMPLETED"))
    assert with_history(missing(running(), NOW), rows, NOW).seen.state is State.COMPLETED


@pytest.mark.parametrize(
    "rows",
    [
        (),
        (sacct("75", "RUNNING", end="Unknown"),),
        (sacct("75", "NODE_FAIL"), sacct("75", "PENDING", start="Unknown", end="Unknown")),
        (sacct("75", "FAILED", "0:0", end="Unknown"),),
    ],
    ids=["not heard of", "still running", "requeued", "not complete"],
)
def test_accounting_that_lags_settles_nothing(rows: Sequence[str]) -> None:
    """The job goes on settling, and the last of these even has a wrong exit code."""
    gone = missing(running(), NOW)
    assert with_history(gone, remembered(*rows), NOW) == gone


def test_patience_ends_in_lost_sight() -> None:
    """Not in an end that nobody saw."""
    gone = missing(running(), NOW)
    assert with_history(gone, OFF, NOW + PATIENCE) == gone
    lost = with_history(gone, OFF, NOW + PATIENCE + timedelta(seconds=1))
    assert lost.seen.state is State.LOST


def test_after_patience_an_incomplete_row_is_better_than_nothing() -> None:
    """An end without its time."""
    rows = remembered(sacct("75", "FAILED", "0:0", end="Unknown"))
    late = NOW + PATIENCE + timedelta(seconds=1)
    assert with_history(missing(running(), NOW), rows, late).seen.state is State.FAILED


def test_another_job_of_the_same_id_settles_nothing() -> None:
    """Ids are used again after years."""
    rows = remembered(sacct("75", "COMPLETED", submitted="2024-05-01T10:00:00"))
    gone = missing(running(), NOW)
    assert with_history(gone, rows, NOW) == gone


def test_accounting_names_who_cancelled() -> None:
    """And its masked exit code does not replace scontrol's."""
    ended = with_details(running(), detailed(scontrol("75", "CANCELLED", code="0:15")))
    assert needs_history(ended, running())
    named = with_history(ended, remembered(sacct("75", "CANCELLED by 50001")), NOW)
    assert (named.seen.cancelled_by, named.seen.exit_code) == ("50001", "0:15")


def test_a_row_of_another_end_does_not_overrule_scontrol() -> None:
    """It would be of an earlier attempt, or of another job."""
    ended = with_details(running(), detailed(scontrol("75", "CANCELLED", code="0:15")))
    assert with_history(ended, remembered(sacct("75", "FAILED", "1:0")), NOW) == ended


def test_an_end_that_slurm_told_needs_no_accounting() -> None:
    """Only cancelled and vanished jobs, arrays and new attempts do."""
    failed = with_details(running(), detailed(scontrol("75", "FAILED", code="3:0")))
    assert not needs_history(failed, running())


def test_a_living_task_speaks_for_an_array_then_the_worst_end() -> None:
    """Running before waiting, waiting before any end."""
    failed, done = squeue("3_0", "FAILED"), squeue("3_1", "COMPLETED")
    assert whole(observed(failed, done, waits("3_2"), squeue("3_3"))).id == "3_3"
    assert whole(observed(failed, done, waits("3_2"))).id == "3_2"
    assert whole(observed(done, failed)).id == "3_0"


def test_an_array_is_one_job_whose_tasks_are_counted() -> None:
    """squeue -r prints each; scontrol prints those that wait as one."""
    job = in_array(squeue("3_0"), waits("3_1"), waits("3_2"), waits("3_3"))
    assert job.seen.state is State.RUNNING
    assert job.tasks == ((State.PENDING, 3), (State.RUNNING, 1))
    lines = (
        scontrol("3", "PENDING", "JobArrayTaskLimit", array="3 ArrayTaskId=1-3%1"),
        scontrol("8", array="3 ArrayTaskId=0"),
    )
    assert with_details(job, detailed(*lines)).tasks == job.tasks


def test_a_task_that_waits_after_another_ran_is_no_requeue() -> None:
    """One at a time: `--array=0-3%1`."""
    job = in_array(squeue("3_0"), waits("3_1"))
    job = in_array(squeue("3_0", "COMPLETED"), waits("3_1"), job=job)
    assert (job.seen.state, job.attempt) == (State.PENDING, 1)


def test_tasks_that_slurm_forgot_still_count() -> None:
    """It forgets each some minutes after its end, while others go on."""
    job = in_array(squeue("3_0", "FAILED"), squeue("3_1"), waits("3_2"))
    job = in_array(squeue("3_1", "COMPLETED"), squeue("3_2"), job=job)
    assert job.tasks == ((State.COMPLETED, 1), (State.FAILED, 1), (State.RUNNING, 1))


def test_a_task_that_is_requeued_is_not_counted_twice() -> None:
    """All rows are there, so they are the truth."""
    before = ((State.COMPLETED, 2),)
    assert tasks(observed(squeue("3_0", "COMPLETED"), waits("3_1")), before) == (
        (State.COMPLETED, 1),
        (State.PENDING, 1),
    )


def test_an_array_of_which_a_forgotten_task_failed_has_failed() -> None:
    """Though the last one that Slurm remembers ended well; its exit code is nobody's."""
    job = in_array(squeue("3_0", "FAILED"), squeue("3_1"))
    job = in_array(squeue("3_1", "COMPLETED"), job=job)
    assert (job.seen.state, job.seen.raw, job.seen.exit_code) == (State.FAILED, "FAILED", "")
    assert job.tasks == ((State.COMPLETED, 1), (State.FAILED, 1))


def test_accounting_knows_all_tasks_of_an_array_that_ended() -> None:
    """Also those that ended before anybody looked."""
    job = in_array(squeue("3_3", "COMPLETED"))
    assert needs_history(job, submitted("3"))
    rows = (
        sacct("3_0", "FAILED", "1:0"),
        *(sacct(f"3_{task}", "COMPLETED") for task in (1, 2, 3)),
    )
    told = with_history(job, remembered(*rows), NOW)
    assert (told.seen.id, told.seen.state, told.seen.exit_code) == ("3_0", State.FAILED, "1:0")
    assert told.tasks == ((State.COMPLETED, 3), (State.FAILED, 1))


def test_an_array_keeps_the_whole_exit_code_of_the_task_that_failed() -> None:
    """Where scontrol and accounting speak of the same one."""
    job = in_array(squeue("3_0", "FAILED"), squeue("3_1", "COMPLETED"))
    line = scontrol("8", "FAILED", code="137:0", array="3 ArrayTaskId=0")
    job = with_details(job, detailed(line, scontrol("3", "COMPLETED", array="3 ArrayTaskId=1")))
    rows = remembered(sacct("3_0", "FAILED", "9:0"), sacct("3_1", "COMPLETED"))
    assert with_history(job, rows, NOW).seen.exit_code == "137:0"


def test_the_parts_of_a_heterogeneous_job_are_one_job() -> None:
    """As bad as the worst of them."""
    rows = answer(slurm.jobs(), squeue("6+0", "COMPLETED") + squeue("6+1", "FAILED"))
    assert list(grouped(rows)) == ["6"]
    job = advance(submitted("6"), observed(*(squeue("6+0", "COMPLETED"), squeue("6+1", "FAILED"))))
    assert job.seen.state is State.FAILED
    assert job.tasks == ((State.COMPLETED, 1), (State.FAILED, 1))


def test_a_state_nobody_knows_is_alive() -> None:
    """It is told as it stands, and never as an end."""
    job = advance(running(), observed(squeue("75", "LEVITATING")))
    assert (job.seen.state, job.seen.raw) == (State.UNKNOWN, "LEVITATING")
    assert not job.seen.state.ended
