#!/bin/bash
#SBATCH --job-name=flaky
#SBATCH --nodes=1
#SBATCH --time=00:05:00
# Fails so many times in one of the ways below, then works for some seconds: sbatch flaky.sh 1 port 30
set -euo pipefail
times=${1:-1} way=${2:-port} seconds=${3:-0}
count=$HOME/.flaky/$SLURM_JOB_NAME
mkdir -p "${count%/*}"
before=$(cat "$count" 2>/dev/null || echo 0)
echo "run $((before + 1)) on $SLURMD_NODENAME"
if [ "$before" -lt "$times" ]; then
  echo $((before + 1)) >"$count"
  case $way in
    port) echo "RuntimeError: The server socket has failed to listen: errno: 98 - Address already in use" ;;
    gpu) echo "RuntimeError: CUDA error: uncorrectable ECC error encountered" ;;
    data) echo "FileNotFoundError: [Errno 2] No such file or directory: '/data/train.jsonl'" ;;
  esac >&2
  exit 1
fi
echo "it works"
sleep "$seconds"
