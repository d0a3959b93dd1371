"""sinfo: partitions, and what is free in them."""

from __future__ import annotations

import re
from collections import Counter
from itertools import groupby

from bot.cluster.slurm.refusals import checked
from bot.cluster.slurm.text import UNIT, duration, gpus, layout, number, records
from bot.model import PartitionState
from bot.ports import Output, Query

_PARTITIONS = 'exec sinfo -h -o "$1"'
_FIELDS = ("%P", "%a", "%l", "%L", "%D", "%T", "%G")
_SUFFIXES = "*~#!%$@^-"

# A node in any other state, or with any other flag (not responding, maintenance, about to
# reboot or to power down, planned for a job ahead), cannot be had now.
FREE = frozenset({"idle", "idle~", "idle#"})
"""States, with their flags, of nodes that a job could take now."""


def partitions() -> Query[tuple[PartitionState, ...]]:
    """Ask for the partitions, in the site's order."""
    return Query(_PARTITIONS, _partitions, (layout(*_FIELDS),), name="sinfo")


def _partitions(output: Output) -> tuple[PartitionState, ...]:
    checked(output, "sinfo")
    rows = [record.split(UNIT) for record in records(output.stdout)]
    rows = [row for row in rows if len(row) == len(_FIELDS)]
    return tuple(_partition(list(group)) for _, group in groupby(rows, key=lambda row: row[0]))


def _partition(rows: list[list[str]]) -> PartitionState:
    name, up, limit, default_limit = rows[0][:4]
    states: Counter[str] = Counter()
    free = sleeping = 0
    for row in rows:
        count, word = number(row[4]), row[5].lower()
        states[bare_state(word)] += count
        free += count if word in FREE else 0
        sleeping += count if word == "idle~" else 0
    return PartitionState(
        name=name.removesuffix("*"),
        up=up == "up",
        default=name.endswith("*"),
        nodes=states.total(),
        free=free,
        sleeping=sleeping,
        gpus_per_node=max(gpus(row[6]) or 0 for row in rows),
        max_time=duration(limit),
        default_time=duration(default_limit),
        states=tuple(item for item in states.items() if item[1]),
    )


def bare_state(word: str) -> str:
    """Return a node's state word without sinfo's flags: `idle~` → `idle`, `n/a` stays."""
    return re.sub(rf"[{re.escape(_SUFFIXES)}]+$", "", word)
