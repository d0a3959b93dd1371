#!/bin/bash
#SBATCH --job-name=hello
#SBATCH --nodes=1
echo "hello from $(hostname)"
