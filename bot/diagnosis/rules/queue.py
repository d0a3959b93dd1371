"""Waiting for something that is not just other people's turn."""

from __future__ import annotations

import re

from bot.diagnosis.facts import Facts
from bot.diagnosis.rule import Action, Rule

_GROUP = "pending"


def _at_limit(facts: Facts) -> bool:
    return facts.state == "PENDING" and bool(
        re.match(r"(QOS|Assoc)\w*(Limit|Grp|Max|Min|Per|Used)\w*", facts.reason)
    )


def _unavailable(facts: Facts) -> bool:
    return facts.state in {"PENDING", "DEADLINE"} and (
        facts.reason.startswith(("ReqNodeNotAvail", "Nodes required for job are DOWN"))
        or facts.reason in {"PartitionDown", "PartitionInactive", "NodeDown", "ReservationDeleted"}
    )


RULES = (
    Rule(
        label="slurm-pending-limit",
        group=_GROUP,
        title="It waits because a limit of the QOS or account[ ({reason})] is used up.",
        remedy="Nothing failed: wait for other jobs of yours or your group to end, ask for less, "
        "or take another QOS.",
        patterns=(
            r"\b(?P<reason>(?:QOS|Assoc|Association)(?:Grp|Max|Min|Job|Usage|Resource|Time)\w+)",
            r"(?:\(|Reason=)(?P<reason>Max(?:GRES|TRES|Cpu|Node|Mem|Job)\w*Per\w+)",
        ),
        actions=(Action.RESUBMIT_QOS, Action.RESUBMIT_SIZE),
        lines=("   JobState=PENDING Reason=AssocMaxWallDurationPerJobLimit Dependency=(null)",),
        decided=_at_limit,
    ),
    Rule(
        label="slurm-pending-node-unavailable",
        group=_GROUP,
        title="It waits because its nodes or partition are down, drained or reserved.",
        remedy="Wait for the maintenance to end, or resubmit with a shorter --time, fewer nodes or "
        "another partition.",
        patterns=(
            r"\(?ReqNodeNotAvail",
            r"(?:\(|Reason=)(?:Partition(?:Down|Inactive)|NodeDown|ReservationDeleted)\b",
            r"(?:\(|Reason=)Nodes[ _]required[ _]for[ _]job[ _]are[ _]DOWN",
            r"Required (?:partition|node) not available \((?:inactive|down)",
            r"Partition in DOWN state",
            r"Job can not start due to maintenance reservation",
        ),
        lines=(
            (
                "srun: error: Unable to allocate resources: Required node not available (down, "
                "drained or reserved)"
            ),
        ),
        actions=(Action.MORE_TIME, Action.RESUBMIT_PARTITION),
        decided=_unavailable,
    ),
    Rule(
        label="slurm-launch-failed-held",
        group=_GROUP,
        title="A node could not start the job; Slurm put it back and holds it.",
        remedy="Release it with that node excluded, and tell the administrators.",
        patterns=(
            r"launch[ _]failed[ _]requeued[ _]held",
            r"(?:\(|Reason=)job[ _]requeued[ _]in[ _]held[ _]state",
        ),
        lines=("  81 a100 train ada PD 0:00 2 (job requeued in held state)",),
        actions=(Action.RELEASE, Action.EXCLUDE_NODE, Action.TELL_ADMIN),
        transient=True,
        decided=lambda facts: facts.reason == "launch failed requeued held",
    ),
)
