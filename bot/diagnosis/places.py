"""Where the ranks of a job run, as far as its logs tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from bot.diagnosis.clean import Line
from bot.diagnosis.patterns import groups

PLACES = (
    # Slurm, of the tasks of a step
    r"^srun: error: (?P<node>[\w.-]+): tasks? (?P<tasks>\d[\d,-]*): ",
    # torchrun's summary of who failed: two lines
    r"^host +: (?P<node>[\w.-]+)$",
    r"^rank +: (?P<rank>\d+) \(local_rank: \d+\)$",
    # NCCL_DEBUG=INFO, once for each rank and communicator
    r"^(?P<node>[\w.-]+):\d+:\d+ \[\d+\] NCCL INFO .*\brank (?P<rank>\d+) nranks (?P<world>\d+)\b",
)
"""RE2, as in rules."""


@dataclass
class Places:
    """The nodes of ranks, and of the tasks that `srun --label` numbers."""

    ranks: dict[str, str] = field(default_factory=dict)
    tasks: dict[str, str] = field(default_factory=dict)
    world: int = 0
    """Ranks in the largest communicator seen; 0 where none was."""
    _summed: tuple[str, str] = ("", "")
    """Node and rank of the paragraph of torchrun's summary that was read last."""

    def summed(self, clean: Line) -> Line:
        """Return a line of torchrun's summary with the rank and node whose end it tells."""
        node, rank = self._summed
        return replace(clean, rank=rank, node=node) if rank and not clean.rank else clean

    def meet(self, clean: Line) -> None:
        """Take in a line that one of `PLACES` knows."""
        for text in PLACES:
            said = groups(text, clean.bare)
            if said is not None:
                self._learn(said)
                return

    def _learn(self, said: dict[str, str]) -> None:
        node, rank, world = said.get("node", ""), said.get("rank", ""), said.get("world", "")
        if "tasks" in said:
            self.tasks |= dict.fromkeys(_numbers(said["tasks"]), node)
        elif world:
            self._of_communicator(rank, node, int(world))
        elif rank and self._summed[0]:
            self.ranks[rank] = node = self._summed[0]
        self._summed = (node, rank)

    def _of_communicator(self, rank: str, node: str, world: int) -> None:
        """Learn from the largest communicator alone: in others the ranks are counted anew."""
        if world > self.world:
            self.world = world
            self.ranks.clear()
        if world == self.world:
            self.ranks[rank] = node

    def add(self, other: Places) -> None:
        """Take in what another log of the job told."""
        if other.world >= self.world:
            self.ranks |= other.ranks
        else:
            self.ranks = other.ranks | self.ranks
        self.tasks |= other.tasks
        self.world = max(self.world, other.world)

    def node(self, rank: str, task: str = "") -> str:
        """Return the node of a rank, or of the task it runs in; empty where nobody said."""
        return self.ranks.get(rank) or self.tasks.get(task, "")


def _numbers(text: str) -> Iterator[str]:
    """`0-2,5` → 0, 1, 2, 5; what is no number is left out."""
    for part in text.split(","):
        first, _, last = part.partition("-")
        if first.isdigit() and (last or first).isdigit():
            yield from map(str, range(int(first), min(int(last or first), int(first) + 9999) + 1))
