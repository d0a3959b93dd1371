# Sets up what NeMo recipes need: a virtual environment with NeMo-Run, and the recipes. $1: python;
# $2: environment; $3: what pip installs; $4: repository; $5: branch; $6: checkout; $7: the folder
# of run.py; $8: `packages` when the environment sees the system's; then options for pip.

sb_python=$1 sb_venv=$2 sb_wanted=$3 sb_repo=$4 sb_ref=$5 sb_recipes=$6 sb_nemo=$7 sb_system=$8
shift 8

step python
command -v "$sb_python" >/dev/null || fail no-python "$sb_python"
sb_version=$("$sb_python" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])') ||
  fail no-python "$sb_python"
"$sb_python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || fail old-python "$sb_version"
ok "$sb_version"

step venv
if "$sb_venv/bin/python" -m pip --version >/dev/null 2>&1; then
  there "$sb_venv"
else
  if [ -e "$sb_venv" ] && [ ! -e "$sb_venv/pyvenv.cfg" ] && [ -n "$(ls -A -- "$sb_venv")" ]; then
    fail occupied "$sb_venv"
  fi
  mkdir -p -- "${sb_venv%/*}" || fail closed "${sb_venv%/*}"
  "$sb_python" -m venv --clear ${sb_system:+--system-site-packages} "$sb_venv" ||
    fail venv "$sb_venv"
  "$sb_venv/bin/python" -m pip --version || fail venv "$sb_venv"
  ok "$sb_venv"
fi

# Prints the version of NeMo-Run, and the commit it was installed from where pip knows it.
sb_nemo_run() {
  "$sb_venv/bin/python" -c '
import importlib.metadata, json
import nemo_run
found = importlib.metadata.distribution("nemo_run")
origin = json.loads(found.read_text("direct_url.json") or "{}")
commit = origin.get("vcs_info", {}).get("commit_id", "")
print(found.version + (f" (commit {commit[:12]})" if commit else ""))'
}
# Whether its command answers.
sb_answers() {
  if [ -x "$sb_venv/bin/nemo" ]; then
    timeout 120 "$sb_venv/bin/nemo" --help >/dev/null
  else
    timeout 120 "$sb_venv/bin/python" -m nemo_run --help >/dev/null
  fi
}

step nemo-run
if sb_version=$(sb_nemo_run 2>/dev/null) && sb_answers; then
  there "$sb_version"
else
  "$sb_venv/bin/python" -m pip install --no-input --disable-pip-version-check "$@" "$sb_wanted" ||
    fail pip "$sb_wanted"
  sb_version=$(sb_nemo_run) || fail no-nemo-run "$sb_wanted"
  sb_answers || fail no-nemo-run "$sb_wanted"
  ok "$sb_version"
fi
fact nemo-run "$sb_version"
fact python "$sb_venv/bin/python"

sb_checkout_step recipes "$sb_repo" "$sb_ref" "$sb_recipes" ''

step launcher
[ -f "$sb_nemo/run.py" ] || fail no-launcher "$sb_nemo/run.py"
cd -- "$sb_nemo" || fail no-launcher "$sb_nemo"
timeout 300 "$sb_venv/bin/python" run.py --help >/dev/null || fail launcher "$sb_nemo/run.py"
ok "$sb_nemo/run.py"
sb_finish 0
