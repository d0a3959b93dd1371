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
    helps: str = ""
    """The remedy of a finding that it carries out, where that is not called as the action is."""
    about: str = ""
    """How the labels of the findings begin that it helps with; empty for any."""
    workload: str = ""
    """The only workload that can do so; empty for any."""

    def fits(self, finding: Finding, workload: str) -> bool:
        """Whether it does what a finding advises, for a request of this workload."""
        return (
            (self.helps or self.action) in finding.actions
            and finding.label.startswith(self.about)
            and self.workload in {"", workload}
        )


MENDS = (
    Mend("rerun_same", "Rerun"),
    Mend(
        "place_tokenizer",
        "Place Tokenizer Files",
        "This puts gpt2-vocab.json and gpt2-merges.txt into the job's cache dir on the cluster, "
        "then reruns the job.",
    ),
    Mend("exclude_node", "Rerun Without the Node"),
    Mend("more_time", "Rerun With Twice the Time"),
    Mend(
        "without_wandb",
        "Rerun Without W&B",
        helps="resubmit_offline",
        about="wandb",
        workload="nemo-rl run",
    ),
)
"""The remedies in the order in which their buttons stand; the first one offered is emphasised."""

SHOW_LOG = Mend("show_log", "Show Log")

SUBMIT_AGAIN = "Submit Again"
"""What rerunning is called for a request that never became a job."""

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
    used: str = "",
    log: bool = False,
    workload: str = "",
) -> Controls:
    """Return the controls for what helps, on `of`: a request's id or a job's key.

    `used` is the partition that did not do. With `log` there is a log that can be shown.
    `workload` is what the request asked for, such as `nemo-rl run`.
    """
    offered = [mend for mend in MENDS if mend.fits(finding, workload)]
    buttons = [
        Button(
            action=mend.action,
            label=_label(mend, finding, of),
            value=of,
            style="primary" if index == 0 else "",
            confirm=mend.confirm,
        )
        for index, mend in enumerate(offered)
    ]
    if log:
        buttons.append(Button(action=SHOW_LOG.action, label=SHOW_LOG.label, value=of))
    wants_partition = PICK_PARTITION in finding.actions
    pick = partition_pick(of, partitions, used=used) if wants_partition else None
    return Controls(tuple(buttons), pick)


def _label(mend: Mend, finding: Finding, of: str) -> str:
    if mend.action != "rerun_same":
        return mend.label
    if ":" not in of:
        return SUBMIT_AGAIN
    return SAME_CACHE if finding.label == "cross-device-link" else mend.label


def partition_pick(of: str, partitions: Sequence[PartitionState], *, used: str = "") -> Pick | None:
    """Return the select that submits the same elsewhere, most free nodes first.

    None when there is no other partition that is up.
    """
    others = [p for p in partitions if p.up and p.name != used]
    if not others:
        return None
    return Pick(
        action=PICK_PARTITION,
        placeholder="Submit to another partition",
        choices=tuple(
            Choice(
                label=f"{p.name} · {p.free} of {p.nodes} nodes free",
                value=f"{of}{SEPARATOR}{p.name}",
            )
            for p in sorted(others, key=lambda p: (-p.free, p.name))
        ),
    )
