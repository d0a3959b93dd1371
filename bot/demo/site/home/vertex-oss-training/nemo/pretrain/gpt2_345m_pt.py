"""Pre-train GPT-2 345M, scaled down, with GPT-2's own tokenizer."""

from __future__ import annotations

from common import cluster
from common.megatron_cache import tokenizer_files
from common.tokenizer import BytePairs
from common.trainer import Recipe, Trainer

RECIPE = Recipe("gpt2_345m", max_steps=60, global_batch_size=4096)


def main() -> None:
    """Fetch the tokenizer into the cache, then train on the opening of a book."""
    job = cluster.current()
    vocabulary, merges = tokenizer_files(job.cache_dir, downloads=job.cache_dir / "downloads")
    tokenizer = BytePairs(vocabulary, merges)
    text = (job.data_dir / "alice.txt").read_text(encoding="utf-8")
    Trainer(RECIPE, tokenizer.encode(text), tokenizer.size).fit()


if __name__ == "__main__":
    main()
