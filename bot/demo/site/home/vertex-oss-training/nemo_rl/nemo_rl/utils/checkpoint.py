"""Checkpoints: written as tmp_step_N, renamed to step_N when whole."""

from __future__ import annotations

import json
import pickle
import re
import shutil
from pathlib import Path

import numpy as np
import yaml

from nemo_rl.models.policy import LETTERS, Adam, Weights
from nemo_rl.utils.config import Config


class Checkpoints:
    """The checkpoints of one run."""

    def __init__(self, config: Config) -> None:
        settings = config["checkpointing"]
        self._config = config
        self._folder = Path(settings["checkpoint_dir"])
        self._kept = settings["keep_top_k"]
        if settings["enabled"]:
            self._folder.mkdir(parents=True, exist_ok=True)

    def save(self, step: int, info: dict[str, float], weights: Weights, optimizer: Adam) -> None:
        """Write one; only a whole one gets its name."""
        part = self._folder / f"tmp_step_{step}"
        shutil.rmtree(part, ignore_errors=True)
        for name in ("weights", "optimizer", "tokenizer"):
            (part / "policy" / name).mkdir(parents=True)
        (part / "training_info.json").write_text(json.dumps(info))
        (part / "config.yaml").write_text(yaml.safe_dump(self._config))
        np.savez(part / "policy" / "weights" / "model.npz", **weights)
        np.savez(
            part / "policy" / "optimizer" / "optim.npz", steps=optimizer.steps, **optimizer.state
        )
        (part / "policy" / "tokenizer" / "tokenizer.json").write_text(json.dumps(list(LETTERS)))
        with (part / "train_dataloader.pt").open("wb") as file:
            pickle.dump({"samples_yielded": info["consumed_samples"]}, file)
        whole = self._folder / f"step_{step}"
        shutil.rmtree(whole, ignore_errors=True)
        part.rename(whole)
        for old in self._whole()[: -self._kept]:
            shutil.rmtree(self._folder / f"step_{old}")

    def restore(self, weights: Weights, optimizer: Adam) -> dict[str, float] | None:
        """Take weights and optimizer from the newest whole one; what it says of the run."""
        steps = self._whole()
        if not steps:
            return None
        newest = self._folder / f"step_{steps[-1]}"
        with np.load(newest / "policy" / "weights" / "model.npz") as saved:
            for name, weight in weights.items():
                weight[...] = saved[name]
        with np.load(newest / "policy" / "optimizer" / "optim.npz") as saved:
            for name, moment in optimizer.state.items():
                moment[...] = saved[name]
            optimizer.steps = int(saved["steps"])
        print(f"📌 Resuming from checkpoint {newest}")
        info: dict[str, float] = json.loads((newest / "training_info.json").read_text())
        return info

    def _whole(self) -> list[int]:
        names = (re.fullmatch(r"step_(\d+)", path.name) for path in self._folder.glob("step_*"))
        return sorted(int(name[1]) for name in names if name)
