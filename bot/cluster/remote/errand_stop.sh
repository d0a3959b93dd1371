# Stops errands: the whole process group of each, on whatever login node it runs. $1: mark; then
# the errands.

sb_stop() { # $1: an errand
  sb_root=$sb_errands/$1
  mkdir -p -m 700 "$HOME/.sbatchat" "$sb_errands" "$sb_root" && : >"$sb_root/stop" || return 0
  : >>"$sb_root/lock"
  [ ! -s "$sb_root/exit" ] || return 0
  [ -s "$sb_root/runner" ] || return 0
  read -r sb_line <"$sb_root/runner"
  set -f
  set -- $sb_line
  # One that runs on another login node sees the mark by itself.
  [ "$2" = "$sb_host" ] && [ "$3" = "$sb_boot" ] || return 0
  sb_group=$4 sb_began=$5
  sb_birth "$sb_group"
  [ "$sb_born" = "$sb_began" ] || return 0
  kill -s TERM -- "-$sb_group" 2>/dev/null
  { flock -w 5 7; } 7>>"$sb_root/lock" && return 0
  kill -s KILL -- "-$sb_group" 2>/dev/null
  { flock -w 2 7; } 7>>"$sb_root/lock"
}

sb_mark=$1
shift
for sb_id; do
  sb_stop "$sb_id"
  sb_errand "$sb_id"
done
sb_say end
