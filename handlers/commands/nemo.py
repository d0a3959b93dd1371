"""The subcommands of /nemo."""

from __future__ import annotations

from handlers.commands import launch
from handlers.commands.command import Run

NEMO: dict[str, Run] = {"nemo run": launch.run}
