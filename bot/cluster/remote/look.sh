# Reports spools without touching them. $1: nonce; then the requests.

sb_mark=$1
shift
for sb_id; do
  sb_root=$HOME/.sbatchat/requests/$sb_id
  if [ -e "$sb_root/lock" ]; then
    sb_lock=held
    { flock -E 75 -n 9; } 9>>"$sb_root/lock"
    case $? in
      0) sb_lock=free ;;
      75) ;;
      *) sb_lock=none ;;
    esac
    sb_report "$sb_root" "$sb_lock"
  fi
done
sb_say end
