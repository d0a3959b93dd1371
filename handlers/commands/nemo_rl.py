"""The subcommands of /nemo-rl."""

from __future__ import annotations

from handlers.commands.command import Run

NEMO_RL: dict[str, Run] = {}
