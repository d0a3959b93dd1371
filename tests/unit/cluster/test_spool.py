"""What a spool proves, rule by rule."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.cluster.spool import (
    Call,
    Dead,
    Lock,
    NotStarted,
    Outcome,
    Process,
    Receipt,
    Refused,
    Run,
    Running,
    Spool,
    Submitted,
    Unknown,
    outcome,
    receipt,
)

HERE = Process("login-0", "boot", "42", "1000")
CALL = Call(1, "/home/alice", "train", ("job.sh",), 0, "Submitted batch job 7\n", "")
RUN = Run(1, HERE, HERE, alive=False, exit=0, fenced=False, calls=(CALL,), out="o", err="e")
SPOOL = Spool("r1", Lock.FREE, "login-0", (RUN,))
TIMED_OUT = "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation\n"
WRONG = "sbatch: error: Batch job submission failed: Invalid partition name specified\n"


def judged(lock: Lock = Lock.FREE, *calls: Call, **run: object) -> Outcome:
    """The outcome of a spool with one run, changed in some respects."""
    changed = replace(RUN, calls=calls, **run)  # type: ignore[arg-type]  # names of Run's fields
    return outcome(replace(SPOOL, lock=lock, runs=(changed,)))


def call(status: int | None = 0, out: str = "", err: str = "") -> Call:
    """A call that came to this."""
    return replace(CALL, status=status, out=out, err=err)


def test_a_receipt_is_a_job() -> None:
    """Whatever the launcher made of it afterwards."""
    for status in (0, 1):
        assert judged(Lock.FREE, CALL, exit=status) == Submitted((Receipt("7"),), "o", "e", True)


def test_several_receipts_are_several_jobs() -> None:
    """In the order of the calls."""
    seen = judged(Lock.FREE, CALL, call(0, "8;other\n"))
    assert isinstance(seen, Submitted)
    assert seen.jobs == (Receipt("7"), Receipt("8", "other"))


def test_a_launcher_that_lives_may_submit_more() -> None:
    """Its receipts so far are jobs already."""
    assert judged(Lock.HELD, CALL, exit=None) == Submitted((Receipt("7"),), "o", "e", False)
    assert judged(Lock.HELD, exit=None) == Running("login-0", "o", "e")
    assert judged(Lock.HELD, call(None), exit=None) == Running("login-0", "o", "e")


def test_an_exit_without_an_intent_is_a_certain_no() -> None:
    """The launcher's last words are the error."""
    seen = judged(Lock.FREE, exit=2, err="warning\nno such recipe\n")
    assert seen == Refused("no such recipe", None, "o", "warning\nno such recipe\n")
    assert judged(Lock.FREE, exit=3, out="", err="") == Refused(
        "the launcher left with status 3", None, "", ""
    )


def test_a_good_exit_without_an_intent_is_unknown() -> None:
    """Something went around the shim."""
    seen = judged(Lock.FREE, exit=0)
    assert isinstance(seen, Unknown)
    assert seen.calls == ()


@pytest.mark.parametrize("status", [None, 0, 137, 143])
@pytest.mark.parametrize("exit_status", [None, 0, 1])
def test_an_intent_without_an_answer_is_unknown(
    status: int | None, exit_status: int | None
) -> None:
    """Killed, silent or cut: whatever the exit status, a job may exist."""
    lost = call(status)
    seen = judged(Lock.FREE, lost, exit=exit_status)
    assert isinstance(seen, Unknown)
    assert seen.calls == (lost,)


def test_an_answer_that_can_hide_an_acceptance_is_no_receipt() -> None:
    """A socket time-out."""
    seen = judged(Lock.FREE, call(1, "", TIMED_OUT), exit=1)
    assert isinstance(seen, Unknown)
    assert "Socket timed out" in seen.text


def test_a_refusal_is_a_receipt_of_its_own() -> None:
    """With Slurm's text, also when the launcher was killed afterwards."""
    for status in (None, 1):
        seen = judged(Lock.FREE, call(1, "", WRONG), exit=status)
        assert isinstance(seen, Refused)
        assert seen.refusal is not None
        assert not seen.retry
    assert isinstance(
        judged(Lock.FREE, call(255, "", "sbatch: unrecognized option '--x'")), Refused
    )


def test_one_job_and_one_lost_answer_is_unknown_with_the_job() -> None:
    """Neither may be forgotten."""
    seen = judged(Lock.FREE, CALL, call(None), exit=1)
    assert isinstance(seen, Unknown)
    assert seen.jobs == (Receipt("7"),)
    assert len(seen.calls) == 1


def test_one_job_and_one_refusal_is_the_job() -> None:
    """A chain that broke half-way."""
    seen = judged(Lock.FREE, CALL, call(1, "", WRONG), exit=1)
    assert isinstance(seen, Submitted)


@pytest.mark.parametrize(
    ("lock", "alive", "dead"),
    [
        (Lock.FREE, False, True),
        (Lock.FREE, None, True),
        (Lock.FREE, True, False),
        (Lock.HELD, False, False),
        (Lock.HELD, None, False),
        (Lock.NONE, False, True),
        (Lock.NONE, None, False),
        (Lock.NONE, True, False),
    ],
)
def test_when_a_run_without_an_end_is_dead(lock: Lock, alive: bool | None, dead: bool) -> None:
    """The lock speaks for all that it started; without one, only a process that we can see."""
    seen = judged(lock, exit=None, alive=alive)
    assert isinstance(seen, Dead if dead else Running)
    if isinstance(seen, Dead):
        assert seen.attempt == 2


def test_a_fenced_run_is_dead_whatever_it_does() -> None:
    """It can no longer submit, so its exit says nothing."""
    for status in (None, 0, 1):
        assert judged(Lock.HELD, fenced=True, exit=status) == Dead(2)


def test_the_last_run_counts() -> None:
    """Earlier ones are fenced."""
    first = replace(RUN, fenced=True, calls=(), exit=None)
    assert isinstance(outcome(replace(SPOOL, runs=(first, replace(RUN, attempt=2)))), Submitted)
    second = replace(RUN, attempt=2, calls=(), exit=None)
    assert outcome(replace(SPOOL, runs=(first, second))) == Dead(3)


def test_nothing_has_run() -> None:
    """Launching is safe, unless somebody is about to start it."""
    assert outcome(replace(SPOOL, runs=())) == NotStarted()
    assert isinstance(outcome(replace(SPOOL, runs=(), lock=Lock.HELD)), Running)


@pytest.mark.parametrize("problem", ["room", "sbatch", "setsid", "flock", "cwd"])
def test_what_kept_it_from_starting_is_said(problem: str) -> None:
    """In words; launching again is safe. Also when a dead first attempt cannot be followed."""
    fields = {"problem": problem, "detail": "/x", "free_kb": 0}
    dead = replace(RUN, calls=(), exit=None)
    for runs in ((), (dead,)):
        seen = outcome(replace(SPOOL, runs=runs, **fields))  # type: ignore[arg-type]  # as above
        assert isinstance(seen, Refused)
        assert seen.retry
        assert seen.text.startswith("Nothing was submitted")
        assert "{" not in seen.text


@pytest.mark.parametrize(
    ("out", "found"),
    [
        ("Submitted batch job 12\n", Receipt("12")),
        ("Submitted batch job 12 on cluster nautilus\n", Receipt("12", "nautilus")),
        ("12\n", Receipt("12")),
        ("12;nautilus\n", Receipt("12", "nautilus")),
        ("INFO charged 4 SU\n12\n", Receipt("12")),
        ("12\nNote: quota 80 % used\n", Receipt("12")),
        ("Submitted batch job 12\n12\n", Receipt("12")),
        ("  12  \n", Receipt("12")),
        ("", None),
        ("job 12 is fine\n", None),
        ("12\n13\n", None),
        ("12.5\n", None),
        ("v12\n", None),
    ],
)
def test_which_answers_name_a_job(out: str, found: Receipt | None) -> None:
    """Gotchas 1 to 3: one full line that is an id; notes around it don't matter."""
    assert receipt(call(0, out)) == found


def test_an_answer_that_may_be_cut_names_no_job() -> None:
    """Without a receipt a line counts only when it ended."""
    assert receipt(call(None, "Submitted batch job 12")) is None
    assert receipt(call(None, "Submitted batch job 12\n")) == Receipt("12")
