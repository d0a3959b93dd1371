"""Direct preference optimisation: the preferred answer gains on the rejected one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nemo_rl.algorithms.loop import added
from nemo_rl.data import preferences
from nemo_rl.distributed.cluster import Cluster
from nemo_rl.models.policy import Weights, Windows, chosen, gradient, windows
from nemo_rl.utils.config import Config
from nemo_rl.utils.timer import Timer

_VALIDATION = 48  # pairs that are kept out of training
_FIGURES = (
    "loss",
    "sft_loss",
    "preference_loss",
    "accuracy",
    "rewards_chosen_mean",
    "rewards_rejected_mean",
)


@dataclass(frozen=True)
class Pairs:
    """Preferred and rejected answers, a pair under one number."""

    good: Windows
    bad: Windows
    count: int


@dataclass(frozen=True)
class Shard:
    """What one node works on."""

    weights: Weights
    reference: Weights
    pairs: Pairs
    beta: float


class DPO:
    """Trains on pairs, measured against the policy as it was at first."""

    section = "dpo"

    def __init__(self, config: Config, cluster: Cluster, reference: Weights) -> None:
        self._cluster = cluster
        self._reference = reference
        self._beta = config["dpo"]["reference_policy_kl_penalty"]
        self._batch = config["policy"]["train_global_batch_size"]
        found = preferences(config["data"]["train"]["data_path"])
        order = np.random.default_rng(config["dpo"]["seed"]).permutation(len(found))
        shuffled = [found[index] for index in order]
        self._validation = _pairs(shuffled[:_VALIDATION])
        self._samples = shuffled[_VALIDATION:]
        self.batches = len(self._samples) // self._batch

    def step(self, weights: Weights, batch: int, timer: Timer) -> tuple[Weights, dict[str, float]]:
        """Every node takes a part of the pairs."""
        start, nodes = batch * self._batch, self._cluster.nodes
        samples = self._samples[start : start + self._batch]
        shards = [
            Shard(weights, self._reference, _pairs(samples[node::nodes]), self._beta)
            for node in range(nodes)
        ]
        print("▶ Taking a training step...", flush=True)
        with timer.time("policy_training"):
            done = self._cluster.map("nemo_rl.algorithms.dpo:preference", shards)
        climb = {name: each / self._batch for name, each in added([d[0] for d in done]).items()}
        figures = {name: sum(d[1][name] for d in done) / self._batch for name in _FIGURES}
        return climb, {**figures, "num_valid_samples": float(len(samples))}

    def results(self, figures: dict[str, float]) -> list[str]:
        """As NeMo-RL prints them."""
        names = (*_FIGURES, "num_valid_samples")
        return [f"  • {name}: {figures[name]:.4f}" for name in names]

    def validate(self, weights: Weights) -> list[str]:
        """Of pairs that are not trained on."""
        _, sums = preference(Shard(weights, self._reference, self._validation, self._beta))
        return [f"    • Validation {name}: {sums[name] / _VALIDATION:.4f}" for name in _FIGURES]


def preference(shard: Shard) -> tuple[Weights, dict[str, float]]:
    """The gradient of what DPO lets grow, and the sums of its figures."""
    pairs, beta = shard.pairs, shard.beta
    good = beta * (_answers(shard.weights, pairs.good) - _answers(shard.reference, pairs.good))
    bad = beta * (_answers(shard.weights, pairs.bad) - _answers(shard.reference, pairs.bad))
    losses = np.log1p(np.exp(-(good - bad)))
    pull = beta * (1 - np.exp(-losses))
    climb = added(
        [
            gradient(shard.weights, pairs.good, pull[pairs.good.owner]),
            gradient(shard.weights, pairs.bad, -pull[pairs.bad.owner]),
        ]
    )
    return climb, {
        "loss": float(losses.sum()),
        "sft_loss": 0.0,
        "preference_loss": float(losses.sum()),
        "accuracy": float((good > bad).sum()),
        "rewards_chosen_mean": float(good.sum()),
        "rewards_rejected_mean": float(bad.sum()),
    }


def _answers(weights: Weights, seen: Windows) -> np.ndarray:
    """The log probability of each answer."""
    return np.bincount(seen.owner, chosen(weights, seen))


def _pairs(samples: list[tuple[str, str, str]]) -> Pairs:
    return Pairs(
        good=windows([(question, right) for question, right, _ in samples]),
        bad=windows([(question, wrong) for question, _, wrong in samples]),
        count=len(samples),
    )
