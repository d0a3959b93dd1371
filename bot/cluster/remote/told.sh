# What each look at a login node shares. $1: mark; each part of the answer begins with it.

sb_mark=$1
shift
sb_part() { printf '\n%s %s\n' "$sb_mark" "$*"; }
sb_told() { # $1: name; then a command: its output and its status
  sb_part "$1"
  shift
  ("$@") 2>&1
  sb_part status $?
}

# Runs a command for at most $1 seconds.
sb_limited() {
  sb_seconds=$1
  shift
  if command -v timeout >/dev/null; then timeout -k 2 "$sb_seconds" "$@"; else "$@"; fi
}

# Sets sb_path to the path $1, whose first part may stand for the home.
sb_at_home() {
  case $1 in
    '~' | '~/'*) sb_path=$HOME${1#'~'} ;;
    '$HOME' | '$HOME/'*) sb_path=$HOME${1#'$HOME'} ;;
    *) sb_path=$1 ;;
  esac
}
