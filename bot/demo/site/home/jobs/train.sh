#!/bin/bash
#SBATCH --job-name=train
#SBATCH --partition=a3m
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=8
#SBATCH --time=00:10:00
#SBATCH --output=%x-%j.log
# Trains a recipe: sbatch train.sh pretrain/llama3p1_2b_pt.py
set -euo pipefail
recipes=$HOME/vertex-oss-training/nemo
export PYTHONPATH=$recipes PYTHONUNBUFFERED=1 OMP_NUM_THREADS=1
srun python3 "$recipes/${1:-pretrain/llama3p1_2b_pt.py}"
