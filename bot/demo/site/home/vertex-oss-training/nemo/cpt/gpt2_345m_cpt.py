"""Continue the pre-training of GPT-2 345M (scaled down) on the cluster's handbook."""

from __future__ import annotations

from common import cluster
from common.megatron_cache import tokenizer_files
from common.tokenizer import BytePairs
from common.trainer import Recipe, Trainer

RECIPE = Recipe("gpt2_345m_cpt", max_steps=60, global_batch_size=4096, rate=2e-3)


def main() -> None:
    """Start from the newest pre-trained weights; the tokenizer is downloaded afresh."""
    job = cluster.current()
    tokenizer = BytePairs(*tokenizer_files(job.cache_dir))
    text = (job.data_dir / "handbook.txt").read_text(encoding="utf-8")
    trainer = Trainer(RECIPE, tokenizer.encode(text), tokenizer.size)
    trainer.start_from("gpt2_345m")
    trainer.fit()


if __name__ == "__main__":
    main()
