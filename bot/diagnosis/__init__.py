"""Names the root cause of a failed job from its logs and the scheduler's facts."""

from __future__ import annotations

from bot.diagnosis.engine import Source, diagnose, sought
from bot.diagnosis.facts import Facts, from_context, from_observation
from bot.diagnosis.finding import Evidence, Finding
from bot.diagnosis.rule import Action, Rule

__all__ = [
    "Action",
    "Evidence",
    "Facts",
    "Finding",
    "Rule",
    "Source",
    "diagnose",
    "from_context",
    "from_observation",
    "sought",
]
