"""The workloads. A new one is a file here and a line below."""

from __future__ import annotations

from typing import Any

from bot.workload import Workload
from bot.workloads.batch_script import BATCH_SCRIPT
from bot.workloads.health import HEALTH
from bot.workloads.image_build import IMAGE_BUILD
from bot.workloads.nemo import NEMO
from bot.workloads.nemo_rl import INTERACTIVE, RUN

WORKLOADS: dict[str, Workload[Any]] = {
    workload.name: workload
    for workload in (NEMO, RUN, INTERACTIVE, BATCH_SCRIPT, HEALTH, IMAGE_BUILD)
}
"""By the command that asks for it: `nemo run`, `slurm submit`."""
