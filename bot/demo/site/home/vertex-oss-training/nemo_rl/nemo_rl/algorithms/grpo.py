"""Group relative policy optimisation: answers that earn more than their group become likely."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nemo_rl.algorithms.loop import added
from nemo_rl.distributed.cluster import Cluster
from nemo_rl.models.policy import (
    LETTERS,
    Weights,
    Windows,
    chosen,
    gradient,
    log_probabilities,
    windows,
)
from nemo_rl.utils.config import Config
from nemo_rl.utils.timer import Timer

_PROBLEMS = [(f"max({a},{b})=", str(max(a, b))) for a in range(10) for b in range(10)]
"""The larger of two digits: an answer is one character."""


@dataclass(frozen=True)
class Shard:
    """What one node answers: problems by number, each several times."""

    weights: Weights
    problems: np.ndarray
    seed: int


class GRPO:
    """Trains on its own answers."""

    section = "grpo"

    def __init__(self, config: Config, cluster: Cluster) -> None:
        settings = config["grpo"]
        self._cluster = cluster
        self._prompts = settings["num_prompts_per_step"]
        self._group = settings["num_generations_per_prompt"]
        self._rng = np.random.default_rng(settings["seed"])
        self.batches = settings["batches"]

    def step(self, weights: Weights, batch: int, timer: Timer) -> tuple[Weights, dict[str, float]]:
        """Answer, reward, compare within each group, train."""
        print("▶ Preparing batch...")
        problems = self._rng.choice(len(_PROBLEMS), self._prompts, replace=False)
        size = self._prompts * self._group
        print(f"▶ Generating responses for batch of size {size}...", flush=True)
        with timer.time("generation"):
            seen, answers = self._answer(weights, np.repeat(problems, self._group))
        print("▶ Processing rewards...,")
        with timer.time("reward_calculation"):
            right = np.array([_PROBLEMS[index][1] for index in seen.owner])
            rewards = (np.array([LETTERS[n : n + 1] for n in answers]) == right).astype(float)
            groups = rewards.reshape(self._prompts, self._group)
            spread = groups.std(axis=1, keepdims=True) + 1e-6
            advantages = ((groups - groups.mean(axis=1, keepdims=True)) / spread).ravel()
        print("▶ Computing logprobs...")
        with timer.time("policy_and_reference_logprobs"):
            logs = chosen(weights, seen)
        print("▶ Training policy...", flush=True)
        with timer.time("policy_training"):
            nodes = self._cluster.nodes
            shards = [
                (weights, _part(seen, node, nodes), advantages[node::nodes] / size)
                for node in range(nodes)
            ]
            climb = added(self._cluster.map("nemo_rl.algorithms.grpo:climbing", shards))
        return climb, {
            "loss": -float(np.mean(advantages * logs)),
            "reward": float(rewards.mean()),
        }

    def _answer(self, weights: Weights, problems: np.ndarray) -> tuple[Windows, np.ndarray]:
        nodes = self._cluster.nodes
        seeds = self._rng.integers(2**31, size=nodes)
        shards = [
            Shard(weights, part, int(seed))
            for part, seed in zip(np.array_split(problems, nodes), seeds, strict=True)
        ]
        done = self._cluster.map("nemo_rl.algorithms.grpo:answer", shards)
        answers = np.concatenate(done)
        return _seen(problems, answers), answers

    def results(self, figures: dict[str, float]) -> list[str]:
        """As NeMo-RL prints them."""
        return [
            f"  • Loss: {figures['loss']:.4f}",
            "  • Generation KL Error: 0.0000",
            f"  • Avg Reward: {figures['reward']:.4f}",
            "  • Mean Generation Length: 1.0000",
        ]

    def validate(self, weights: Weights) -> list[str]:
        """The share of all problems whose likeliest answer is right."""
        seen = _seen(np.arange(len(_PROBLEMS)), np.zeros(len(_PROBLEMS), dtype=int))
        best = log_probabilities(weights, seen.before).argmax(axis=1)
        right = [
            LETTERS[n : n + 1] == answer for n, (_, answer) in zip(best, _PROBLEMS, strict=True)
        ]
        return [f"    • Accuracy: {np.mean(right):.4f}"]


def answer(shard: Shard) -> np.ndarray:
    """A character for each problem, as likely as the policy finds it."""
    seen = _seen(shard.problems, np.zeros(len(shard.problems), dtype=int))
    logs = log_probabilities(shard.weights, seen.before)
    noise = np.random.default_rng(shard.seed).gumbel(size=logs.shape)
    return (logs + noise).argmax(axis=1)


def climbing(shard: tuple[Weights, Windows, np.ndarray]) -> Weights:
    """The gradient of the log probabilities, each times its advantage."""
    return gradient(*shard)


def _seen(problems: np.ndarray, answers: np.ndarray) -> Windows:
    """The problems as windows, with these answers; the owner is the problem."""
    asked = windows([(_PROBLEMS[index][0], "0") for index in problems])
    return Windows(asked.before, answers, problems)


def _part(seen: Windows, node: int, nodes: int) -> Windows:
    return Windows(seen.before[node::nodes], seen.after[node::nodes], seen.owner[node::nodes])
