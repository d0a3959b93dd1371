"""Pre-train Llama 3.1 8B, scaled down to a model that a laptop trains in a minute."""

from __future__ import annotations

from common import cluster
from common.tokenizer import Characters
from common.trainer import Recipe, Trainer

RECIPE = Recipe("llama3p1_8b", max_steps=200, width=32, hidden=512)


def main() -> None:
    """Train on the opening of a book."""
    tokenizer = Characters()
    text = (cluster.current().data_dir / "alice.txt").read_text(encoding="utf-8")
    Trainer(RECIPE, tokenizer.encode(text), tokenizer.size).fit()


if __name__ == "__main__":
    main()
