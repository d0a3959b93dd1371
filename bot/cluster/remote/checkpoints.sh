# Finds a job's checkpoints. $1: roots joined by newlines; $2: the job's folder; $3: its training's
# log, or nothing; then the folders to look through, each with how deep.
# Answers records that end with 036: F folder, for one that is there; L folder number, what Megatron
# wrote last; C time kind kilobytes path, for each file or folder that is named like a checkpoint.

sb_roots=$1 sb_work=$2 sb_log=$3
shift 3

sb_inside() {
  while IFS= read -r sb_root; do
    sb_root=$(readlink -f -- "$sb_root") || continue
    case $1 in "${sb_root%/}" | "${sb_root%/}"/*) return 0 ;; esac
  done <<ROOTS
$sb_roots
ROOTS
  return 1
}

sb_look() {
  sb_real=$(readlink -f -- "$1") || return 0
  [ -d "$sb_real" ] && sb_inside "$sb_real" || return 0
  printf 'F\037%s\036' "$sb_real"
  find "$sb_real" -mindepth 1 -maxdepth "$2" ! -path '*[[:cntrl:]]*' \( -name 'step_[0-9]*' -o -name 'tmp_step_[0-9]*' -o -name 'iter_[0-9]*' \
    -o -path '*/checkpoints/*step=[0-9]*' -o -name latest_checkpointed_iteration.txt \) \
    -prune -printf '%T@ %y %p\n' 2>/dev/null | sort -rn | head -n 60 |
    while IFS=' ' read -r sb_when sb_kind sb_path; do
      case $sb_path in
        */latest_checkpointed_iteration.txt)
          printf 'L\037%s\037%s\036' "${sb_path%/*}" "$(head -c 20 -- "$sb_path" | tr -cd 0-9)" ;;
        *)
          printf 'C\037%s\037%s\037%s\037%s\036' "${sb_when%.*}" "$sb_kind" \
            "$(timeout 10 du -sk -- "$sb_path" 2>/dev/null | cut -f 1)" "$sb_path" ;;
      esac
    done
}

# Where the training itself says that it saves, which may be anywhere.
sb_told() {
  sb_file=$(readlink -f -- "$1") || return 0
  [ -f "$sb_file" ] && [ -r "$sb_file" ] && sb_inside "$sb_file" || return 0
  head -c 1048576 -- "$sb_file" |
    sed -n 's/^.*Using checkpoint directory: *\([^ ].*\)$/\1/p' | head -n 1
  tail -c 8388608 -- "$sb_file" | sed -n "s/^.*saving model to '\([^']*\)\/[^']*'.*\$/\1/p;
    s/^.*saved checkpoint from iteration *[0-9]* to \([^ ]*\).*\$/\1/p" | tail -n 1
}

while [ $# -gt 1 ]; do
  sb_look "$1" "$2"
  shift 2
done
if [ -n "$sb_log" ]; then
  sb_told "$sb_log" | while IFS= read -r sb_folder; do
    case $sb_folder in /*) ;; *) sb_folder=$sb_work/$sb_folder ;; esac
    sb_look "$sb_folder" 1
  done
fi
