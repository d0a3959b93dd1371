#!/bin/sh
# Stands in for sbatch while a launcher runs: signs each job with the request's comment, and keeps
# an intent before and a receipt after each call, so that no answer can be lost unnoticed.
# Variables are named sb_…, so that none that the job inherits is changed.

sb_dir=${0%/bin/sbatch}
. "$sb_dir/given" # sb_sign, sb_real

sb_flags='contiguous exclusive get-user-env help hold ignore-pbs nice no-kill no-requeue
overcommit oversubscribe parsable propagate quiet reboot requeue share spread-job stepmgr test-only
usage use-min-nodes verbose version wait'
sb_comment= sb_name= sb_script= sb_pass= sb_wrap= sb_want= sb_done= sb_in= sb_hush= sb_waits= sb_after=

# Hands on a file: one line, as a rule, which needs no program.
sb_hand_on() {
  { IFS= read -r sb_line && ! IFS= read -r sb_more && [ -z "$sb_more" ]; } <"$1" &&
    printf '%s\n' "$sb_line" && return
  cat "$1"
}

sb_refuse() {
  printf 'sbatch: error: %s; nothing was submitted\n' "$1" >&2
  exit 1
}

# Whether the long option $1 takes no value of its own; getopt allows it to be cut short.
sb_flag() {
  for sb_word in $sb_flags; do
    case --$sb_word in "$1"*) return 0 ;; esac
  done
  return 1
}

sb_long() { # $1: a long option; sets sb_arg, sb_want
  case $1 in
    --com*=*)
      sb_comment=${1#*=}
      sb_arg="--comment=$sb_sign $sb_comment"
      ;;
    --com*) sb_want=comment ;;
    --dep*=*) sb_waits=${1#*=} ;;
    --dep*) sb_want=waits ;;
    --job*=*) sb_name=${1#*=} ;;
    --job*) sb_want=name ;;
    --wr*=*) sb_wrap=1 ;;
    --wr*) sb_wrap=1 sb_want=value ;;
    --*=*) ;;
    --qu*) sb_hush=1 sb_arg=- ;;
    --te* | --he* | --us*ge | --vers*) sb_pass=1 ;;
    *) sb_flag "$1" || sb_want=value ;;
  esac
}

sb_short() { # $1: a cluster of short options, such as -vN2; sets sb_want
  sb_rest=${1#-}
  while [ -n "$sb_rest" ]; do
    sb_letter=${sb_rest%"${sb_rest#?}"}
    sb_rest=${sb_rest#?}
    case $sb_letter in
      h | u | V) sb_pass=1 ;;
      Q) sb_hush=1 sb_arg=${sb_arg%%Q*}${sb_arg#*Q} ;;
      H | O | v | W) ;;
      k | s) return 0 ;; # what follows in the same word, if anything, is its value
      d) if [ -n "$sb_rest" ]; then sb_waits=${sb_rest#=}; else sb_want=waits; fi && return 0 ;;
      J) if [ -n "$sb_rest" ]; then sb_name=$sb_rest; else sb_want=name; fi && return 0 ;;
      *) [ -n "$sb_rest" ] || sb_want=value && return 0 ;;
    esac
  done
}

sb_option() { # $1: the next word before the script; sets sb_arg, sb_want, sb_done, sb_script
  sb_arg=$1
  case $sb_want in
    comment) sb_comment=$1 sb_arg="$sb_sign $1" ;;
    name) sb_name=$1 ;;
    waits) sb_waits=$1 ;;
  esac
  if [ -n "$sb_want" ]; then
    sb_want=
    return 0
  fi
  case $1 in
    --) sb_done=1 ;;
    --*) sb_long "$1" ;;
    -?*) sb_short "$1" ;;
    *) sb_done=1 sb_script=$1 ;;
  esac
}

# Sets sb_text to the value that follows option $1 in the #SBATCH line $2, and fails without one.
sb_value() {
  sb_text=${2#*"$1"}
  case $2 in *"#SBATCH"*[[:blank:]]"$1"*) ;; *) return 1 ;; esac
  case ${2%%"$1"*} in *[[:blank:]]'#'*) return 1 ;; esac
  sb_text=${sb_text#=}
  sb_text=${sb_text#"${sb_text%%[![:blank:]]*}"}
  case $sb_text in
    \"*) sb_text=${sb_text#?} sb_text=${sb_text%%\"*} ;;
    \'*) sb_text=${sb_text#?} sb_text=${sb_text%%\'*} ;;
    *) sb_text=${sb_text%%[[:blank:]]*} ;;
  esac
}

# Reads comment, name and dependency from the script's own lines, where the caller gave none.
sb_header() {
  sb_hc= sb_hn= sb_hw=
  while IFS= read -r sb_line || [ -n "$sb_line" ]; do
    case $sb_line in
      '#SBATCH'*)
        if sb_value --comment "$sb_line"; then sb_hc=$sb_text; fi
        if sb_value --dependency "$sb_line" || sb_value -d "$sb_line"; then sb_hw=$sb_text; fi
        if sb_value --job-name "$sb_line" || sb_value -J "$sb_line"; then sb_hn=$sb_text; fi
        ;;
      *[![:blank:]]*) case ${sb_line#"${sb_line%%[![:blank:]]*}"} in '#'*) ;; *) break ;; esac ;;
    esac
  done <"$1"
  : "${sb_comment:=$sb_hc}" "${sb_name:=$sb_hn}" "${sb_waits:=$sb_hw}"
}

# Adds what the launcher or its script waits for to what we are to wait for: sbatch takes one
# dependency alone, and tasks of one launch may wait for each other.
sb_waits_too() {
  if [ -z "$sb_waits$sb_wrap" ] && [ -f "$sb_script" ] && [ -r "$sb_script" ]; then
    sb_header "$sb_script"
  fi
  sb_after=${sb_waits:+$sb_waits,}$sb_after
}

sb_left=$# sb_put=
while [ "$sb_left" -gt 0 ]; do
  sb_left=$((sb_left - 1)) sb_arg=$1
  shift
  if [ -z "$sb_done" ]; then
    sb_option "$sb_arg"
  elif [ -z "$sb_script" ]; then
    sb_script=$sb_arg
  fi
  if [ -n "$sb_done" ] && [ -z "$sb_put" ]; then
    sb_put=1
    . "$sb_dir/options"
    if [ -n "$sb_after" ]; then
      sb_waits_too
      set -- "$@" "--dependency=$sb_after"
    fi
  fi
  # --quiet hides the id from us too: ask for it, and keep it from the caller ourselves.
  [ "$sb_hush$sb_arg" != 1- ] || sb_arg=--parsable
  set -- "$@" "$sb_arg"
done
if [ -z "$sb_put" ]; then
  . "$sb_dir/options"
  if [ -n "$sb_after" ]; then
    sb_waits_too
    set -- "$@" "--dependency=$sb_after"
  fi
fi

# The job must not see us: neither in its PATH nor by our names.
sb_path=:$PATH:
while :; do
  case $sb_path in
    *":$sb_dir/bin:"*) sb_path=${sb_path%%":$sb_dir/bin:"*}:${sb_path#*":$sb_dir/bin:"} ;;
    *) break ;;
  esac
done
sb_path=${sb_path#:}
PATH=${sb_path%:}

[ -z "$sb_pass" ] || exec "$sb_real" "$@"

# Without a script sbatch reads it from standard input: keep it, so that its header can be read.
if [ -z "$sb_script" ] && [ -z "$sb_wrap" ]; then
  sb_in=$sb_dir/in.$$
  cat >"$sb_in" || sb_refuse "there is no room to keep the script in $sb_dir"
  sb_script=$sb_in
fi
if [ -z "$sb_wrap" ] && [ -f "$sb_script" ] && [ -r "$sb_script" ]; then sb_header "$sb_script"; fi
set -- "--comment=$sb_sign${sb_comment:+ $sb_comment}" ${sb_hush:+--parsable} "$@"
[ -n "$sb_name" ] || sb_name=${sb_script##*/}

# Elect a number. A folder in the place of the first intent is the fence of a later attempt.
sb_n=0
while :; do
  sb_n=$((sb_n + 1))
  sb_intent=$sb_dir/intent-$sb_n
  [ ! -d "$sb_intent" ] || sb_refuse "this launch was given up and started anew"
  set -C
  { true >"$sb_intent"; } 2>/dev/null && break
  [ -e "$sb_intent" ] || sb_refuse "there is no room to write $sb_intent"
done
set +C
sb_answer=$sb_dir/$sb_n
{
  printf '%s\037' "$PWD" "$sb_name" "$@" >"$sb_intent" &&
    printf '%8192s' '' >"$sb_answer.out" && # the room that the answer will need
    sync "$sb_intent" "$sb_answer.out" "$sb_dir"
} || {
  sb_status=$?
  rm -f "$sb_intent"
  [ "$sb_status" -le 128 ] || sb_refuse "writing $sb_intent was interrupted"
  sb_refuse "there is no room to write $sb_intent"
}

# The answer goes to files, not through us: it is kept even if we are killed meanwhile.
if [ -n "$sb_in" ]; then
  "$sb_real" "$@" <"$sb_in" >"$sb_answer.out" 2>"$sb_answer.err"
else
  "$sb_real" "$@" >"$sb_answer.out" 2>"$sb_answer.err"
fi
sb_status=$?
sb_receipt=$sb_dir/receipt-$sb_n
# Not synced: a receipt that a crash of this machine takes away leaves the intent, by whose
# signature the job is found.
printf '%s\n' "$sb_status" >"$sb_receipt.part" && mv "$sb_receipt.part" "$sb_receipt"
[ -n "$sb_hush" ] || [ ! -s "$sb_answer.out" ] || sb_hand_on "$sb_answer.out"
[ ! -s "$sb_answer.err" ] || sb_hand_on "$sb_answer.err" >&2
exit "$sb_status"
