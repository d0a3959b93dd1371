# Says how errands are. Expects report.sh before it.

sb_errands=$HOME/.sbatchat/errands

sb_errand() { # $1: an errand
  sb_root=$sb_errands/$1
  if [ ! -e "$sb_root/lock" ]; then
    sb_say errand "$1" none
    return 0
  fi
  # The lock before the exit: it is given up only after the exit was written.
  sb_lock=held
  { flock -E 75 -n 7; } 7>>"$sb_root/lock"
  case $? in
    0) sb_lock=free ;;
    75) ;;
    *) sb_lock=unknown ;;
  esac
  sb_say errand "$1" "$sb_lock"
  if [ -s "$sb_root/runner" ]; then
    read -r sb_line <"$sb_root/runner"
    set -f
    sb_process runner $sb_line
  fi
  [ ! -e "$sb_root/stop" ] || sb_say stop
  # The exit before the marks: whoever is seen to have ended has written the last of them.
  if [ -s "$sb_root/exit" ]; then
    read -r sb_line <"$sb_root/exit"
    sb_say exit "$sb_line"
  elif [ -s "$sb_root/grows" ]; then
    sb_growth "$sb_root/grows"
  fi
  sb_tail marks "$sb_root/marks"
  if [ -s "$sb_root/out" ]; then
    sb_say out
    tail -c 8192 "$sb_root/out"
  fi
}

# Says how large a file is that is being written; gcloud writes beside it first.
sb_growth() { # $1: names its whole size and the file
  read -r sb_total sb_file <"$1" || return 0
  sb_size=0
  for sb_one in "$sb_file" "${sb_file}_.gstmp"; do
    # Blocks, not length: what is written in slices is as long as it will be from the start.
    sb_line=$(stat -L -c '%b %B %s' "$sb_one" 2>/dev/null) || continue
    set -- $sb_line
    sb_had=$(($1 * $2))
    [ "$sb_had" -le "$3" ] || sb_had=$3
    [ "$sb_had" -le "$sb_size" ] || sb_size=$sb_had
  done
  sb_say growth "$sb_size" "$sb_total"
}
