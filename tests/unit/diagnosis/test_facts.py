"""Scheduler facts from what the tracker sees and from raw rows."""

from __future__ import annotations

from bot.diagnosis import Facts, diagnose, from_context, from_observation
from bot.job import Observation, State, Tally

HEADER = "JobID|User|State|ExitCode|Start|NodeList"


def test_an_observation_becomes_facts() -> None:
    """Slurm's own word, the exit code in two numbers, the reason in blanks."""
    seen = Observation(
        id="75",
        state=State.CANCELLED,
        raw="CANCELLED by 1007",
        reason="launch_failed_requeued_held",
        user="alice",
        exit_code="0:15",
        nodes=2,
    )
    assert from_observation(seen, earlier=("cross-device-link",)) == Facts(
        state="CANCELLED",
        reason="launch failed requeued held",
        code=0,
        signal=15,
        cancelled_by="1007",
        owner="alice",
        nodes=2,
        started=False,
        earlier=("cross-device-link",),
    )


def test_plain_fields_become_facts() -> None:
    """None and (null) are no reason."""
    facts = from_context({"state": "FAILED", "exit_code": "9:0", "reason": "None", "gpus": 8})
    assert facts == Facts(state="FAILED", code=9, signal=0, gpus=8)


def test_the_unmasked_exit_code_is_preferred() -> None:
    """sacct prints 137 as 9."""
    facts = from_context({"state": "FAILED", "exit_code": "9:0", "exit_code_scontrol": "137:0"})
    assert facts.code == 137


def test_rows_of_sacct_tell_the_earlier_attempts_and_who_cancelled() -> None:
    """Steps are no attempts."""
    rows = [
        HEADER,
        "75|alice|NODE_FAIL|0:0|2026-01-01T00:00:00|n1",
        "75.batch||CANCELLED by 1001||2026-01-01T00:00:00|n1",
        "75|alice|CANCELLED by 1007|0:0|2026-01-01T00:09:00|n2",
    ]
    facts = from_context({"state": "CANCELLED", "sacct": rows})
    assert facts.past == ("NODE_FAIL",)
    assert (facts.person, facts.owner, facts.node_list) == ("1007", "alice", "n2")


def test_slurm_signs_as_root_and_is_no_person() -> None:
    """A memory kill or a failed prolog reads `CANCELLED by 0`."""
    assert from_context({"state": "CANCELLED by 0"}).person == ""


def test_a_step_that_ran_out_of_memory_is_what_ended_a_failed_job() -> None:
    """Slurm calls the job itself FAILED."""
    seen = Observation(id="75", state=State.FAILED, raw="FAILED", exit_code="1:0")
    facts = from_observation(seen, tally=Tally(steps=("COMPLETED", "OUT_OF_MEMORY")))
    assert diagnose({"o": "ValueError: x\n"}, facts).label == "host-oom"
    rows = [HEADER, "75|a|FAILED|1:0|2026-01-01T00:00:00|n1", "75.0||OUT_OF_MEMORY|0:125||n1"]
    assert diagnose({}, from_context({"state": "FAILED", "sacct": rows})).label == "host-oom"


def test_a_guess_at_memory_tells_how_much_was_used() -> None:
    """Where accounting looked."""
    seen = Observation(id="75", state=State.FAILED, raw="FAILED", exit_code="137:0")
    tally = Tally(used=61 * 2**30, asked=64 * 2**30)
    remedy = diagnose({"o": "Killed\n"}, from_observation(seen, tally=tally)).remedy
    assert remedy.startswith("It used 61 GB of the 64 GB of memory that it had. ")
    assert "used" not in diagnose({"o": "Killed\n"}, from_observation(seen)).remedy


def test_who_cancelled_a_step_is_known() -> None:
    """The job itself reads FAILED then."""
    seen = Observation(id="75", state=State.FAILED, raw="FAILED", exit_code="1:0")
    assert from_observation(seen, tally=Tally(stopped_by="alice")).person == "alice"
