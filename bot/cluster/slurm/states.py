"""Slurm's state words and what they are in the bot's words."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.job import State


@dataclass(frozen=True)
class StateWord:
    """One of Slurm's job states, its short form, and what it comes to."""

    word: str
    short: str
    state: State


STATES = (
    StateWord("PENDING", "PD", State.PENDING),
    StateWord("RUNNING", "R", State.RUNNING),
    StateWord("SUSPENDED", "S", State.SUSPENDED),
    StateWord("COMPLETED", "CD", State.COMPLETED),
    StateWord("CANCELLED", "CA", State.CANCELLED),
    StateWord("FAILED", "F", State.FAILED),
    StateWord("TIMEOUT", "TO", State.TIMEOUT),
    StateWord("NODE_FAIL", "NF", State.NODE_FAIL),
    StateWord("PREEMPTED", "PR", State.PREEMPTED),
    StateWord("BOOT_FAIL", "BF", State.BOOT_FAIL),
    StateWord("DEADLINE", "DL", State.DEADLINE),
    StateWord("OUT_OF_MEMORY", "OOM", State.OUT_OF_MEMORY),
    StateWord("COMPLETING", "CG", State.COMPLETING),
    # Nodes are given but still boot: the job's own work has not begun.
    StateWord("CONFIGURING", "CF", State.PENDING),
    StateWord("POWER_UP_NODE", "PO", State.PENDING),
    StateWord("EXPEDITING", "EX", State.PENDING),
    StateWord("REQUEUED", "RQ", State.PENDING),
    StateWord("REQUEUE_FED", "RF", State.PENDING),
    StateWord("REQUEUE_HOLD", "RH", State.PENDING),
    StateWord("RESV_DEL_HOLD", "RD", State.PENDING),
    # Requeued and held, with a mark; it lives until somebody releases or cancels it.
    StateWord("SPECIAL_EXIT", "SE", State.PENDING),
    StateWord("RESIZING", "RS", State.RUNNING),
    StateWord("SIGNALING", "SI", State.RUNNING),
    StateWord("STAGE_OUT", "SO", State.COMPLETING),
    StateWord("STOPPED", "ST", State.SUSPENDED),
    StateWord("LAUNCH_FAILED", "LF", State.FAILED),
    StateWord("RECONFIG_FAIL", "RC", State.FAILED),
    # Another cluster of the federation took the job: how it is, this one does not know.
    StateWord("REVOKED", "RV", State.UNKNOWN),
)

_BY_NAME = {name: s.state for s in STATES for name in (s.word, s.short)}


def state(raw: str) -> State:
    """Return the bot's word for Slurm's; never raises, unknown words are `State.UNKNOWN`.

    Takes what follows a blank, comma or bar for decoration (`CANCELLED by 1001`), and a trailing
    plus for a word that a column cut (`OUT_OF_ME+`).
    """
    word = re.split(r"[ ,|]", raw.strip(), maxsplit=1)[0].upper()
    bare = word.rstrip("+")
    if bare in _BY_NAME:
        return _BY_NAME[bare]
    if word.endswith("+") and bare:
        matches = {s.state for s in STATES if s.word.startswith(bare)}
        if len(matches) == 1:
            return matches.pop()
    return State.UNKNOWN


def cancelled_by(raw: str) -> str:
    """Return who cancelled, from `CANCELLED by 1001`; "0" is Slurm itself as often as root."""
    found = re.match(r"CANCELLED by (\S+)", raw)
    return found.group(1) if found else ""
