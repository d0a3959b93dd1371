"""Scheduler facts from what the tracker sees and from raw rows."""

from __future__ import annotations

from bot.diagnosis import Facts, from_context, from_observation
from bot.job import Observation, State

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
