"""A training that fails once it has saved, and trains on when it is run again."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.e2e.room import Room, said

_SCRIPT = r"""#!/bin/bash
# Saves its first checkpoints, fails, and trains on when it is run again.
set -euo pipefail
steps=10
[ ! -e again.ran ] || steps=20
python3 examples/run_dpo.py --config examples/configs/dpo.yaml \
  cluster.num_nodes="$SLURM_JOB_NUM_NODES" cluster.gpus_per_node="$GPUS_PER_NODE" \
  checkpointing.checkpoint_dir="$CHECKPOINT_DIR" logger.log_dir="$LOG_BASE" \
  dpo.max_num_steps=$steps "$@"
[ ! -e again.ran ] || exit 0
touch again.ran
echo "ERROR" >&2
exit 1
"""
_PASSES_ON = (
    r"sed -i.kept -e 's/^    -h | --help)/    --) shift; break ;;\n&/'"
    r""" -e 's/bash "$JOB_SCRIPT"/& "$@"/' launch.sh"""
)
"""Lets a launcher hand what stands behind `--` on to the job script."""


@asynccontextmanager
async def again(lab: Room, error: str) -> AsyncIterator[str]:
    """Put it into NeMo-RL's folder as `again`, and let the launcher hand settings on to it."""
    folder = lab.cluster.address.nemo_rl
    script = base64.b64encode(_SCRIPT.replace("ERROR", error).encode()).decode()
    await said(lab, f"echo {script} | base64 -d >{folder}/algorithms/again.sh")
    await said(lab, f"cd {folder} && {_PASSES_ON}")
    try:
        yield folder
    finally:
        await said(
            lab, f"cd {folder} && mv launch.sh.kept launch.sh; rm -f again.ran algorithms/again.sh"
        )
