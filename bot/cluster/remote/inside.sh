# Opens $1 for reading on descriptor 3 if it lies below one of the roots $2, one a line; otherwise
# says why not and ends. What is judged is what was opened, wherever links or renames led.

sb_not() {
  printf '%s\n' "$1"
  exit 0
}

[ -e "$1" ] || {
  # Nothing there, or a folder on the way that is closed to us?
  sb_up=${1%/*}
  while [ -n "$sb_up" ] && [ ! -e "$sb_up" ]; do sb_up=${sb_up%/*}; done
  [ -x "${sb_up:-/}" ] || sb_not forbidden
  sb_not missing
}
[ -f "$1" ] || sb_not odd
[ -r "$1" ] || sb_not forbidden
command exec 3<"$1" || sb_not missing
sb_real=$(readlink /proc/self/fd/3)
sb_in=
while IFS= read -r sb_root; do
  sb_root=$(readlink -f -- "$sb_root") || continue
  case $sb_real in "${sb_root%/}"/*) sb_in=1 ;; esac
done <<ROOTS
$2
ROOTS
[ -n "$sb_in" ] || sb_not outside
printf 'ok\n%s\n%s\000' "$(stat -L -c '%s %i %Y' /proc/self/fd/3)" "$sb_real"
