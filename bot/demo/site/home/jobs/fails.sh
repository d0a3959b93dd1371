#!/bin/bash
#SBATCH --job-name=fails
#SBATCH --nodes=1
#SBATCH --time=00:05:00
# Reads a data file that nobody put there.
set -euo pipefail
echo "counting samples"
wc -l "$HOME/data/train.jsonl"
echo "never reached"
