"""Continue the pre-training of Llama 3.1 2B (scaled down) on the cluster's handbook."""

from __future__ import annotations

from common import cluster
from common.tokenizer import Characters
from common.trainer import Recipe, Trainer

RECIPE = Recipe("llama3p1_2b_cpt", max_steps=80, rate=1e-3)


def main() -> None:
    """Start from the newest pre-trained weights, if there are any."""
    tokenizer = Characters()
    text = (cluster.current().data_dir / "handbook.txt").read_text(encoding="utf-8")
    trainer = Trainer(RECIPE, tokenizer.encode(text), tokenizer.size)
    trainer.start_from("llama3p1_2b")
    trainer.fit()


if __name__ == "__main__":
    main()
