"""Group relative policy optimisation of a policy on small problems."""

from __future__ import annotations

from nemo_rl.algorithms.grpo import GRPO
from nemo_rl.algorithms.loop import Training, prepare
from nemo_rl.utils import config


def main() -> None:
    """Train as the configuration says."""
    settings = config.read("examples/configs/grpo.yaml")
    cluster = prepare(settings)
    Training(settings, GRPO(settings, cluster)).run()


if __name__ == "__main__":
    main()
