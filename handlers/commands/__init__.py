"""Subcommand → use case. A subcommand is its model in the grammar and a line in a table here.

The commands of workloads are all launched the same way, and need no line.
"""

from __future__ import annotations

from bot.workloads import WORKLOADS
from handlers.commands import launch
from handlers.commands.clusters import CLUSTERS
from handlers.commands.command import Run
from handlers.commands.errands import ERRANDS
from handlers.commands.nemo import NEMO
from handlers.commands.nemo_rl import NEMO_RL
from handlers.commands.slurm import SLURM

COMMANDS: dict[str, Run] = {
    **dict.fromkeys(WORKLOADS, launch.run),
    **NEMO,
    **NEMO_RL,
    **ERRANDS,
    **SLURM,
    **CLUSTERS,
}

LONG = frozenset({"nemo-rl exec"})
"""Subcommands that wait for what may take a minute."""

__all__ = ["COMMANDS", "LONG", "Run"]
