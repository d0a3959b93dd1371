#!/bin/bash
#SBATCH --job-name=sleep
#SBATCH --nodes=1
#SBATCH --time=00:30:00
# Sleeps as many seconds as it is told: sbatch sleep.sh 60
seconds=${1:-30}
echo "sleeping ${seconds} s on $(hostname)"
sleep "$seconds"
echo "awake"
