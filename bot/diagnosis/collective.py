"""Compares what the ranks say of one collective: who was behind, did another, or said nothing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

FEW = 4
"""Suspects are at most one in so many of the ranks: when half are behind, none of them is odd."""


@dataclass(frozen=True)
class Call:
    """What one rank was in when its time ran out."""

    rank: int
    group: str
    """The process group; each counts its collectives by itself."""
    number: int
    """Of the collective, `SeqNum`."""
    operation: str = ""
    size: str = ""
    """Elements it put in."""


@dataclass(frozen=True)
class Suspects:
    """The ranks that stand out, in one of three ways; all empty where none does."""

    lagging: tuple[int, ...] = ()
    """They are at an earlier collective than the others."""
    diverged: tuple[int, ...] = ()
    """They called another operation, or with another size, under the same number."""
    silent: tuple[int, ...] = ()
    """They did not say that anything timed out."""
    number: int = 0
    """Of the collective in which most were."""
    operation: str = ""

    @property
    def ranks(self) -> tuple[int, ...]:
        """All that stand out."""
        return self.lagging or self.diverged or self.silent

    def words(self) -> dict[str, str]:
        """Return what a rule's title may use."""
        said = {
            "lagging": listed(self.lagging),
            "diverged": listed(self.diverged),
            "silent": listed(self.silent),
            "operation": self.operation,
        }
        if 0 < self.number <= _FIRST_FEW:
            said["early"] = str(self.number)
        return said


_FIRST_FEW = 5
"""A collective so early in the run points to the set-up or the network."""


def compare(calls: Sequence[Call], world: int = 0) -> Suspects:
    """Return who stands out among the ranks of the group that most ranks speak of.

    `world` is how many ranks there are, where that is known.
    """
    groups: defaultdict[str, dict[int, Call]] = defaultdict(dict)
    for call in calls:
        groups[call.group].setdefault(call.rank, call)
    if not groups:
        return Suspects()
    first = max(groups.values(), key=len)
    number = Counter(call.number for call in first.values()).most_common(1)[0][0]
    most = Counter((c.operation, c.size) for c in first.values() if c.number == number)
    usual = most.most_common(1)[0][0]
    world = max(world, *(rank + 1 for rank in first))
    behind = _odd([c.rank for c in first.values() if c.number < max(_numbers(first))], len(first))
    other = [c.rank for c in first.values() if (c.operation, c.size) != usual]
    apart = () if behind else _odd([r for r in other if first[r].number == number], len(first))
    silent = () if behind or apart else _odd(set(range(world)) - set(first), world)
    return Suspects(behind, apart, silent, min(_numbers(first)), usual[0])


def _numbers(calls: dict[int, Call]) -> list[int]:
    return [call.number for call in calls.values()]


def _odd(ranks: Sequence[int] | set[int], among: int) -> tuple[int, ...]:
    """Return the ranks in order, if they are few; of two one may be odd."""
    return tuple(sorted(ranks)) if len(ranks) <= max(1, among // FEW) else ()


def listed(ranks: Sequence[int]) -> str:
    """`6`, `6-8, 12`: ranks in order, neighbours put together."""
    spans: list[list[int]] = []
    for rank in ranks:
        if spans and rank == spans[-1][1] + 1:
            spans[-1][1] = rank
        else:
            spans.append([rank, rank])
    return ", ".join(f"{low}" if low == high else f"{low}-{high}" for low, high in spans)
