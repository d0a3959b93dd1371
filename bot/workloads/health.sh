#!/bin/bash
# Asks each node of the job how it is: one line for each. $1: the GPUs that each should have.
# A node that is not well is a finding, not a failure of this job.

examine() {
  local node=${SLURMD_NODENAME:-$(hostname -s)} bad=() listed gpus errors folder used
  if ! command -v nvidia-smi >/dev/null; then
    bad+=("there is no nvidia-smi")
  elif ! listed=$(timeout 60 nvidia-smi -L 2>&1); then
    bad+=("nvidia-smi fails: $(tail -n 1 <<<"$listed")")
  else
    gpus=$(grep -c '^GPU ' <<<"$listed")
    [ "$gpus" -ge "$1" ] || bad+=("$gpus of $1 GPUs answer")
    errors=$(timeout 60 nvidia-smi --query-gpu=ecc.errors.uncorrected.volatile.total \
      --format=csv,noheader,nounits 2>/dev/null | grep -E '^[0-9]+$' | paste -sd+ - | bc 2>/dev/null)
    [ "${errors:-0}" -eq 0 ] || bad+=("$errors uncorrected memory errors")
  fi
  for folder in / /mnt/localssd /mnt/localdisk; do
    [ -d "$folder" ] || continue
    used=$(df -P "$folder" | awk 'NR == 2 { sub("%", "", $5); print $5 }')
    [ "${used:-0}" -lt 99 ] || bad+=("$folder is full")
  done
  if [ ${#bad[@]} -eq 0 ]; then
    echo "health $node ok $gpus GPUs"
  else
    printf 'health %s bad %s\n' "$node" "$(printf '%s, ' "${bad[@]}" | sed 's/, $//')"
  fi
}

exec srun --ntasks-per-node=1 --kill-on-bad-exit=0 \
  bash -c "$(declare -f examine)"'; examine "$1"' examine "$1"
