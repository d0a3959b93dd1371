# Removes spools that nothing has touched for $1 days. $2…: requests whose spools stay.
# One whose lock is held stays too: something of its launch lives.

sb_days=$1
shift
sb_keep=" $* " sb_gone=0
cd "$HOME/.sbatchat/requests" 2>/dev/null || sb_keep=
[ -n "$sb_keep" ] || { printf '0\n' && exit 0; }
for sb_id in $(find . -mindepth 1 -maxdepth 1 -type d -mtime "+$sb_days" -name '[0-9A-Za-z]*' | head -n 1000); do
  sb_id=${sb_id#./}
  case $sb_keep in *" $sb_id "*) continue ;; esac
  (
    [ ! -e "$sb_id/lock" ] || { exec 9<"$sb_id/lock" && flock -n 9; } || exit 1
    rm -rf "./$sb_id"
  ) && sb_gone=$((sb_gone + 1))
done
printf '%s\n' "$sb_gone"
