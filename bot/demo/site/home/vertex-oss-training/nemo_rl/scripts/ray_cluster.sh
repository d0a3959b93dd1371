# A Ray-like cluster inside a Slurm job, for launch.sh and ray.sub: sourced, never run.
# The caller sets LAUNCHER, LOG_DIR (on a shared file system), ATTACH (a path), IMAGE.

GPUS_PER_NODE=${GPUS_PER_NODE:-8}
NRL_CONNECT_MINUTES=${NRL_CONNECT_MINUTES:-30}
# Seconds from the cluster's being up to attach.sh; minutes where containers are big.
NRL_ATTACH_DELAY=${NRL_ATTACH_DELAY:-3}
declare -A SRUN_PIDS

phase() {
  echo "[NRL_PHASE][$(date --iso-8601=seconds)][+${SECONDS}s] $*"
}

# Whatever happens: say how it ended, and let the nodes end by themselves.
leave() {
  local status=$?
  trap - EXIT
  touch "$LOG_DIR/ENDED"
  # The nodes see that within a second; what is stuck ends with the job.
  for ((i = 0; i < 20; i++)); do
    kill -0 "${SRUN_PIDS[@]}" 2>/dev/null || break
    sleep 0.2
  done
  phase "$LAUNCHER exiting (exit_code=$status)"
  exit "$status"
}

# One step on one node; the clients of all steps are known by name.
start_node() {
  local name=$1 node=$2 role=$3
  srun --overlap --nodes=1 --ntasks=1 -w "$node" --open-mode=append -o "$LOG_DIR/$name.log" \
    python3 -m nemo_rl.distributed.node "$role" --logs "$LOG_DIR" --units "$GPUS_PER_NODE" &
  SRUN_PIDS[$name]=$!
}

check_srun_processes() {
  local name
  [[ ! -e $LOG_DIR/ENDED ]] || return 0
  for name in "${!SRUN_PIDS[@]}"; do
    if ! kill -0 "${SRUN_PIDS[$name]}" 2>/dev/null; then
      echo "[ERROR] Background srun '$name' died (pid=${SRUN_PIDS[$name]}). Could be a failure in" \
        "startup or an issue with the node preventing the srun to start. Attempting to exit." >&2
      exit 1
    fi
  done
}

bring_up() {
  local i
  phase "$LAUNCHER started (job=$SLURM_JOB_ID nodes=$SLURM_JOB_NUM_NODES)"
  trap leave EXIT
  trap 'exit 143' TERM
  mkdir -p "$LOG_DIR"
  # An attempt before a requeue has left these.
  rm -f "$LOG_DIR"/{ENDED,STARTED_RAY_HEAD,ray_head,ray_worker_units}
  export PYTHONPATH=$SLURM_SUBMIT_DIR PYTHONUNBUFFERED=1 OMP_NUM_THREADS=1
  export NRL_LOG_DIR=$LOG_DIR GPUS_PER_NODE
  mapfile -t NODES < <(scontrol show hostnames "$SLURM_JOB_NODELIST")

  srun --overlap --ntasks="$SLURM_JOB_NUM_NODES" --ntasks-per-node=1 \
    bash "$SLURM_SUBMIT_DIR/scripts/enter_image.sh" "$IMAGE"
  touch "$LOG_DIR/.shared_fs_canary"
  if ! srun --overlap --nodes=1 --ntasks=1 -w "${NODES[0]}" test -f "$LOG_DIR/.shared_fs_canary"
  then
    echo "[ERROR] $LOG_DIR/.shared_fs_canary not visible on the head node;" \
      "LOG_DIR must be on a shared filesystem." >&2
    exit 1
  fi

  start_node ray-head "${NODES[0]}" head
  for ((i = 1; i < SLURM_JOB_NUM_NODES; i++)); do
    start_node "ray-worker-$i" "${NODES[i]}" worker
  done
  while [[ ! -f $LOG_DIR/STARTED_RAY_HEAD ]]; do
    check_srun_processes
    echo "[INFO][$(date)] Waiting for head node container to start..."
    sleep 1
  done
  phase "Ray head GCS up (STARTED_RAY_HEAD observed)"
  connect_workers
}

connect_workers() {
  local online=0 deadline=$((SECONDS + NRL_CONNECT_MINUTES * 60))
  NUM_ACTORS=$((GPUS_PER_NODE * SLURM_JOB_NUM_NODES))
  while true; do
    online=$(cat "$LOG_DIR/ray_worker_units")
    echo "[INFO][$(date)] Number of actors online: $online/$NUM_ACTORS"
    ((online < NUM_ACTORS)) || break
    check_srun_processes
    if ((SECONDS >= deadline)); then
      echo "[ERROR] Timed out waiting for all workers to connect ($online/$NUM_ACTORS after" \
        "$NRL_CONNECT_MINUTES min)" >&2
      exit 1
    fi
    sleep 1
  done
  echo "[INFO][$(date)] All workers connected!"
}

# The driver, on the head's node: run_driver LOG COMMAND…, where no LOG means this job's own output.
run_driver() {
  local log=$1 driver status=0
  shift
  phase "head: cluster ready, launching driver"
  srun --overlap --nodes=1 --ntasks=1 -w "${NODES[0]}" ${log:+-o "$log"} "$@" &
  driver=$!
  while kill -0 "$driver" 2>/dev/null; do
    check_srun_processes
    sleep 0.5
  done
  wait "$driver" || status=$?
  if ((status)); then
    # A driver may fail because a node has gone, whose srun takes a while to notice: say so.
    sleep 1
    check_srun_processes
    for ((i = 0; i < 75 && $(cat "$LOG_DIR/ray_worker_units") < NUM_ACTORS; i++)); do
      sleep 0.2
      check_srun_processes
    done
  fi
  return "$status"
}

# The idle cluster: until somebody makes the file ENDED, or scancel.
stay_idle() {
  sleep "$NRL_ATTACH_DELAY" &
  while kill -0 $! 2>/dev/null; do
    check_srun_processes
    sleep 0.5
  done
  write_attach
  echo "[INFO]: Ray Cluster is idled, run this on the slurm head node to get a shell to the head node:"
  echo "     COMMAND='echo hello' bash $ATTACH    # run a non-interactive command on head node"
  echo "     bash $ATTACH    # to attach to head node (i.e., 'worker 0')"
  echo "     bash $ATTACH 1  # to attach to worker 1"
  while [[ ! -e $LOG_DIR/ENDED ]]; do
    check_srun_processes
    sleep 1
  done
  echo "Detected ENDED file, terminating..."
}

write_attach() {
  {
    printf 'JOB=%q\nNODES=(%s)\nWHERE=%q\nNRL_LOG_DIR=%q\nPYTHONPATH=%q\n' \
      "$SLURM_JOB_ID" "${NODES[*]}" "$SLURM_SUBMIT_DIR" "$LOG_DIR" "$PYTHONPATH"
    cat <<'ATTACH'
export NRL_LOG_DIR PYTHONPATH
# No args launches on the head node (node 0)
# Args 1-N launch on worker nodes (nodes 1 through N-1)
# Optional: set COMMAND='...' to run non-interactively instead of opening an interactive shell
WORKER_NUM=${1:-0}
if [[ ! $WORKER_NUM =~ ^[0-9]+$ ]] || ((WORKER_NUM >= ${#NODES[@]})); then
  echo "Error: WORKER_NUM must be between 1 and $((${#NODES[@]} - 1))"
  exit 1
fi
ON=(--overlap --jobid "$JOB" --nodes=1 --ntasks=1 -w "${NODES[WORKER_NUM]}" --chdir "$WHERE")
if [[ -n "${COMMAND:-}" ]]; then
  exec srun "${ON[@]}" bash -c "$COMMAND"
fi
exec srun "${ON[@]}" --pty bash
ATTACH
  } >"$ATTACH.part"
  chmod +x "$ATTACH.part"
  mv "$ATTACH.part" "$ATTACH"
}
