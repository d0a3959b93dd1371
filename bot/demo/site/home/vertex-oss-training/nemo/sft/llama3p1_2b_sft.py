"""Fine-tune Llama 3.1 2B (scaled down) on questions and answers."""

from __future__ import annotations

import json

from common import cluster
from common.tokenizer import Characters
from common.trainer import Recipe, Trainer

RECIPE = Recipe("llama3p1_2b_sft", max_steps=60, rate=1e-3)


def main() -> None:
    """Start from the newest pre-trained weights, if there are any."""
    tokenizer = Characters()
    lines = (cluster.current().data_dir / "questions.jsonl").read_text(encoding="utf-8")
    pairs = [json.loads(line) for line in lines.splitlines()]
    text = "".join(f"User: {pair['input']}\nAssistant: {pair['output']}\n\n" for pair in pairs)
    trainer = Trainer(RECIPE, tokenizer.encode(text), tokenizer.size)
    trainer.start_from("llama3p1_2b")
    trainer.fit()


if __name__ == "__main__":
    main()
