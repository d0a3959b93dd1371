"""NeMo-RL, launched through the recipes' `launch.sh`."""

from __future__ import annotations

from bot.workloads.nemo_rl.interactive import INTERACTIVE
from bot.workloads.nemo_rl.run import RUN

__all__ = ["INTERACTIVE", "RUN"]
