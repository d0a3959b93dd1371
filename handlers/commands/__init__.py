"""Subcommand → use case. A subcommand is its model in the grammar and a line in a table here."""

from __future__ import annotations

from handlers.commands.command import Run
from handlers.commands.nemo import NEMO
from handlers.commands.nemo_rl import NEMO_RL
from handlers.commands.slurm import SLURM

COMMANDS: dict[str, Run] = {**NEMO, **NEMO_RL, **SLURM}

__all__ = ["COMMANDS", "Run"]
