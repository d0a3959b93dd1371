"""A small policy in numpy: the characters before, one hidden layer, a softmax over the next."""

from __future__ import annotations

import string
from dataclasses import dataclass

import numpy as np

CONTEXT = 8  # characters
LETTERS = string.printable
_PAD = len(LETTERS)
_NUMBERS = {letter: number for number, letter in enumerate(LETTERS)}

Weights = dict[str, np.ndarray]


@dataclass(frozen=True)
class Windows:
    """Characters to predict, each with those before it; *owner* is the sample it belongs to."""

    before: np.ndarray  # (n, CONTEXT)
    after: np.ndarray  # (n,)
    owner: np.ndarray  # (n,)


def windows(samples: list[tuple[str, str]]) -> Windows:
    """The characters of each response, after its prompt."""
    before, after, owner = [], [], []
    for index, (prompt, response) in enumerate(samples):
        numbers = [_PAD] * CONTEXT + encode(prompt + response)
        for end in range(len(numbers) - len(response), len(numbers)):
            before.append(numbers[end - CONTEXT : end])
            after.append(numbers[end])
            owner.append(index)
    return Windows(np.array(before), np.array(after), np.array(owner))


def encode(text: str) -> list[int]:
    """The numbers of the characters."""
    return [_NUMBERS.get(letter, _PAD) for letter in text]


def fresh(*, width: int, hidden: int, seed: int) -> Weights:
    """Random weights."""
    rng = np.random.default_rng(seed)
    size, fan_in = len(LETTERS) + 1, CONTEXT * width
    return {
        "embedding": rng.normal(0, 1, (size, width)) / np.sqrt(width),
        "hidden": rng.normal(0, 1, (fan_in, hidden)) / np.sqrt(fan_in),
        "hidden_bias": np.zeros(hidden),
        "output": rng.normal(0, 1, (hidden, size)) / np.sqrt(hidden),
        "output_bias": np.zeros(size),
    }


def log_probabilities(weights: Weights, before: np.ndarray) -> np.ndarray:
    """Of every next character; (n, characters)."""
    return _forward(weights, before)[0]


def gradient(weights: Weights, seen: Windows, factors: np.ndarray) -> Weights:
    """Of the sum of the log probabilities, each times its factor."""
    logs, active, inputs = _forward(weights, seen.before)
    d_logits = -np.exp(logs) * factors[:, None]
    d_logits[np.arange(len(seen.after)), seen.after] += factors
    d_active = (d_logits @ weights["output"].T) * (1 - active**2)
    d_inputs = (d_active @ weights["hidden"].T).reshape(len(seen.after), CONTEXT, -1)
    d_embedding = np.zeros_like(weights["embedding"])
    np.add.at(d_embedding, seen.before, d_inputs)
    return {
        "embedding": d_embedding,
        "hidden": inputs.T @ d_active,
        "hidden_bias": d_active.sum(axis=0),
        "output": active.T @ d_logits,
        "output_bias": d_logits.sum(axis=0),
    }


def chosen(weights: Weights, seen: Windows) -> np.ndarray:
    """The log probability of each character that was seen."""
    return log_probabilities(weights, seen.before)[np.arange(len(seen.after)), seen.after]


def _forward(weights: Weights, before: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    inputs = weights["embedding"][before].reshape(len(before), -1)
    active = np.tanh(inputs @ weights["hidden"] + weights["hidden_bias"])
    logits = active @ weights["output"] + weights["output_bias"]
    logits -= logits.max(axis=1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)), active, inputs


class Adam:
    """The optimizer; it climbs, as the gradients are those of what is to grow."""

    def __init__(self, weights: Weights, rate: float) -> None:
        """Keep the moments of each weight; the weights are changed in place."""
        self._weights, self._rate = weights, rate
        self.state = {
            f"{name}.{moment}": np.zeros_like(weight)
            for name, weight in weights.items()
            for moment in ("first", "second")
        }
        self.steps = 0

    def step(self, gradients: Weights) -> float:
        """Move every weight; the norm of the gradient."""
        self.steps += 1
        for name, each in gradients.items():
            first, second = self.state[f"{name}.first"], self.state[f"{name}.second"]
            first += 0.1 * (each - first)
            second += 0.01 * (each**2 - second)
            corrected = second / (1 - 0.99**self.steps)
            move = first / (1 - 0.9**self.steps) / (np.sqrt(corrected) + 1e-8)
            self._weights[name] += self._rate * move
        return float(np.sqrt(sum((each**2).sum() for each in gradients.values())))
