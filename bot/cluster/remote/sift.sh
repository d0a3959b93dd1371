# Shows the file that is open for reading on descriptor 3: a small one whole; of a large one the lines
# that hold one of $sb_words, and the last ones that hold one of $sb_steps, then its end. Such a line
# comes as `number:text`, or `number.part:text` where it is redrawn by carriage returns.
# $sb_mark parts the answer, $sb_whole is the size of a small file, $sb_most bounds what is shown of a
# large one (its first lines of each kind, and as much again of its last), $sb_end is how much of its
# end is shown as it is, $sb_until says when to stop; what was not reached then is looked at only
# $sb_near bytes from its end, while $sb_patience seconds last.

# Says it as far as its size was known, so that one that grows has an end as well: `plain`, its `last`
# lines alone, all of it in lines that fit into memory (`flat`), or so only what is `near` its end.
# A line of ours follows, whose number tells how many there were.
sb_said() {
  case $1 in
    plain) head -c "$sb_size" ;;
    last) tail -c "+$((sb_size - sb_near + 1))" | head -c "$sb_near" | tail -n +2 ;;
    flat) head -c "$sb_size" | tr '\r' '\n' | fold -b -w 1000000 ;;
    near) tail -c "$sb_near" | tr '\r' '\n' | fold -b -w 1000000 ;;
  esac </proc/self/fd/3
  printf '\n%s\n' "$sb_mark"
}

# Searches standard input for $2, for $1 seconds; each line comes as `mark:place:text`, and at last
# `mark:end:status`. A line redrawn by carriage returns, such as a progress bar, can be as long as the
# file: its parts are looked at one by one. An overlong one is cut into pieces that overlap (by fold
# before, as awk can take more than linear time to read a line). $3: how many of the last ones are
# enough; 0 means all.
sb_search() {
  {
    (
      ulimit -v 400000 # a line has to fit
      timeout "$1" grep -a -n -H --label="$sb_mark" -E -i -e "$2" -e "^$sb_mark\$"
    )
    printf '%s:end:%s\n' "$sb_mark" $?
  } | tr '\r\000' '\n ' | fold -b -w 1000000 | awk -v mark="$sb_mark:" -v ring="$3" '
    BEGIN { LONG = 3500; LAP = 1500; size = length(mark) }
    function show(first, part, text, place, at) {
      if (!part && length(text) <= LONG && !index(text, "\033")) {
        print text
        return
      }
      place = substr(first, 1, size - 1 + index(substr(first, size + 1, 24), ":"))
      if (!part) text = substr(text, length(place) + 2)
      else place = place "." part
      if (index(text, "\033")) gsub(/\033\[[0-9;:?]*[A-Za-z]/, "", text)
      if (ring && length(text) > LONG) text = substr(text, length(text) - LONG + 1)
      if (length(text) <= LONG) print place ":" text
      else for (at = 1; at <= length(text); at += LONG - LAP) print place ":" substr(text, at, LONG)
    }
    {
      if (substr($0, 1, size) == mark) {
        first = $0
        part = 0
      } else part++
      if (ring) {
        at = NR % ring
        firsts[at] = first
        parts[at] = part
        texts[at] = $0
      } else show(first, part, $0)
    }
    END {
      for (at = NR + 1; ring && at <= NR + ring; at++)
        if (at % ring in texts) show(firsts[at % ring], parts[at % ring], texts[at % ring])
    }' | grep -a -E -i -e "$2" -e "^$sb_mark:end:" -e ":$sb_mark\$"
}

# Keeps of each kind of line (what differs in its numbers is of one kind) the first and the last
# ones; where they are too many, fewer of the last of each. Says at last how the search ended, how
# many lines were left out, $1, and the number of the line that followed. Returns 0, 1 where hardly
# any were found, or the status of a search that did not end.
sb_bounded() {
  awk -v mark="$sb_mark" -v most="$sb_most" -v how="$1" '
    BEGIN { FIRST = 64; FEW = 16; RING = last = 2048; KINDS = 1024; size = length(mark) + 2 }
    function slot(kind, nth) { return kind * RING + (nth + RING) % RING }
    function drop(at) {
      if (!(at in kept)) return
      held -= length(kept[at])
      delete kept[at]
      left++
    }
    {
      if (substr($0, size, 4) == "end:") {
        status = substr($0, size + 4) + 0
        next
      }
      look = substr($0, size + index(substr($0, size, 24), ":"), 60)
      if (look == mark) {
        total = substr($0, size) + 0
        next
      }
      found++
      gsub(/[0-9]+/, "", look)
      if (!(look in kinds)) kinds[look] = known < KINDS ? ++known : 0
      kind = kinds[look]
      if (!kind) delete kinds[look]
      if (++seen[kind] <= FIRST && out < most) {
        out += length($0)
        print substr($0, size)
        next
      }
      nth = ++count[kind]
      drop(slot(kind, nth - last))
      kept[slot(kind, nth)] = $0
      held += length($0)
      while (held > most && last > 1) {
        half = int(last / 2)
        for (some in count)
          for (nth = count[some] - last + 1; nth <= count[some] - half; nth++) drop(slot(some, nth))
        last = half
      }
    }
    END {
      for (some in count)
        for (nth = count[some] - last + 1; nth <= count[some]; nth++)
          if (slot(some, nth) in kept) print substr(kept[slot(some, nth)], size)
      print mark ":" status ":" left + 0 ":" how ":" total + 0
      exit (status ? status : found < FEW)
    }'
}

# Looks in what is said $1 for $2, the last $3 lines of it being enough, two of ours among them.
sb_look() {
  sb_left=$((sb_until - $(date +%s)))
  [ "$1" != near ] || sb_left=$((sb_left + sb_patience))
  [ "$sb_left" -gt 0 ] || return 124
  sb_said "$1" | sb_search "$sb_left" "$2" "$3" | sb_bounded "$1"
}

# Looks for both kinds of lines in what is said $1; returns 0, 2 at a line that does not fit into
# memory, more for a want of time.
sb_both() {
  sb_look "$1" "$sb_words" 0
  sb_status=$?
  [ "$sb_status" -le 1 ] || return "$sb_status"
  # Most of a log can be steps: its last lines tell of enough of them, unless there are few.
  if [ "$1" = plain ] && [ "$sb_size" -gt "$sb_near" ]; then sb_look last "$sb_steps" 66 && return; fi
  sb_look "$1" "$sb_steps" 66
}

sb_size=$(stat -L -c %s /proc/self/fd/3)
if [ "$sb_size" -le "$sb_whole" ]; then
  printf 'whole\n'
  head -c "$sb_size" <&3
  exit 0
fi
printf 'lines\n'
sb_both plain
sb_status=$?
if [ "$sb_status" -eq 2 ]; then
  sb_both flat
  sb_status=$?
fi
[ "$sb_status" -le 1 ] || sb_both near
printf '%s end\n' "$sb_mark"
tail -c "$sb_end" </proc/self/fd/3
