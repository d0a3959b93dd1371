"""A launch that came to nothing → the finding that says why."""

from __future__ import annotations

from bot.cluster import spool
from bot.diagnosis import Finding, diagnose


def explain_refusal(outcome: spool.Refused) -> Finding:
    """Return the cause of a refusal from what sbatch or the launcher printed."""
    # sbatch signs what it refuses with; without that it may pass for what squeue says of a job.
    printed = f"{outcome.err}\n{outcome.out}"
    more = [line for line in outcome.text.splitlines() if line not in printed]
    return diagnose({"launcher": "\n".join((*more, printed))})
