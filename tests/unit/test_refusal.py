"""Why a launch came to nothing."""

from __future__ import annotations

from bot.cluster.spool import Refused
from bot.refusal import explain_refusal

SAID = (
    "sbatch: error: QOSMaxWallDurationPerJobLimit\n"
    "sbatch: error: Batch job submission failed: Job violates accounting/QOS policy"
    " (job submit limit, user's size and/or time limits)\n"
)


def test_what_is_refused_is_not_taken_for_what_waits() -> None:
    """The limit's name alone would be squeue's reason for a job that waits."""
    bare = SAID.replace("sbatch: error: ", "")

    assert explain_refusal(Refused(bare, err=SAID)).label == "slurm-qos-limit"


def test_what_only_the_shim_heard_counts_as_well() -> None:
    """Some launchers keep to themselves what sbatch printed."""
    assert explain_refusal(Refused("sbatch: error: invalid partition specified: x")).label == (
        "slurm-invalid-partition"
    )
