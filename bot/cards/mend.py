"""Remedies as controls: the name of an action → the button or pick that does it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.card import Button, Choice, Pick
from bot.diagnosis import Finding
from bot.model import PartitionState

SEPARATOR = "|"
"""Between the parts of a control's value; no id and no partition contains it."""


@dataclass(frozen=True)
class Mend:
    """One remedy that a button can do: its action_id, label and question."""

    action: str
    label: str
    confirm: str = ""


MENDS = (
    Mend("rerun_same", "Rerun"),
    Mend(
        "place_tokenizer",
        "Put the Tokenizer Files in Place",
        "Downloads gpt2-vocab.json and gpt2-merges.txt into the cache on the cluster, "
        "then runs the job again.",
    ),
    Mend("exclude_node", "Rerun Without the Node"),
    Mend("more_time", "Rerun With Twice the Time"),
    Mend("show_log", "Show the Log"),
)
"""The remedies in the order in which their buttons stand; the first offered is emphasised."""

SAME_CACHE = "Rerun With the Same Cache Dir"
"""What rerunning is called after a failure that the same cache dir mends."""

PICK_PARTITION = "resubmit_partition"


@dataclass(frozen=True)
class Controls:
    """Buttons and at most one pick."""

    buttons: tuple[Button, ...] = ()
    pick: Pick | None = None


def controls(
    finding: Finding,
    *,
    of: str,
    partitions: Sequence[PartitionState] = (),
    log: bool = False,
) -> Controls:
    """Return the controls for what helps, on `of`: a request's id or a job's key.

    With `log`, its log can be shown whether or not that helps.
    """
    actions = {*finding.actions, *(("show_log",) if log else ())}
    offered = [mend for mend in MENDS if mend.action in actions]
    buttons = tuple(
        Button(
            action=mend.action,
            label=_label(mend, finding),
            value=of,
            style="primary" if index == 0 and mend.action != "show_log" else "",
            confirm=mend.confirm,
        )
        for index, mend in enumerate(offered)
    )
    wants_partition = PICK_PARTITION in actions and partitions
    return Controls(buttons, partition_pick(of, partitions) if wants_partition else None)


def _label(mend: Mend, finding: Finding) -> str:
    same = mend.action == "rerun_same" and finding.label == "cross-device-link"
    return SAME_CACHE if same else mend.label


def partition_pick(of: str, partitions: Sequence[PartitionState]) -> Pick:
    """Return the select that runs the same on another partition, most free nodes first."""
    ranked = sorted((p for p in partitions if p.up), key=lambda p: (-p.free, p.name))
    return Pick(
        action=PICK_PARTITION,
        placeholder="Run it on another partition",
        choices=tuple(
            Choice(
                label=f"{p.name} · {p.free} of {p.nodes} nodes free",
                value=f"{of}{SEPARATOR}{p.name}",
            )
            for p in ranked
        ),
    )
