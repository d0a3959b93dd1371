"""Pre-train Llama 3.1 2B (scaled down), then fine-tune it: one experiment of two jobs."""

from __future__ import annotations

TASKS = ("pretrain/llama3p1_2b_pt.py", "sft/llama3p1_2b_sft.py")
