"""Supervised fine-tuning: the answers become likely."""

from __future__ import annotations

import numpy as np

from nemo_rl.algorithms.loop import added
from nemo_rl.data import question_answers
from nemo_rl.distributed.cluster import Cluster
from nemo_rl.models.policy import Weights, Windows, chosen, gradient, windows
from nemo_rl.utils.config import Config
from nemo_rl.utils.timer import Timer

_VALIDATION = 4  # questions that are kept out of training


class SFT:
    """Trains on questions and answers."""

    section = "sft"

    def __init__(self, config: Config, cluster: Cluster) -> None:
        self._cluster = cluster
        self._batch = config["policy"]["train_global_batch_size"]
        samples = question_answers(config["data"]["train"]["data_path"])
        self._validation = windows(samples[:_VALIDATION])
        self._samples = samples[_VALIDATION:] * config["data"]["repeat"]
        self.batches = len(self._samples) // self._batch

    def step(self, weights: Weights, batch: int, timer: Timer) -> tuple[Weights, dict[str, float]]:
        """Every node takes a part of the batch."""
        print("▶ Preparing batch...")
        start, nodes = batch * self._batch, self._cluster.nodes
        samples = self._samples[start : start + self._batch]
        shards = [(weights, windows(samples[node::nodes])) for node in range(nodes)]
        print("▶ Taking a training step...", flush=True)
        with timer.time("policy_training"):
            done = self._cluster.map("nemo_rl.algorithms.sft:likelihood", shards)
        count = sum(each[2] for each in done)
        climb = added([each[0] for each in done])
        return {name: each / count for name, each in climb.items()}, {
            "loss": -sum(each[1] for each in done) / count
        }

    def results(self, figures: dict[str, float]) -> list[str]:
        """As NeMo-RL prints them."""
        return [f"  • Loss: {figures['loss']:.4f}"]

    def validate(self, weights: Weights) -> list[str]:
        """Of questions that are not trained on."""
        loss = -float(np.mean(chosen(weights, self._validation)))
        return [f"    • Validation loss: {loss:.4f}"]


def likelihood(shard: tuple[Weights, Windows]) -> tuple[Weights, float, int]:
    """The gradient of the log likelihood, its sum, and over how many characters."""
    weights, seen = shard
    total = float(chosen(weights, seen).sum())
    return gradient(weights, seen, np.ones(len(seen.after))), total, len(seen.after)
