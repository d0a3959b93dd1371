# Looks for the scripts that lead into interactive jobs, and at the ends of what these write while
# they come up. $1: roots joined by newlines; $2: bytes of each log; then for each job: its id, the
# folder it was submitted from, and the second since 1970 before which nothing counts.

sb_roots=$1 sb_bytes=$2
shift 2

# Whether $1 is a readable file of now ($2) below the roots; sb_real is where it really lies.
sb_counts() {
  sb_real=$(readlink -f -- "$1") || return 1
  [ -f "$sb_real" ] && [ -r "$sb_real" ] && [ -s "$sb_real" ] || return 1
  [ "$(stat -c %Y -- "$sb_real")" -ge "$2" ] || return 1
  while IFS= read -r sb_root; do
    sb_root=$(readlink -f -- "$sb_root") || continue
    case $sb_real in "${sb_root%/}"/*) return 0 ;; esac
  done <<ROOTS
$sb_roots
ROOTS
  return 1
}

while [ $# -gt 2 ]; do
  sb_id=$1 sb_folder=$2 sb_since=$3
  shift 3
  printf '%s\037' "$sb_id"
  for sb_door in "$sb_folder/$sb_id/attach.sh" "$sb_folder/$sb_id-attach.sh"; do
    sb_counts "$sb_door" "$sb_since" || continue
    # What somebody else put there, or everybody may write to, is run by nobody.
    [ -O "$sb_real" ] && [ -z "$(find "$sb_real" -prune -perm -002)" ] || continue
    # One that is still being written does not count.
    bash -n "$sb_real" 2>/dev/null || continue
    printf '%s' "$sb_door"
    break
  done
  for sb_log in "$sb_folder/$sb_id/nemo_rl_output.log" "$sb_folder/slurm-$sb_id.out" \
    "$sb_folder/$sb_id"/ray[-_]logs/*.log "$sb_folder/$sb_id"-logs/ray-*.log \
    "$sb_folder/$sb_id"-*-logs/ray-*.log; do
    sb_counts "$sb_log" "$sb_since" || continue
    printf '\037'
    tail -c "$sb_bytes" -- "$sb_real" | tr -d '\034-\037'
  done
  printf '\036'
done
