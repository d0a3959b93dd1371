# Runs one command inside an interactive job, once, whoever asks and how often, and answers how it
# went. $1: nonce; $2: id of the act; $3: folder; $4: the script that leads into the job; $5: the
# command; $6: seconds it may take; $7: bytes of its output that are kept; $8: what runs it.

sb_root=$HOME/.sbatchat/inside
sb_dir=$sb_root/$2
sb_umask=$(umask)
umask 077
if ! mkdir -p "$sb_dir"; then
  printf 'room\037'
  exit 0
fi
find "$sb_root" -mindepth 1 -maxdepth 1 -type d -mtime +1 -exec rm -rf {} + 2>/dev/null
set -C
{ printf '%s\n' "$1" >"$sb_dir/started"; } 2>/dev/null
set +C
sb_line=
read -r sb_line <"$sb_dir/started"
if [ "$sb_line" = "$1" ]; then
  # Detached: a connection that is cut changes nothing.
  (
    as_login
    exec setsid /bin/sh -c "$8" inside "$sb_dir" "$3" "$4" "$5" "$6" "$7" "$sb_umask"
  ) </dev/null >/dev/null 2>&1 &
fi
sb_left=$((($6 + 15) * 10))
while [ ! -e "$sb_dir/status" ] && [ "$sb_left" -gt 0 ]; do
  sleep 0.1
  sb_left=$((sb_left - 1))
done
if [ -e "$sb_dir/status" ]; then
  read -r sb_line <"$sb_dir/status"
  printf 'ended\037%s\037' "$sb_line"
else
  printf 'lost\037\037'
fi
[ ! -e "$sb_dir/out" ] || cat "$sb_dir/out"
