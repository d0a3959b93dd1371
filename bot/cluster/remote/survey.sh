# Says what a cluster's login node is like. $1: mark; $2: folder of the recipes; $3: its python;
# $4: the default image, or empty; $5: sinfo's format. Parts begin with the mark. Expects
# sb_config and sb_partitions.

sb_mark=$1
sb_part() { printf '\n%s %s\n' "$sb_mark" "$*"; }
sb_told() { # $1: name; then a command: its output and its status
  sb_part "$1"
  shift
  ("$@") 2>&1
  sb_part status $?
}

# Sets sb_path to the path $1, whose first part may stand for the home.
sb_at_home() {
  case $1 in
    '~' | '~/'*) sb_path=$HOME${1#'~'} ;;
    '$HOME' | '$HOME/'*) sb_path=$HOME${1#'$HOME'} ;;
    *) sb_path=$1 ;;
  esac
}

sb_spool=$HOME/.sbatchat
sb_probe=$sb_spool/survey.$$
sb_write() { mkdir -p -m 700 "$sb_spool" && printf x >"$sb_probe" && sync "$sb_probe"; }
sb_lock() { flock -n 9 9>>"$sb_probe"; }
sb_room() { df -Pk "$HOME" | tail -n 1; }
sb_kills() {
  cat /usr/lib/systemd/logind.conf.d/*.conf /etc/systemd/logind.conf \
    /etc/systemd/logind.conf.d/*.conf /run/systemd/logind.conf.d/*.conf 2>/dev/null |
    sed -n 's/^[[:space:]]*KillUserProcesses[[:space:]]*=[[:space:]]*//p' | tail -n 1
}
sb_lingers() { loginctl show-user "$(id -un)" --property=Linger --value; }
sb_nemo_run() { "$1" -c 'import importlib.metadata as m; print(m.version("nemo_run"))'; }

sb_told host cat /proc/sys/kernel/hostname
sb_told user id -un
sb_told now date +%s
sb_told home printf '%s\n' "$HOME"
sb_told filesystem stat -f -c %T "$HOME"
sb_told room sb_room
for sb_program in sbatch squeue sinfo scontrol scancel sacct flock setsid sync; do
  sb_told "program-$sb_program" command -v "$sb_program"
done
sb_told write sb_write
sb_told mode stat -c %a "$sb_spool"
sb_told lock sb_lock
rm -f "$sb_probe"
sb_told kills sb_kills
sb_told lingers sb_lingers
sb_told config sb_config
sb_told partitions sb_partitions "$5"
sb_at_home "$2"
sb_told launcher test -f "$sb_path/run.py"
sb_told commit git -C "$sb_path" rev-parse --short HEAD
sb_at_home "$3"
sb_told nemo-run sb_nemo_run "$sb_path"
sb_at_home "$4"
[ -z "$4" ] || sb_told image test -r "$sb_path"
sb_part end
