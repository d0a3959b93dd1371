#!/bin/bash
# Supervised fine-tuning (SFT).
set -euo pipefail
python3 examples/run_sft.py --config examples/configs/sft.yaml \
  cluster.num_nodes="$SLURM_JOB_NUM_NODES" \
  cluster.gpus_per_node="$GPUS_PER_NODE" \
  checkpointing.checkpoint_dir="$CHECKPOINT_DIR" \
  logger.log_dir="$LOG_BASE"
