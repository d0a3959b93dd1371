# Removes spools of requests and errands that nothing has touched for $1 days. $2…: those that stay.
# One whose lock is held stays too: something of it lives.

sb_days=$1
shift
sb_keep=" $* "
sb_sweep() { # in a folder of spools; says each that it removed
  find . -mindepth 1 -maxdepth 1 -type d -mtime "+$sb_days" -name '[0-9A-Za-z]*' | head -n 1000 |
    while IFS= read -r sb_id; do
      sb_id=${sb_id#./}
      case $sb_keep in *" $sb_id "*) continue ;; esac
      (
        [ ! -e "$sb_id/lock" ] || { exec 9<"$sb_id/lock" && flock -n 9; } || exit 1
        rm -rf "./$sb_id"
      ) && echo "$sb_id"
    done
}
for sb_kind in requests errands; do
  if cd "$HOME/.sbatchat/$sb_kind" 2>/dev/null; then sb_sweep; fi
done | wc -l
