"""Supervised fine-tuning of a policy on questions and answers."""

from __future__ import annotations

from nemo_rl.algorithms.loop import Training, prepare
from nemo_rl.algorithms.sft import SFT
from nemo_rl.utils import config


def main() -> None:
    """Train as the configuration says."""
    settings = config.read("examples/configs/sft.yaml")
    cluster = prepare(settings)
    Training(settings, SFT(settings, cluster)).run()


if __name__ == "__main__":
    main()
