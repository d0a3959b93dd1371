# Runs one launcher, detached, and keeps what it says. Variables are named sb_…, so that none that
# the launcher inherits is changed.

sb_dir=${0%/run}

sb_finish() {
  printf '%s\n' "$1" >"$sb_dir/exit.part" && mv "$sb_dir/exit.part" "$sb_dir/exit"
  # A daemon that the launcher left behind holds the lock too: give it up for all of them.
  flock -u 9
  exit 0
}

read -r sb_host </proc/sys/kernel/hostname
read -r sb_boot </proc/sys/kernel/random/boot_id
read -r sb_line <"/proc/$$/stat"
set -f -- ${sb_line##*) }
set +f
shift 19
printf '%s\n' "${sb_dir##*/} $sb_host $sb_boot $$ $1" >"$sb_dir/runner"

. "$sb_dir/env"
. "$sb_dir/command"
cd "$sb_cwd" 2>"$sb_dir/err" || sb_finish 1
PATH=$sb_dir/bin:$PATH
export PATH
"$@" </dev/null >"$sb_dir/out" 2>"$sb_dir/err"
sb_finish $?
