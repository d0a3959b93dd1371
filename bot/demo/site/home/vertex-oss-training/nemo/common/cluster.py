"""What a recipe learns from the job it runs in."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Job:
    """The task's place in the job, and the folders that run.py passed on."""

    rank: int
    world_size: int
    name: str
    log_dir: Path
    cache_dir: Path
    data_dir: Path
    checkpoint_every: int | None  # steps; None as the recipe says

    @property
    def results(self) -> Path:
        """Where this experiment writes; the same for every attempt of a requeued job."""
        return self.log_dir / self.name / os.environ.get("SLURM_JOB_ID", "local")


def current() -> Job:
    """The job that this process belongs to; alone when started by hand."""
    here = Path(__file__).parents[1]
    return Job(
        rank=int(os.environ.get("SLURM_PROCID", "0")),
        world_size=int(os.environ.get("SLURM_NTASKS", "1")),
        name=os.environ.get("EXPERIMENT_NAME", "local"),
        log_dir=Path(os.environ.get("LOG_DIR", here / "nemo_experiments")),
        cache_dir=Path(os.environ.get("CACHE_DIR", Path.home() / ".cache")),
        data_dir=Path(os.environ.get("DATA_DIR", here / "data")),
        checkpoint_every=int(os.environ.get("CHECKPOINT_EVERY", "0")) or None,
    )
