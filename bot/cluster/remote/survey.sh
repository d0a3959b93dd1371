# Says what a cluster's login node is like. $1: sinfo's format; $2: folder of the recipes; $3: its
# python; $4: an environment whose python is taken instead once it is there; $5: the default image;
# $6: folder of NeMo-RL; $7: its launcher; $8: its image. Each may be empty. Expects sb_config and
# sb_partitions.

sb_spool=$HOME/.sbatchat
sb_probe=$sb_spool/survey.$$
sb_write() { mkdir -p -m 700 "$sb_spool" && printf x >"$sb_probe" && sync "$sb_probe"; }
sb_lock() { flock -n 9 9>>"$sb_probe"; }
sb_room() { df -Pk -- "$1" | tail -n 1; }
sb_kills() {
  cat /usr/lib/systemd/logind.conf.d/*.conf /etc/systemd/logind.conf \
    /etc/systemd/logind.conf.d/*.conf /run/systemd/logind.conf.d/*.conf 2>/dev/null |
    sed -n 's/^[[:space:]]*KillUserProcesses[[:space:]]*=[[:space:]]*//p' | tail -n 1
}
sb_lingers() { loginctl show-user "$(id -un)" --property=Linger --value; }
sb_quota() { command -v quota >/dev/null && sb_limited 10 quota -w; }
sb_nemo_run() { "$1" -c 'import importlib.metadata as m; print(m.version("nemo_run"))'; }
sb_changes() { git -C "$1" status --porcelain --untracked-files=no | grep -v ' configs/auth\.sh$\|/configs/auth\.sh$' | wc -l; }

# Whether an image is whole: says its size and the size that its head tells, or what else it is.
sb_image() {
  if [ ! -r "$1" ]; then
    if [ -e "$1.part" ]; then echo part; elif [ -e "$1" ]; then echo closed; else echo missing; fi
    return 1
  fi
  [ "$(head -c 4 -- "$1" | od -An -c | tr -d ' \n')" = hsqs ] || { echo strange; return 1; }
  sb_size=$(stat -L -c %s -- "$1")
  sb_tells=$(od -An -t u8 -j 40 -N 8 -- "$1" | tr -d ' ')
  echo "$sb_size $sb_tells"
  [ "$sb_size" -ge "$sb_tells" ]
}

sb_told host cat /proc/sys/kernel/hostname
sb_told user id -un
sb_told now date +%s
sb_told home printf '%s\n' "$HOME"
sb_told filesystem stat -f -c %T "$HOME"
sb_told room sb_room "$HOME"
sb_told quota sb_quota
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
sb_told partitions sb_partitions "$1"

sb_at_home "$2"
sb_nemo=$sb_path
sb_told launcher test -f "$sb_nemo/run.py"
sb_told nemo-write test -w "$sb_nemo"
sb_told nemo-room sb_room "$sb_nemo"
sb_told commit git -C "$sb_nemo" rev-parse HEAD
sb_told branch git -C "$sb_nemo" rev-parse --abbrev-ref HEAD
sb_told changes sb_changes "$sb_nemo"
sb_at_home "$3"
sb_python=$sb_path
if [ -n "$4" ]; then
  sb_at_home "$4"
  [ ! -x "$sb_path/bin/python" ] || sb_python=$sb_path/bin/python
fi
sb_told python printf '%s\n' "$sb_python"
sb_told nemo-run sb_nemo_run "$sb_python"
sb_at_home "$5"
[ -z "$5" ] || sb_told image sb_image "$sb_path"

sb_at_home "$6"
sb_rl=$sb_path
sb_told rl-folder test -d "$sb_rl"
sb_told rl-launcher test -r "$sb_rl/$7"
sb_told rl-write test -w "$sb_rl"
sb_told rl-commit git -C "$sb_rl" rev-parse --short HEAD
sb_told rl-submodules git -C "$sb_rl" submodule status --recursive
if [ -n "$8" ]; then
  case $8 in
    /* | '~'* | '$HOME'*) sb_at_home "$8" ;;
    *) sb_path=$sb_rl/$8 ;;
  esac
else
  sb_path=
  for sb_each in "$sb_rl"/*.sqsh; do sb_path=$sb_each; done
fi
sb_told rl-image sb_image "$sb_path"
sb_part end
