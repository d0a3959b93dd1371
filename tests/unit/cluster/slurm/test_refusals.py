"""What sbatch says when it does not submit."""

from __future__ import annotations

import pytest

from bot.cluster.slurm import Blame, Subject, refusal
from bot.cluster.slurm.refusals import COMPLAINTS, checked
from bot.errors import CommandFailed, SlurmRateLimited, SlurmUnreachable
from bot.ports import Output


@pytest.mark.parametrize(
    ("stderr", "blame", "subject"),
    [
        (
            (
                "sbatch: error: invalid partition specified: general\n"
                "sbatch: error: Batch job submission failed: Invalid partition name specified\n"
            ),
            Blame.ASKED_WRONG,
            Subject.PARTITION,
        ),
        (
            (
                "sbatch: error: Memory specification can not be satisfied\n"
                "sbatch: error: Batch job submission failed: "
                "Requested node configuration is not available\n"
            ),
            Blame.ASKED_WRONG,
            Subject.MEMORY,
        ),
        (
            (
                "sbatch: error: QOSMaxWallDurationPerJobLimit\n"
                "sbatch: error: Batch job submission failed: Job violates accounting/QOS policy "
                "(job submit limit, user's size and/or time limits)\n"
            ),
            Blame.ASKED_WRONG,
            Subject.TIME,
        ),
        (
            (
                "sbatch: error: AssocMaxSubmitJobLimit\n"
                "sbatch: error: Batch job submission failed: Job violates accounting/QOS policy "
                "(job submit limit, user's size and/or time limits)\n"
            ),
            Blame.WAIT,
            Subject.LIMIT,
        ),
        (
            (
                "sbatch: error: Batch job submission failed: "
                "Requested node configuration is not available"
            ),
            Blame.ASKED_WRONG,
            Subject.NODES,
        ),
        (
            "sbatch: error: Batch job submission failed: Invalid qos specification",
            Blame.ASKED_WRONG,
            Subject.QOS,
        ),
        (
            (
                "sbatch: error: Batch job submission failed: "
                "Invalid account or account/partition combination specified"
            ),
            Blame.ASKED_WRONG,
            Subject.ACCOUNT,
        ),
        (
            "sbatch: error: Batch job submission failed: Job dependency problem",
            Blame.ASKED_WRONG,
            Subject.DEPENDENCY,
        ),
        ("sbatch: error: Invalid --time specification", Blame.ASKED_WRONG, Subject.TIME),
        ("sbatch: error: Unable to open file nofile.sh", Blame.ASKED_WRONG, Subject.SCRIPT),
        (
            (
                "sbatch: error: This does not look like a batch script.  The first\n"
                "sbatch: error: line must start with #! followed by the path to an interpreter.\n"
            ),
            Blame.ASKED_WRONG,
            Subject.SCRIPT,
        ),
        (
            "sbatch: error: Batch script contains DOS line breaks (\\r\\n)\n",
            Blame.ASKED_WRONG,
            Subject.SCRIPT,
        ),
        (
            (
                "sbatch: unrecognized option '--container-image=x'\n"
                'Try "sbatch --help" for more information\n'
            ),
            Blame.ASKED_WRONG,
            Subject.OPTION,
        ),
        (
            "sbatch: error: Maximum node count 1 is less than minimum node count 2",
            Blame.ASKED_WRONG,
            Subject.NODES,
        ),
        (
            (
                "sbatch: error: Slurm temporarily unable to accept job: Rate limit exceeded, "
                "please retry momentarily"
            ),
            Blame.WAIT,
            Subject.NONE,
        ),
        ("sbatch: error: the site's own rule", Blame.OTHER, Subject.NONE),
    ],
)
def test_refusals_by_fault_and_subject(stderr: str, blame: Blame, subject: Subject) -> None:
    """The first line names the value and is the one that tells; the last is generic."""
    said = refusal(stderr)
    assert (said.blame, said.subject, said.may_hide) == (blame, subject, False)


@pytest.mark.parametrize(
    ("why", "hides"),
    [
        ("Socket timed out on send/recv operation", True),
        ("Unable to contact slurm controller (receive failure)", True),
        ("Unable to contact slurm controller (send failure)", True),
        ("Unable to contact slurm controller (connect failure)", False),
        ("Zero Bytes were transmitted or received", True),
        ("Slurm backup controller in standby mode", True),
        ("I/O error writing script/environment to file", True),
        ("Protocol authentication error", True),
        ("Slurm internal error", True),
    ],
)
def test_faults_that_may_hide_an_acceptance(why: str, hides: bool) -> None:
    """Gotcha 5: the job may have been taken; only a failed connect is certain that it was not."""
    said = refusal(f"sbatch: error: Batch job submission failed: {why}\n")
    assert said.blame is Blame.FAULT
    assert said.may_hide is hides


def test_the_words_of_slurm_are_kept() -> None:
    """Every error line once, without the program's name."""
    line = "sbatch: error: Batch job submission failed: Invalid partition name specified"
    said = refusal(f"sbatch: error: invalid partition specified: x\n{line}\n{line}\n")
    assert said.text == (
        "invalid partition specified: x\n"
        "Batch job submission failed: Invalid partition name specified"
    )


def test_a_refusal_is_found_in_a_launchers_traceback() -> None:
    """NeMo-Run: sbatch's text stands inside invoke's exception, on stdout wrapped at 80 columns."""
    said = refusal(
        "    raise UnexpectedExit(result)\ninvoke.exceptions.UnexpectedExit: Encountered a bad\n"
        "Stderr:\n\nsbatch: error: invalid partition specified: general\n"
        "sbatch: error: Batch job submission failed: Invalid partition\nname specified\n"
    )
    assert said.subject is Subject.PARTITION
    assert "UnexpectedExit" not in said.text


@pytest.mark.parametrize(
    ("stderr", "kind"),
    [
        (
            "slurm_load_jobs error: Unable to contact slurm controller (connect failure)",
            SlurmUnreachable,
        ),
        ("squeue: error: Rate limit exceeded, please retry momentarily", SlurmRateLimited),
        ("sacct: error: Problem talking to the database: Connection refused", SlurmUnreachable),
        ("sacct: error: slurm_persist_conn_open: Something happened", SlurmUnreachable),
        ("squeue: fatal: Could not establish a configuration source", SlurmUnreachable),
        ("squeue: error: Unrecognized option: %^", CommandFailed),
        ("sh: 1: squeue: not found", CommandFailed),
    ],
)
def test_what_failed_commands_raise(stderr: str, kind: type[CommandFailed]) -> None:
    """Gotchas 9, 23 and 25: an outage, a request to slow down, and plain failure are three."""
    with pytest.raises(CommandFailed) as caught:
        checked(Output("", stderr, 1), "squeue")
    assert type(caught.value) is kind
    assert caught.value.status == 1


def test_no_text_stands_twice() -> None:
    """The first entry that occurs wins, so none may hide behind another."""
    texts = [known.text for known in COMPLAINTS]
    for position, text in enumerate(texts):
        assert not [earlier for earlier in texts[:position] if earlier in text and "(" not in text]
