# Says what a launcher takes. $1: its folder; $2: its file there; $3: the stamp that is known; $4:
# seconds it may take; then the command that makes it say so.

sb_end() { # $1: verdict
  printf '%s\035%s\035' "$sb_stamp" "$1"
}

sb_folder=$1 sb_file=$2 sb_known=$3 sb_seconds=$4 sb_stamp=
shift 4
cd -- "$sb_folder" 2>/dev/null && [ -f "$sb_file" ] || {
  sb_end missing
  exit 0
}
sb_stamp="$(git rev-parse HEAD 2>/dev/null) $(stat -L -c '%.9Y %s' -- "$sb_file") $PWD $*"
if [ "$sb_stamp" = "$sb_known" ]; then
  sb_end same
  exit 0
fi
sb_kept=$HOME/.sbatchat/manuals/${sb_file##*/}
sb_line=
{ IFS= read -r sb_line <"$sb_kept"; } 2>/dev/null
if [ "$sb_line" = "$sb_stamp" ]; then
  sb_end ok
  tail -n +2 "$sb_kept"
  exit 0
fi
umask 077
sb_new=$(mktemp) || exit
export COLUMNS=512 NO_COLOR=1 TERM=dumb
if (
  as_login
  exec timeout -k 5 "$sb_seconds" "$@"
) </dev/null >"$sb_new" 2>"$sb_new.err"; then
  sb_end ok
  head -c 65536 "$sb_new"
  # A home without room keeps nothing, and is asked again the next time.
  mkdir -p -m 700 "$HOME/.sbatchat" "${sb_kept%/*}" &&
    { printf '%s\n' "$sb_stamp" && head -c 65536 "$sb_new"; } >"$sb_kept.$$" &&
    mv -f "$sb_kept.$$" "$sb_kept" || rm -f "$sb_kept.$$"
else
  sb_end failed
  tail -c 4096 "$sb_new.err"
fi 2>/dev/null
rm -f "$sb_new" "$sb_new.err"
