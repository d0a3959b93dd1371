# Starts an errand unless it has begun, and reports it. $1: mark; $2: errand; $3: name of what it
# makes; $4: text of its script; $5: its arguments, as a shell line.

sb_mark=$1
sb_root=$sb_errands/$2
sb_targets=$HOME/.sbatchat/targets

sb_end() { # $1: what stands in the way, if anything
  [ -z "$1" ] || sb_say problem "$@"
  exec 8>&- 9>&-
  sb_errand "${sb_root##*/}"
  sb_say end
  exit 0
}

mkdir -p -m 700 "$HOME/.sbatchat" "$sb_errands" "$sb_root" "$sb_targets" || sb_end room
command -v flock >/dev/null || sb_end flock
command -v setsid >/dev/null || sb_end setsid
command exec 9>>"$sb_root/lock" || sb_end room
# A look at the same moment holds the lock for an instant.
flock -E 75 -w 1 9
case $? in
  0) ;;
  75) sb_end ;;
  *)
    # No locks here: whoever makes the mark starts it, within a minute.
    [ -z "$(find "$sb_root/begun" -mmin +1 2>/dev/null)" ] || rm -f "$sb_root/begun"
    set -C
    { true >"$sb_root/begun"; } 2>/dev/null || sb_end
    set +C
    ;;
esac
# Whoever came before and left no runner behind was cut off before it began.
if [ -s "$sb_root/runner" ] || [ -e "$sb_root/stop" ]; then sb_end; fi
command exec 8>>"$sb_targets/$3.lock" || sb_end room
flock -E 75 -n 8
if [ $? -eq 75 ]; then
  sb_line=
  read -r sb_line <"$sb_targets/$3"
  sb_end busy "$sb_line"
fi
(
  umask 077
  printf '%s\n' "$2" >"$sb_targets/$3" &&
    printf '%s' "$4" >"$sb_root/run" &&
    printf '%s' "$5" >"$sb_root/args"
) || sb_end room
# The locks go on to the runner and all it starts: there is no moment without them.
(
  as_login
  exec setsid /bin/sh "$sb_root/run"
) </dev/null >>"$sb_root/out" 2>&1 &
sb_left=50
while [ ! -s "$sb_root/runner" ] && [ "$sb_left" -gt 0 ]; do
  sleep 0.1
  sb_left=$((sb_left - 1))
done
sb_end
