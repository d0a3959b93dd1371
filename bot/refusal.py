"""A launch that came to nothing → the finding that says why."""

from __future__ import annotations

from bot.cluster import spool
from bot.diagnosis import Finding, diagnose


def explain_refusal(outcome: spool.Refused) -> Finding:
    """Return the cause of a refusal from what sbatch or the launcher printed."""
    said = f"{outcome.text}\n{outcome.err}\n{outcome.out}"
    return diagnose({"launcher": said})
