"""A small language model in numpy: embeddings, one hidden layer, a softmax; trained with Adam."""

from __future__ import annotations

import numpy as np


class LanguageModel:
    """Predicts the next token from the *context* tokens before it."""

    def __init__(
        self, vocabulary: int, *, context: int, width: int, hidden: int, seed: int
    ) -> None:
        """Start from random weights."""
        rng = np.random.default_rng(seed)
        fan_in = context * width
        self.context = context
        self.weights = {
            "embedding": rng.normal(0, 1, (vocabulary, width)) / np.sqrt(width),
            "hidden": rng.normal(0, 1, (fan_in, hidden)) / np.sqrt(fan_in),
            "hidden_bias": np.zeros(hidden),
            "output": rng.normal(0, 1, (hidden, vocabulary)) / np.sqrt(hidden),
            "output_bias": np.zeros(vocabulary),
        }

    @property
    def size(self) -> int:
        """The number of parameters."""
        return sum(weight.size for weight in self.weights.values())

    def loss(self, before: np.ndarray, after: np.ndarray) -> float:
        """Mean cross entropy, in nats. *before* is (batch, context), *after* is (batch,)."""
        return self._forward(before, after)[0]

    def gradients(
        self, before: np.ndarray, after: np.ndarray
    ) -> tuple[float, dict[str, np.ndarray]]:
        """The loss and its gradient for each weight."""
        loss, probabilities, active, inputs = self._forward(before, after)
        batch = len(after)
        d_logits = probabilities
        d_logits[np.arange(batch), after] -= 1
        d_logits /= batch
        d_active = (d_logits @ self.weights["output"].T) * (1 - active**2)
        d_inputs = (d_active @ self.weights["hidden"].T).reshape(batch, self.context, -1)
        d_embedding = np.zeros_like(self.weights["embedding"])
        np.add.at(d_embedding, before, d_inputs)
        return loss, {
            "embedding": d_embedding,
            "hidden": inputs.T @ d_active,
            "hidden_bias": d_active.sum(axis=0),
            "output": active.T @ d_logits,
            "output_bias": d_logits.sum(axis=0),
        }

    def _forward(
        self, before: np.ndarray, after: np.ndarray
    ) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
        batch = len(after)
        inputs = self.weights["embedding"][before].reshape(batch, -1)
        active = np.tanh(inputs @ self.weights["hidden"] + self.weights["hidden_bias"])
        logits = active @ self.weights["output"] + self.weights["output_bias"]
        logits -= logits.max(axis=1, keepdims=True)
        probabilities = np.exp(logits)
        probabilities /= probabilities.sum(axis=1, keepdims=True)
        chosen = probabilities[np.arange(batch), after]
        return float(-np.log(chosen + 1e-12).mean()), probabilities, active, inputs


class Adam:
    """The optimizer."""

    def __init__(self, weights: dict[str, np.ndarray]) -> None:
        """Keep the moments of each weight; the weights are changed in place."""
        self._weights = weights
        self._first = {name: np.zeros_like(weight) for name, weight in weights.items()}
        self._second = {name: np.zeros_like(weight) for name, weight in weights.items()}
        self._steps = 0

    def step(self, gradients: dict[str, np.ndarray], rate: float) -> None:
        """Move every weight against its gradient."""
        self._steps += 1
        for name, gradient in gradients.items():
            self._first[name] += 0.1 * (gradient - self._first[name])
            self._second[name] += 0.01 * (gradient**2 - self._second[name])
            first = self._first[name] / (1 - 0.9**self._steps)
            second = self._second[name] / (1 - 0.99**self._steps)
            self._weights[name] -= rate * first / (np.sqrt(second) + 1e-8)
