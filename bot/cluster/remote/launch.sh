# Starts a launcher once, or joins it, and reports. $1: nonce; $2: request; $3: attempt;
# $4: seconds to wait; then the texts of the attempt's files: $5 command, $6 env, $7 given,
# $8 options, $9 runner, ${10} sbatch shim; ${11}: the folder it runs in; then path and text of each
# further file that it needs.

set -f
sb_mark=$1 sb_wait=$4
sb_root=$HOME/.sbatchat/requests/$2
sb_started=$sb_root/started-$3
sb_new=$sb_root/$1
sb_lock=free

sb_problem() { # $1: what, $2: which
  sb_say problem "$@"
  [ "$1" != room ] || { sb_say free; df -Pk "$HOME" 2>/dev/null; }
  sb_report "$sb_root" "$sb_lock"
  sb_say end
  exit 0
}

# Says that the spool could not be written; unless who tried was killed (its status $1 is 137), which
# says nothing of the home: whoever comes next tries again.
sb_unwritten() {
  [ "$1" -eq 137 ] || sb_problem room
  sb_report "$sb_root" "$sb_lock"
  sb_say end
  exit 0
}

# Whether this attempt may begin: the first always; a later one only when the one before it has
# left no intent and, by the fence, never can: intent-1 is either its file or our folder.
sb_may_start() {
  [ "$1" -gt 1 ] || return 0
  [ -e "$sb_root/started-$(($1 - 1))" ] || return 1
  sb_line=
  read -r sb_line <"$sb_root/started-$(($1 - 1))"
  sb_before=$sb_root/${sb_line%% *}
  if [ -z "$sb_line" ]; then
    [ "$sb_lock" = free ]
    return
  fi
  [ -d "$sb_before/intent-1" ] && return 0
  [ ! -e "$sb_before/exit" ] || return 1
  mkdir "$sb_before/intent-1" 2>/dev/null
  [ -d "$sb_before/intent-1" ]
}

# Lays down files: path and text of each. Each appears whole or not at all.
sb_lay() {
  while [ $# -gt 1 ]; do
    (
      umask 077
      mkdir -p "${1%/*}" && printf '%s' "$2" >"$1.$sb_mark" && chmod 700 "$1.$sb_mark" &&
        mv -T "$1.$sb_mark" "$1"
    ) || {
      sb_status=$?
      rm -rf "$1.$sb_mark" "$sb_new"
      [ "$sb_status" -eq 137 ] || sb_problem files "$1"
      sb_unwritten 137
    }
    shift 2
  done
}

sb_start() {
  command -v setsid >/dev/null || sb_problem setsid
  sb_real=$(command -v sbatch) || sb_problem sbatch
  [ -d "${11}" ] && [ -x "${11}" ] || sb_problem cwd "${11}"
  (
    umask 077
    printf '%s' "$5" >"$sb_new/command" &&
      printf '%s' "$6" >"$sb_new/env" &&
      printf '%ssb_real=%s\n' "$7" "$sb_real" >"$sb_new/given" &&
      printf '%s' "$8" >"$sb_new/options" &&
      printf '%s' "$9" >"$sb_new/run" &&
      printf '%s' "${10}" >"$sb_new/bin/sbatch" &&
      chmod 700 "$sb_new/bin/sbatch"
  ) || {
    sb_status=$?
    rm -rf "$sb_new"
    sb_unwritten "$sb_status"
  }
  shift 11
  sb_lay "$@"
  sb_birth $$
  set -C
  { printf '%s\n' "$sb_mark $sb_host $sb_boot $$ $sb_born" >"$sb_started"; } 2>/dev/null
  set +C
  sb_line=
  read -r sb_line <"$sb_started"
  [ "${sb_line%% *}" = "$sb_mark" ] || return 0
  # The lock goes on to the runner and all it starts: there is no moment without it.
  (
    as_login
    exec setsid /bin/sh "$sb_new/run"
  ) </dev/null >/dev/null 2>&1 &
}

sb_wait_for_end() {
  read -r sb_line <"$sb_started" || return 0
  sb_exit=$sb_root/${sb_line%% *}/exit
  [ ! -e "$sb_exit" ] || return 0
  if [ "$sb_lock" = free ]; then
    sb_lock=held
    { flock -w "$sb_wait" 8 && sb_lock=free; } 8>>"$sb_root/lock"
    return 0
  fi
  sb_left=$((${sb_wait%.*} * 10 + 1))
  while [ ! -e "$sb_exit" ] && [ "$sb_left" -gt 0 ]; do
    sleep 0.1
    sb_left=$((sb_left - 1))
  done
}

# The folders that a start needs are made with the rest: each program takes a millisecond.
sb_bin=
[ -e "$sb_started" ] || sb_bin=$sb_new/bin
mkdir -p -m 700 "$HOME/.sbatchat" "${sb_root%/*}" "$sb_root" ${sb_bin:+"$sb_new" "$sb_bin"} ||
  sb_unwritten $?
command -v flock >/dev/null || sb_problem flock
command exec 9>>"$sb_root/lock" || sb_problem room
flock -E 75 -w "$sb_wait" 9
case $? in
  0) ;;
  75) sb_lock=held ;;
  *) sb_lock=none ;;
esac
if [ "$sb_lock" != held ]; then
  if [ ! -e "$sb_started" ] && sb_may_start "$3"; then sb_start "$@"; fi
  exec 9>&-
  [ ! -e "$sb_started" ] || sb_wait_for_end
fi
sb_report "$sb_root" "$sb_lock"
sb_say end
