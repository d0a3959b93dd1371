# Lets the recipes' launcher say its options. $1: its folder; $2: python; $3: an environment whose
# python is taken instead once it is there.

sb_help() {
  cd -- "$1" && sb_limited 40 "$2" run.py --help </dev/null
}
sb_at_home "$2"
sb_python=$sb_path
if [ -n "$3" ]; then
  sb_at_home "$3"
  [ ! -x "$sb_path/bin/python" ] || sb_python=$sb_path/bin/python
fi
sb_at_home "$1"
[ ! -f "$sb_path/run.py" ] || sb_told help sb_help "$sb_path" "$sb_python"
sb_part end
