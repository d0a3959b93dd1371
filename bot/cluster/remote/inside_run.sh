# $1: where to leave output and status; $2: folder; $3: the script that leads into the job;
# $4: the command; $5: seconds; $6: bytes; $7: the login's umask, which the command inherits.

COMMAND=$4
export COMMAND
{
  # `timeout` makes a group of its own, so that all of it ends together, srun and its step too.
  { umask "$7" && cd "$2" && exec timeout -k 5 "$5" bash "$3"; } </dev/null 2>&1 &
  sb_began=$(date +%s)
  wait $!
  sb_status=$?
  sb_took=$(($(date +%s) - sb_began))
  # What is left of it goes, with a moment for srun to end its step.
  kill -s TERM -- -$! 2>/dev/null
  sb_left=50
  while kill -s 0 -- -$! 2>/dev/null && [ "$sb_left" -gt 0 ]; do
    sleep 0.1
    sb_left=$((sb_left - 1))
  done
  kill -s KILL -- -$! 2>/dev/null
  printf '%s %s\n' "$sb_status" "$sb_took" >"$1/status.part"
} | tail -c "$6" >"$1/out"
mv "$1/status.part" "$1/status"
