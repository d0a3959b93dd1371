"""The subcommands of /nemo-rl."""

from __future__ import annotations

from handlers.commands import launch
from handlers.commands.command import Run

NEMO_RL: dict[str, Run] = {"nemo-rl run": launch.run}
