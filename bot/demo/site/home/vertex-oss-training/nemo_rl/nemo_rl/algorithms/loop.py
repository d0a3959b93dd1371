"""What every algorithm shares: set-up, epochs and steps, validation, checkpoints."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from nemo_rl.distributed.cluster import Cluster
from nemo_rl.models.policy import Adam, Weights, fresh
from nemo_rl.utils.checkpoint import Checkpoints
from nemo_rl.utils.config import Config
from nemo_rl.utils.hub import fetch
from nemo_rl.utils.logger import Logger
from nemo_rl.utils.timer import Timer

_BANNER = "=" * 25


class Algorithm(Protocol):
    """One way to train a policy."""

    section: str
    """Its part of the configuration."""
    batches: int
    """Steps of one epoch."""

    def step(self, weights: Weights, batch: int, timer: Timer) -> tuple[Weights, dict[str, float]]:
        """Gradient and figures of one batch, by its number in the epoch."""

    def results(self, figures: dict[str, float]) -> list[str]:
        """The lines below `Training Results`."""

    def validate(self, weights: Weights) -> list[str]:
        """The lines below `Validation Results`."""


def prepare(config: Config) -> Cluster:
    """Connect to the cluster; tell what a person wants to know first."""
    print(f"📊 Using log directory: {config['logger']['log_dir']}")
    if config["checkpointing"]["enabled"]:
        print(f"📊 Using checkpoint directory: {config['checkpointing']['checkpoint_dir']}")
    nodes = config["cluster"]["num_nodes"]
    cluster = Cluster(nodes)
    print("\n▶ Setting up data...", flush=True)
    fetch(config["policy"]["model_name"])
    print("\n▶ Setting up compute cluster...")
    print(f"  ✓ Ray cluster initialized with {nodes} nodes", flush=True)
    return cluster


class Training:
    """One run, or what a requeued job goes on with."""

    def __init__(self, config: Config, algorithm: Algorithm) -> None:
        self._config = config
        self._settings = config[algorithm.section]
        self._algorithm = algorithm
        self._logger = Logger(config)
        self._checkpoints = Checkpoints(config)
        policy = config["policy"]
        self._weights = fresh(
            width=policy["width"], hidden=policy["hidden"], seed=self._settings["seed"]
        )
        self._optimizer = Adam(self._weights, policy["optimizer"]["lr"])
        info = self._checkpoints.restore(self._weights, self._optimizer) or {}
        self._total = int(info.get("total_steps", 0))
        print("  ✓ Model initialized")
        print(f"\n{'=' * 60}\n{' ' * 18}SETUP COMPLETE\n{'=' * 60}\n", flush=True)

    def run(self) -> None:
        """Train to the last step."""
        settings, batches = self._settings, self._algorithm.batches
        epochs, most = settings["max_num_epochs"], settings["max_num_steps"]
        if settings["val_at_start"] and self._total == 0:
            print("\n🔍 Running initial validation...")
            self._validate(0)
        for epoch in range(self._total // batches, epochs):
            print(f"\n{_BANNER} Epoch {epoch + 1}/{epochs} {_BANNER}", flush=True)
            for batch in range(self._total % batches, batches):
                shown = min(batches, most)
                print(f"\n{_BANNER} Step {batch + 1}/{shown} {_BANNER}", flush=True)
                last = self._total + 1 >= min(most, epochs * batches)
                self._step(batch, last=last)
                if self._total >= most:
                    print("Max number of steps has been reached, stopping training early")
                    return

    def _step(self, batch: int, *, last: bool) -> None:
        timer = Timer()
        with timer.time("total_step_time"):
            climb, figures = self._algorithm.step(self._weights, batch, timer)
            figures["grad_norm"] = self._optimizer.step(climb)
            self._total += 1
            if self._due(self._settings["val_period"]):
                self._validate(self._total)
            if self._config["checkpointing"]["enabled"] and (
                last or self._due(self._config["checkpointing"]["save_period"])
            ):
                with timer.time("checkpointing"):
                    self._save(figures)
        print("\n📊 Training Results:")
        print("\n".join(self._algorithm.results(figures)))
        timer.show()
        print(end="", flush=True)
        self._logger.log(self._total, figures)

    def _due(self, period: int) -> bool:
        return period > 0 and self._total % period == 0

    def _save(self, figures: dict[str, float]) -> None:
        print(f"Saving checkpoint for step {self._total}...", flush=True)
        batch = self._config["policy"]["train_global_batch_size"]
        info = {
            "epoch": (self._total - 1) // self._algorithm.batches,
            "step": self._total % self._algorithm.batches,
            "total_steps": self._total,
            "consumed_samples": self._total * batch,
            "loss": figures["loss"],
        }
        self._checkpoints.save(self._total, info, self._weights, self._optimizer)

    def _validate(self, step: int) -> None:
        print(f"▶ Starting validation at step {step}...")
        lines = self._algorithm.validate(self._weights)
        print("\n📊 Validation Results:")
        print("\n".join(lines), flush=True)


def added(parts: list[Weights]) -> Weights:
    """The sum of gradients."""
    return {name: np.sum([part[name] for part in parts], axis=0) for name in parts[0]}
