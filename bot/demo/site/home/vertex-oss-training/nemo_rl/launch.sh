#!/bin/bash
#SBATCH --job-name=nemo_rl
#SBATCH --exclusive
#SBATCH --gpus-per-node=8
#SBATCH --ntasks-per-node=1
# Run a NeMo-RL job script on a Ray cluster, or bring the cluster up and leave it idle. In this folder:
#   sbatch -N 2 --partition=a3m launch.sh --cluster_type hcc-a3m --job_script algorithms/dpo.sh
#   sbatch -N 2 --partition=a3m launch.sh --cluster_type hcc-a3m --interactive
set -euo pipefail

usage() {
  cat <<'USAGE'
Usage: sbatch -N <num_nodes> launch.sh --cluster_type TYPE (--job_script SCRIPT | --interactive)
  --cluster_type TYPE    hcc-a3m, hcc-a3u, hcc-a4 or hcc-a3h
  --job_script SCRIPT    what to run on the cluster, such as algorithms/dpo.sh
  --interactive          leave the cluster idle; <job id>/attach.sh gives a shell on it
USAGE
}

refuse() {
  echo "launch.sh: $*" >&2
  usage >&2
  exit 2
}

CLUSTER_TYPE=
JOB_SCRIPT=
INTERACTIVE=
while (($#)); do
  case $1 in
    --cluster_type | --job_script)
      (($# > 1)) || refuse "$1 needs a value"
      if [[ $1 == --cluster_type ]]; then CLUSTER_TYPE=$2; else JOB_SCRIPT=$2; fi
      shift
      ;;
    --cluster_type=*) CLUSTER_TYPE=${1#*=} ;;
    --job_script=*) JOB_SCRIPT=${1#*=} ;;
    --interactive) INTERACTIVE=yes ;;
    -h | --help) usage; exit 0 ;;
    *) refuse "unrecognized option: $1" ;;
  esac
  shift
done
case $CLUSTER_TYPE in
  hcc-a3m | hcc-a3u | hcc-a4 | hcc-a3h) ;;
  "") refuse "--cluster_type is required" ;;
  *) refuse "unknown cluster type: $CLUSTER_TYPE" ;;
esac
[[ -n $JOB_SCRIPT || -n $INTERACTIVE ]] || refuse "either --job_script or --interactive is required"
[[ -z $JOB_SCRIPT || -z $INTERACTIVE ]] || refuse "--job_script and --interactive exclude each other"
[[ -n ${SLURM_JOB_ID:-} ]] || refuse "run it with sbatch"
if [[ ! -f $SLURM_SUBMIT_DIR/scripts/ray_cluster.sh ]]; then
  echo "launch.sh: submit it from its own folder; $SLURM_SUBMIT_DIR is not that" >&2
  exit 1
fi
if [[ -n $JOB_SCRIPT && ! -f $SLURM_SUBMIT_DIR/$JOB_SCRIPT && ! -f $JOB_SCRIPT ]]; then
  echo "launch.sh: no such job script: $JOB_SCRIPT" >&2
  exit 1
fi

# Everything that belongs to the job lies in one folder; from here on this output does too.
JOB_DIR=$SLURM_SUBMIT_DIR/$SLURM_JOB_ID
mkdir -p "$JOB_DIR/checkpoints" "$JOB_DIR/ray-logs"
exec >>"$JOB_DIR/nemo_rl_output.log" 2>&1

export CLUSTER_TYPE CHECKPOINT_DIR=$JOB_DIR/checkpoints LOG_BASE=$JOB_DIR/logs
LAUNCHER=launch.sh
LOG_DIR=$JOB_DIR/ray-logs
ATTACH=$JOB_DIR/attach.sh
IMAGE=$SLURM_SUBMIT_DIR/nemo_rl-h20260302.sqsh
source "$SLURM_SUBMIT_DIR/scripts/ray_cluster.sh"
# Never traced: it holds tokens.
[[ ! -f $SLURM_SUBMIT_DIR/configs/auth.sh ]] || source "$SLURM_SUBMIT_DIR/configs/auth.sh"

bring_up
if [[ -n $INTERACTIVE ]]; then
  stay_idle
else
  run_driver "" bash "$JOB_SCRIPT"
fi
