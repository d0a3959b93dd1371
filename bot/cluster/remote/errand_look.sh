# Reports errands and changes nothing. $1: mark; then the errands.

sb_mark=$1
shift
for sb_id; do sb_errand "$sb_id"; done
sb_say end
