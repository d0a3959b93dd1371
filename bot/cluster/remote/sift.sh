# Shows the file that is open for reading on descriptor 3: a small one whole; of a large one the lines
# that hold one of $sb_words, and the last ones that hold one of $sb_steps, then its end. Such a line
# comes as `number part text`: its number, and which of its parts it is.
# $sb_mark parts the answer, $sb_whole is the size of a small file, $sb_most bounds what is shown of a
# large one (its first lines of each kind, and as much again of its last), $sb_end is how much of its
# end is shown as it is, $sb_until says when to stop; what was not reached then is looked at only
# $sb_near bytes from its end.

# Searches standard input for $2, for $1 seconds; each line comes as `mark:number:part:text`. One that
# is redrawn by carriage returns, such as a progress bar, can be as long as the file: its parts are
# looked at one by one. An overlong part is cut into pieces that overlap. $3: how many of the last
# parts are enough; 0 means all.
sb_search() {
  sb_ring=$3 sb_what=$2
  {
    (
      ulimit -v 400000 # a line has to fit
      if [ -n "$sb_timeout" ]; then set -- "$sb_timeout" "$1"; else set --; fi
      "$@" grep -a -n -H --label="$sb_mark" -E -i -e "$sb_what"
    )
    printf '%s:end:%s\n' "$sb_mark" $?
  } | tr '\r\000' '\n ' | awk -v mark="$sb_mark" -v ring="$sb_ring" '
    BEGIN { LONG = 3500; LAP = 1500; size = length(mark) }
    function show(head, text, at) {
      if (index(text, "\033")) gsub(/\033\[[0-9;:?]*[A-Za-z]/, "", text)
      if (ring && length(text) > LONG) text = substr(text, length(text) - LONG)
      if (length(text) <= LONG) { print head text; return }
      for (at = 1; at <= length(text); at += LONG - LAP) print head substr(text, at, LONG)
    }
    {
      part++
      text = $0
      if (substr($0, 1, size) == mark) {
        head = substr($0, 1, size + 1 + index(substr($0, size + 2, 24), ":"))
        text = substr($0, length(head) + 1)
        part = 0
      }
      if (!ring) { show(head part ":", text); next }
      at = NR % ring
      heads[at] = head
      parts[at] = part
      texts[at] = text
    }
    END {
      for (at = NR + 1; ring && at <= NR + ring; at++)
        if (at % ring in texts) show(heads[at % ring] parts[at % ring] ":", texts[at % ring])
    }' | grep -a -E -i -e "$sb_what" -e "^$sb_mark:end:"
}

# Keeps of each kind of line (what differs in its numbers is of one kind) the first and the last
# ones; where they are too many, fewer of the last of each. $1: 1 where the numbers of the lines are
# not known. Returns the status of the search.
sb_bounded() {
  awk -v mark="$sb_mark" -v most="$sb_most" -v blind="$1" '
    BEGIN { FIRST = 64; last = 2048; KINDS = 1024; size = length(mark) + 2 }
    function forget(kind) {
      held -= length(kept[kind, ++low[kind]])
      delete kept[kind, low[kind]]
      left++
    }
    {
      split(substr($0, size, 48), place, ":")
      text = substr($0, size + length(place[1]) + length(place[2]) + 2)
      if (place[1] == "end") { status = text; next }
      line = (blind ? 0 " " NR : place[1] " " place[2]) " " text
      kind = substr(text, 1, 60)
      gsub(/[0-9]+/, "", kind)
      if (!(kind in seen) && ++kinds > KINDS) kind = ""
      if (++seen[kind] <= FIRST && out < most) { out += length(line); print line; next }
      kept[kind, ++high[kind]] = line
      held += length(line)
      if (high[kind] - low[kind] > last) forget(kind)
      while (held > most && last > 1) {
        last = int(last / 2)
        for (some in high) while (high[some] - low[some] > last) forget(some)
      }
    }
    END {
      for (some in high) for (at = low[some] + 1; at <= high[some]; at++) print kept[some, at]
      print mark " " status + 0 " " left + 0 " " blind
      exit status
    }'
}

sb_size=$(stat -L -c %s /proc/self/fd/3)
if [ "$sb_size" -le "$sb_whole" ]; then
  printf 'whole\n'
  head -c "$sb_size" <&3
  exit 0
fi
printf 'lines\n'
sb_timeout=$(command -v timeout)
sb_status=124
if sb_left=$((sb_until - $(date +%s))) && [ "$sb_left" -gt 0 ]; then
  sb_search "$sb_left" "$sb_words" 0 <&3 | sb_bounded 0
  sb_status=$?
fi
if sb_left=$((sb_until - $(date +%s))) && [ "$sb_left" -gt 0 ] && [ "$sb_status" -lt 2 ]; then
  sb_search "$sb_left" "$sb_steps" 64 </proc/self/fd/3 | sb_bounded 0
  sb_status=$?
elif [ "$sb_status" -lt 2 ]; then
  sb_status=124
fi
sb_both="$sb_words
$sb_steps"
case $sb_status in
  0 | 1) ;;
  2) # a line that is too long
    tr '\r' '\n' </proc/self/fd/3 | fold -b -w 1000000 | sb_search "$((sb_left + 5))" "$sb_both" 0 |
      sb_bounded 1
    ;;
  *) tail -c "$sb_near" </proc/self/fd/3 | sb_search 5 "$sb_both" 0 | sb_bounded 1 ;;
esac
printf '%s end\n' "$sb_mark"
tail -c "$sb_end" </proc/self/fd/3
