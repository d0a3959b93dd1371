# Stands before the script of an errand: who runs it, how it marks its steps, and how it ends.

umask 077
sb_dir=${0%/run}
read -r sb_host </proc/sys/kernel/hostname
read -r sb_boot </proc/sys/kernel/random/boot_id
read -r sb_line <"/proc/$$/stat"
set -f -- ${sb_line##*) }
set +f
shift 19
printf '%s\n' "- $sb_host $sb_boot $$ $1" >"$sb_dir/runner.part" &&
  mv "$sb_dir/runner.part" "$sb_dir/runner" || exit 1
umask 022

sb_watch=
sb_finish() { # $1: status
  trap '' TERM INT HUP
  [ -z "$sb_watch" ] || kill "$sb_watch" 2>/dev/null
  rm -f "$sb_dir/grows"
  printf '%s\n' "$1" >"$sb_dir/exit.part" && mv "$sb_dir/exit.part" "$sb_dir/exit"
  # What the errand left running in the background holds the locks too: give them up for all.
  flock -u 9
  flock -u 8
  exit 0
}
sb_undo() { :; } # a script may set what takes its half-made things away
sb_stopped() {
  trap '' TERM INT HUP
  sb_undo
  sb_finish 143
}
trap sb_stopped TERM INT HUP

# A wish to stop that came to another login node.
(
  while sleep 5; do
    kill -0 $$ 2>/dev/null || exit 0
    [ ! -e "$sb_dir/stop" ] || kill -s TERM -- "-$$"
  done
) 8>&- 9>&- >/dev/null 2>&1 &
sb_watch=$!

sb_mark() { # words on one line
  printf '%s\n' "$*" | tr -d '\r' | tr '\n' ' ' >>"$sb_dir/marks"
  echo >>"$sb_dir/marks"
}
step() { # $1: name of the step that begins
  sb_mark step "$(date +%s)" "$1"
  # What is written from here is of this step.
  printf '\n== %s\n' "$1"
}
ok() { sb_mark done "$(date +%s)" "$@"; }
there() { sb_mark there "$(date +%s)" "$@"; }
kept() { sb_mark kept "$(date +%s)" "$@"; } # $1: why; then details
fact() { sb_mark fact "$@"; }               # $1: name; then its value
grows() { printf '%s %s\n' "$1" "$2" >"$sb_dir/grows"; } # $1: size to be; $2: file
fail() { # $1: what went wrong; then details
  sb_mark failed "$(date +%s)" "$@"
  sb_undo
  sb_finish 1
}
# Whether the path $1 lies below one of the roots $2, one a line, wherever links lead.
below() {
  sb_real=$(readlink -m -- "$1")
  while IFS= read -r sb_root; do
    sb_root=$(readlink -m -- "$sb_root")
    case $sb_real/ in "${sb_root%/}"/*) return 0 ;; esac
  done <<ROOTS
$2
ROOTS
  return 1
}

. "$sb_dir/args"
