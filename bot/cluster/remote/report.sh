# Prints what spools say. Parts begin with the nonce in $sb_mark, so that their text may hold
# anything. Every variable is named sb_…, since assigning to an exported one would change what a
# launched job inherits.

sb_host= sb_boot=
read -r sb_host </proc/sys/kernel/hostname
read -r sb_boot </proc/sys/kernel/random/boot_id

sb_say() { printf '\n%s %s\n' "$sb_mark" "$*"; }

# Sets sb_born to the start time of process $1; empty when it is gone or a zombie.
sb_birth() {
  sb_born=
  { read -r sb_born <"/proc/$1/stat"; } 2>/dev/null || return 0
  set -f -- ${sb_born##*) }
  case $1 in Z | X) sb_born= ;; *) shift 19 && sb_born=$1 ;; esac
}

# Says $1 (starter, runner): the process in $2…, and the birth of what has its number now.
sb_process() {
  sb_born=-
  if [ "$3" = "$sb_host" ] && [ "$4" = "$sb_boot" ]; then sb_birth "$5"; fi
  sb_say "$1" "$3" "$4" "$5" "$6" "${sb_born:-gone}"
}

# Says $1 with the end of a file that may be of any size, lines included.
sb_tail() {
  [ -s "$2" ] || return 0
  sb_say "$1"
  tail -c 65536 "$2"
}

# Says $1 with what sbatch answered: a few lines, as a rule, which need no program.
sb_answer() {
  [ -s "$2" ] || return 0
  sb_say "$1"
  sb_text= sb_k=0
  while IFS= read -r sb_line && [ "$sb_k" -lt 4 ]; do
    sb_text="$sb_text$sb_line
" sb_k=$((sb_k + 1))
  done <"$2"
  if [ "$sb_k" -lt 4 ]; then
    printf '%s%s' "$sb_text" "$sb_line"
  else
    tail -c 65536 "$2"
  fi
}

sb_report() { # $1: a request's folder, $2: held, free or none
  sb_say spool "${1##*/}" "$2" "$sb_host" "$sb_boot"
  sb_n=1
  while [ -e "$1/started-$sb_n" ]; do
    sb_line=
    read -r sb_line <"$1/started-$sb_n"
    sb_run "$1/${sb_line%% *}" "$sb_n" "$sb_line"
    sb_n=$((sb_n + 1))
  done
}

sb_run() { # $1: an attempt's folder, $2: its number, $3: what its starter wrote
  sb_say run "$2"
  [ -n "$3" ] || return 0
  set -f
  sb_process starter $3
  if [ -s "$1/runner" ]; then
    read -r sb_line <"$1/runner"
    sb_process runner $sb_line
  fi
  if [ -s "$1/exit" ]; then
    read -r sb_line <"$1/exit"
    sb_say exit "$sb_line"
  fi
  sb_i=1
  while [ -e "$1/intent-$sb_i" ]; do
    sb_call "$1" "$sb_i"
    sb_i=$((sb_i + 1))
  done
  sb_tail out "$1/out"
  sb_tail err "$1/err"
}

sb_call() { # $1: an attempt's folder, $2: number of the call
  if [ -d "$1/intent-$2" ]; then
    sb_say fence
    return 0
  fi
  sb_say intent "$2"
  while IFS= read -r sb_line || [ -n "$sb_line" ]; do printf '%s\n' "$sb_line"; done <"$1/intent-$2"
  if [ -s "$1/receipt-$2" ]; then
    read -r sb_line <"$1/receipt-$2"
    sb_say receipt "$sb_line"
  fi
  sb_answer answer "$1/$2.out"
  sb_answer errors "$1/$2.err"
}
