# Sets up what NeMo-RL needs: the recipes with launch.sh, and NeMo-RL with its submodules. $1: the
# recipes' repository; $2: its branch; $3: its checkout; $4: launch.sh; $5: NeMo-RL's repository;
# $6: what to check out; $7: its checkout; $8: `asked` when a person named $6.

sb_launcher=$4 sb_rl=$7
sb_rl_repo=$5 sb_rl_ref=$6 sb_asked=$8

sb_checkout_step recipes "$1" "$2" "$3" ''

step launch-script
[ -f "$sb_launcher" ] || fail no-launcher "$sb_launcher"
ok "$sb_launcher"

sb_checkout_step nemo-rl "$sb_rl_repo" "$sb_rl_ref" "$sb_rl" "$sb_asked"

step submodules
cd -- "$sb_rl" || fail occupied "$sb_rl"
# Those without `-` are there.
sb_missing() { git submodule status --recursive | grep -c '^-'; }
sb_before=$(git submodule status --recursive | tr -d ' \n')
sb_said=$(git submodule status --recursive) || fail submodules "$sb_rl"
if [ -z "$sb_why" ] || [ "$(sb_missing)" != 0 ]; then
  sb_git submodule sync -q --recursive && sb_git submodule update --init --recursive --progress ||
    fail submodules "$sb_rl"
fi
[ "$(sb_missing)" = 0 ] || fail submodules "$sb_rl"
sb_number=$(git submodule status --recursive | wc -l)
if [ "$sb_before" = "$(git submodule status --recursive | tr -d ' \n')" ]; then
  there "$sb_number"
else
  ok "$sb_number"
fi
sb_finish 0
