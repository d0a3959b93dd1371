"""A finding in a case → the controls that do what helps, and words where no click can."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from bot.amounts import length, minutes
from bot.card import Button, Choice, Pick, Text
from bot.cards.case import Case
from bot.cards.hints import hint
from bot.cards.offers import other_time
from bot.cards.remedies import REMEDIES, without_nodes
from bot.diagnosis import Action, Finding
from bot.diagnosis.finding import NOT_IN_LOG
from bot.model import PartitionState
from bot.nodelist import node_names
from bot.words import count

SEPARATOR = "|"
"""Between the parts of a control's value; no id and no partition contains it."""
MOST = 5
"""Controls of one message."""
MOST_HINTS = 2
MOST_VALUE = 2_000
"""Characters that a button keeps."""
MOST_CHOICES = 50
LIKELY = 0.5
"""Below this nothing is emphasised: it is a guess."""

SHOW_LOG, SHOW_LOG_LABEL = "show_log", "Show Log"
PICK_PARTITION = "resubmit_partition"
PICK_OTHER = "resubmit_with"
"""The select whose choices change one option, named in their values."""
CHOSEN = ("partition", "account", "qos", "nodes", "exclude", "time")
"""The options that can be chosen from a list."""

READ_LOG = "read_log"
"""The select of a job's logs, where the cause is in none that was read."""

AS_IT_IS = frozenset({"rerun_same", "resume"})
"""Buttons that change nothing of the job."""
_TELL_MORE = frozenset({Action.SHOW_LOG, Action.FETCH_LOG, Action.CHECK_QUEUE, Action.TELL_ADMIN})
_CHOOSES = {
    Action.RESUBMIT_ACCOUNT: "account",
    Action.RESUBMIT_QOS: "qos",
    Action.RESUBMIT_SIZE: "nodes",
    Action.RESUBMIT_PARTITION: "partition",
    Action.EXCLUDE_NODE: "exclude",
    Action.MORE_TIME: "time",
}
_HOURS = (1, 2, 4, 8, 12, 24, 48, 72, 168)
"""Time limits to choose from, where nobody can know which is right."""
_SMALLER = ("slurm-qos-limit", "slurm-node-config", "slurm-pending-limit")
"""Failures that fewer nodes surely help against."""


@dataclass(frozen=True)
class Controls:
    """Buttons, at most one select, and what to type for the rest."""

    buttons: tuple[Button, ...] = ()
    pick: Pick | None = None
    hints: tuple[Text, ...] = ()


def controls(finding: Finding, case: Case) -> Controls:
    """Return what can be done: first what mends, in the rule's order; the likeliest emphasised."""
    pick = _pick(finding, case)
    chosen = _actions_of(pick)
    made: dict[str, tuple[bool, Button]] = {}
    hints: list[Text] = []
    by_hand = False
    for action in finding.actions:
        buttons = list(_buttons(action, finding, case))
        for likely, button in buttons:
            # What a person must choose or change first is not mended by running it as it is.
            useful = likely and not (by_hand and button.action in AS_IT_IS)
            made.setdefault(button.action, (useful, button))
        by_hand = by_hand or (not buttons and action not in _TELL_MORE)
        done = buttons or action in chosen or action is Action.SHOW_LOG
        if not done and (words := hint(action, finding, case)):
            hints.append(words)
    # After a change by hand it is run again as it is.
    for _, button in _buttons(Action.RERUN_SAME, finding, case) if case.job else ():
        made.setdefault(button.action, (False, button))
    shown = sorted(made.values(), key=lambda one: not one[0])
    room = MOST - case.log - (pick is not None)
    return Controls(
        (*_emphasised(shown[:room], finding), *_show_log(case)),
        pick,
        tuple(dict.fromkeys(hints))[:MOST_HINTS],
    )


def first(controls: Controls) -> Button | None:
    """Return the emphasised button, which the job's own message shows as well."""
    return next((button for button in controls.buttons if button.style == "primary"), None)


def _buttons(action: Action, finding: Finding, case: Case) -> Iterator[tuple[bool, Button]]:
    """Return the buttons that carry out an action, and whether each can well mend the job."""
    for remedy in REMEDIES:
        if remedy.of is not action:
            continue
        for offer in remedy.offer(case, finding):
            value = SEPARATOR.join(filter(None, (case.of, offer.argument)))
            if len(value) > MOST_VALUE:
                continue  # such as many nodes in full: there is a sentence for what to type
            button = Button(
                action=remedy.action, label=offer.label, value=value, confirm=offer.confirm
            )
            yield offer.likely, button


def _emphasised(buttons: Sequence[tuple[bool, Button]], finding: Finding) -> Iterator[Button]:
    """Emphasise the first, if it can well mend the job; not where the cause is a guess."""
    sure = finding.label != NOT_IN_LOG and finding.confidence >= LIKELY
    for place, (likely, button) in enumerate(buttons):
        best = sure and likely and place == 0
        yield button.model_copy(update={"style": "primary"}) if best else button


def _show_log(case: Case) -> tuple[Button, ...]:
    return (Button(action=SHOW_LOG, label=SHOW_LOG_LABEL, value=case.of),) if case.log else ()


def _actions_of(pick: Pick | None) -> frozenset[Action]:
    """Return the actions for which a select has a choice."""
    if pick is None:
        return frozenset()
    if pick.action == PICK_PARTITION:
        return frozenset({Action.RESUBMIT_PARTITION})
    if pick.action == READ_LOG:
        return frozenset({Action.FETCH_LOG})
    named = {choice.value.partition(SEPARATOR)[2].partition("=")[0] for choice in pick.choices}
    return frozenset(action for action, name in _CHOOSES.items() if name in named)


def _pick(finding: Finding, case: Case) -> Pick | None:
    """Return the select of what is possible instead."""
    names = [_CHOOSES[action] for action in finding.actions if action in _CHOOSES]
    if names == ["partition"]:
        return partition_pick(case)
    choices = [choice for name in names for choice in _choices(name, finding, case)]
    if not choices:
        return _log_pick(case) if Action.FETCH_LOG in finding.actions else None
    return Pick(
        action=PICK_OTHER,
        placeholder=f"{case.verb} {'without' if names == ['exclude'] else 'with another'} …",
        choices=tuple(choices[:MOST_CHOICES]),
    )


def _log_pick(case: Case) -> Pick | None:
    """Return the select that shows one of a job's logs, or what of them speaks of errors."""
    if not case.log or not case.logs:
        return None
    told = (("errors", "Lines That Speak of Errors"), *((one, f"Log: {one}") for one in case.logs))
    return Pick(
        action=READ_LOG,
        placeholder="Read more of its logs …",
        choices=tuple(
            Choice(label=label, value=f"{case.of}{SEPARATOR}{source}")
            for source, label in told[:MOST_CHOICES]
        ),
    )


def _choices(name: str, finding: Finding, case: Case) -> Iterator[Choice]:
    if not case.can_change(name):
        return
    for value, label in _possible(name, finding, case):
        yield Choice(label=label, value=f"{case.of}{SEPARATOR}{name}={value}")


def _possible(name: str, finding: Finding, case: Case) -> Iterable[tuple[str, str]]:
    """Return the values that an option could have instead, and what each is called."""
    match name:
        case "partition":
            return [(p.name, f"Partition {_with_free(p)}") for p in _partitions(case)]
        case "account":
            return [(a, f"Account {a}") for a in case.limits.accounts if a != case.account]
        case "qos":
            return [(q, f"QOS {q}") for q in case.limits.qos if q != case.qos]
        case "exclude":
            ran = () if finding.nodes else node_names(case.node_list)
            nodes = ran if len(ran) > 1 else ()
            return [(without_nodes(case.options, n)["exclude"], f"Without {n}") for n in nodes]
        case "time":
            return [] if list(other_time(case, finding)) else _times(finding, case)
        case _:
            allowed = case.limits.nodes or case.nodes // 2
            fewer = sorted({allowed, 1} - {0}, reverse=True)
            helps = finding.label in _SMALLER
            return [(str(n), count(n, "node")) for n in fewer if helps and n < case.nodes]


def _times(finding: Finding, case: Case) -> list[tuple[str, str]]:
    """Return time limits that are possible, unless it is known that none helps."""
    if finding.label == "slurm-time-limit" or case.can_change("expires"):
        return []
    there = case.limits.partition(case.partition)
    limits = [one for one in (there and there.max_time, case.limits.time) if one]
    spans = [timedelta(hours=hours) for hours in _HOURS]
    fit = [span for span in spans if span != case.time_limit and span <= min(limits, default=span)]
    return [(minutes(span), length(span)) for span in fit]


def partition_pick(case: Case) -> Pick | None:
    """Return the select that submits the same elsewhere, most free nodes first.

    None when there is no other partition that is up.
    """
    others = _partitions(case)
    if not others or not case.can_change("partition"):
        return None
    return Pick(
        action=PICK_PARTITION,
        placeholder="Submit to another partition",
        choices=tuple(
            Choice(label=_with_free(p), value=f"{case.of}{SEPARATOR}{p.name}") for p in others
        ),
    )


def _partitions(case: Case) -> list[PartitionState]:
    """Return the others that are up, most free nodes first."""
    others = [p for p in case.limits.partitions if p.up and p.name != case.partition]
    return sorted(others, key=lambda p: (-p.free, p.name))


def _with_free(partition: PartitionState) -> str:
    return f"{partition.name} · {partition.free} of {partition.nodes} nodes free"
