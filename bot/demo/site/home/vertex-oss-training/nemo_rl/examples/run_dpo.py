"""Direct preference optimisation of a policy on pairs of answers."""

from __future__ import annotations

from nemo_rl.algorithms.dpo import DPO
from nemo_rl.algorithms.loop import Training, prepare
from nemo_rl.models.policy import fresh
from nemo_rl.utils import config


def main() -> None:
    """Train as the configuration says; the reference is the policy before any step."""
    settings = config.read("examples/configs/dpo.yaml")
    cluster = prepare(settings)
    policy, seed = settings["policy"], settings["dpo"]["seed"]
    reference = fresh(width=policy["width"], hidden=policy["hidden"], seed=seed)
    Training(settings, DPO(settings, cluster, reference)).run()


if __name__ == "__main__":
    main()
