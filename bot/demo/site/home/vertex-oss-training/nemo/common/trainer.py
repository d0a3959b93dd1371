"""The training loop: gradient steps, NeMo's progress lines, checkpoints."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from common import cluster
from common.collective import Group
from common.log import LOG, plain
from common.model import Adam, LanguageModel

_KEPT = 0.1  # the share of the text that is kept for validation
_VALIDATION = 1024  # samples


@dataclass(frozen=True)
class Recipe:
    """What to train, and for how long."""

    name: str
    max_steps: int
    global_batch_size: int = 8192  # samples of all tasks together
    context: int = 5  # tokens
    width: int = 24
    hidden: int = 256
    rate: float = 3e-3
    save_every: int = 50  # steps
    seed: int = 1234


class Trainer:
    """Trains one recipe on one text."""

    def __init__(self, recipe: Recipe, tokens: Sequence[int], vocabulary: int) -> None:
        """*tokens* are numbers below *vocabulary*."""
        self._recipe = recipe
        self._job = cluster.current()
        self._results = self._job.results
        self._every = self._job.checkpoint_every or recipe.save_every
        self._checkpoints = self._results / "checkpoints"
        self._checkpoints.mkdir(parents=True, exist_ok=True)
        self._model = LanguageModel(
            vocabulary,
            context=recipe.context,
            width=recipe.width,
            hidden=recipe.hidden,
            seed=recipe.seed,
        )
        split = int(len(tokens) * (1 - _KEPT))
        self._train = np.array(tokens[:split])
        self._validation = np.array(tokens[split:])
        self._group = Group(self._job.rank, self._job.world_size, self._results / "meeting")
        self._first_step = 0
        self._best = math.inf
        plain(
            " > number of parameters on (tensor, pipeline) model parallel rank (0, 0):"
            f" {self._model.size}"
        )

    def start_from(self, base: str) -> None:
        """Take the weights of the newest checkpoint that recipe *base* has left here."""
        found = list(self._job.log_dir.glob(f"*/*/checkpoints/{base}--*.npz"))
        if not found:
            LOG.warning(
                "No checkpoint of %s below %s; starting from nothing.", base, self._job.log_dir
            )
            return
        newest = max(found, key=lambda path: path.stat().st_mtime)
        LOG.info("Doing selective restore from RestoreConfig(path='%s')", newest)
        self._restore(newest)

    def fit(self) -> None:
        """Train to the last step, or on from the last checkpoint of an earlier attempt."""
        self._resume()
        recipe, last = self._recipe, self._recipe.max_steps - 1
        optimizer = Adam(self._model.weights)
        rng = np.random.default_rng([recipe.seed, self._job.rank, self._first_step])
        share = max(1, recipe.global_batch_size // self._job.world_size)
        for step in range(self._first_step, recipe.max_steps):
            started = time.perf_counter()
            rate = _rate(recipe, step)
            loss, gradients = self._model.gradients(*self._samples(self._train, rng, share))
            loss, gradients = self._average(loss, gradients)
            optimizer.step(gradients, rate)
            saving = step == last or (step + 1) % self._every == 0
            checked = f" | val_loss: {self._validate():.4}" if saving else ""
            plain(
                f"Training epoch 0, iteration {step}/{last} | lr: {rate:.4}"
                f" | global_batch_size: {share * self._job.world_size} | global_step: {step}"
                f" | reduced_train_loss: {loss:.4}"
                f" | train_step_timing in s: {time.perf_counter() - started:.4}"
                f" | consumed_samples: {(step + 1) * share * self._job.world_size}{checked}"
            )
            if saving:
                self._save(step)
        plain(f"`Trainer.fit` stopped: `max_steps={recipe.max_steps}` reached.")

    def _samples(
        self, tokens: np.ndarray, rng: np.random.Generator, count: int
    ) -> tuple[np.ndarray, np.ndarray]:
        context = self._recipe.context
        ends = rng.integers(context, len(tokens), count)
        return tokens[ends[:, None] + np.arange(-context, 0)], tokens[ends]

    def _average(
        self, loss: float, gradients: dict[str, np.ndarray]
    ) -> tuple[float, dict[str, np.ndarray]]:
        flat = np.concatenate([[loss], *(gradient.ravel() for gradient in gradients.values())])
        mean = self._group.mean(flat)
        shaped, start = {}, 1
        for name, gradient in gradients.items():
            shaped[name] = mean[start : start + gradient.size].reshape(gradient.shape)
            start += gradient.size
        return float(mean[0]), shaped

    def _validate(self) -> float:
        rng = np.random.default_rng(self._recipe.seed)
        return self._model.loss(*self._samples(self._validation, rng, _VALIDATION))

    def _save(self, step: int) -> None:
        if self._job.rank:
            return
        loss, began = self._validate(), time.time()
        self._best = min(self._best, loss)
        name = f"{self._recipe.name}--val_loss={loss:.4f}-epoch=0-step={step}"
        path = self._checkpoints / f"{name}.npz"
        plain(
            f"Epoch 0, global step {step}: 'val_loss' reached {loss:.5f}"
            f" (best {self._best:.5f}), saving model to '{path}' as top 5"
        )
        written = path.with_suffix(".part")
        with written.open("wb") as file:
            np.savez(file, step=step, **self._model.weights)
        written.replace(path)
        LOG.info(
            "Global Checkpoint Save : Rank: 0 : Iteration: %d : Start time: %.3fs"
            " : Save duration: %.3fs",
            step,
            began,
            time.time() - began,
        )

    def _resume(self) -> None:
        found = self._checkpoints.glob(f"{self._recipe.name}--*.npz")
        saved = sorted(found, key=lambda path: path.stat().st_mtime)
        if saved:
            self._first_step = self._restore(saved[-1]) + 1
            LOG.info("Resuming from checkpoint %s at step %d", saved[-1], self._first_step)

    def _restore(self, path: Path) -> int:
        with np.load(path) as saved:
            for name, weight in self._model.weights.items():
                weight[...] = saved[name]
            return int(saved["step"])


def _rate(recipe: Recipe, step: int) -> float:
    """The learning rate: a short warm-up, then half a cosine."""
    warm = min(1.0, (step + 1) / 10)
    return recipe.rate * warm * (0.1 + 0.45 * (1 + math.cos(math.pi * step / recipe.max_steps)))
