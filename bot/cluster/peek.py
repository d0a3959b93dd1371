"""The ends of many jobs' logs in one round trip, to see how far they have come."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from bot.errors import CommandFailed
from bot.ports import Output, Query

BYTES = 8_192
"""Of each log; some dozens of training lines."""
_FAR = 16 * 1024 * 1024
"""Bytes among which the epoch of a step is looked for."""

# $1: roots joined by newlines, $2: bytes, $3: bytes to find an epoch in; then for each job: its id,
# output file and folder. What the training wrote itself, through NeMo-Run's srun or as NeMo-RL's
# driver, tells more than the batch script's own output; that of the newest attempt is the newest.
_PEEK = r"""
roots=$1 bytes=$2 far=$3; shift 3
inside() {
  while IFS= read -r root; do
    root=$(readlink -f -- "$root") || continue
    case $1 in "${root%/}"/*) return 0 ;; esac
  done <<ROOTS
$roots
ROOTS
  return 1
}
# NeMo-RL counts its steps anew in each epoch, which it names once.
epoch() {
  tail -c "$bytes" -- "$1" | grep -aq '= Step [0-9]' || return
  tail -c "$bytes" -- "$1" | grep -aq '= Epoch [0-9]' && return
  tail -c "$far" -- "$1" | grep -a '=== Epoch [0-9]*/[0-9]* ===' | tail -n 1
}
while [ $# -gt 2 ]; do
  id=$1 file=$2 work=$3 newest=; shift 3
  for log in "${file%/*}"/log-*_"$id"_*.out "$work/$id"/nemo_rl_output.log \
    "$work/$id"-logs/ray-driver.log "$work/$id"-*-logs/ray-driver.log; do
    [ -f "$log" ] || continue
    if [ -z "$newest" ] || [ "$log" -nt "$newest" ]; then newest=$log; fi
  done
  printf '%s\037' "$id"
  real=$(readlink -f -- "${newest:-$file}")
  if [ -f "$real" ] && [ -r "$real" ] && inside "$real"; then
    # What parts our answer is no part of a log.
    { epoch "$real"; tail -c "$bytes" -- "$real"; } | tr -d '\036\037'
  fi
  printf '\036'
done
"""


def peek(jobs: Sequence[tuple[str, str, str]], roots: Sequence[str]) -> Query[dict[str, str]]:
    """Ask for the ends of the logs of these jobs: of each its id, output file and folder."""
    args = ["\n".join(roots), str(BYTES), str(_FAR)]
    for job_id, stdout, workdir in jobs:
        args += [job_id, posixpath.normpath(stdout), posixpath.normpath(workdir or ".")]
    return Query(_PEEK, _ends, tuple(args), name="peek")


def _ends(output: Output) -> dict[str, str]:
    if output.status != 0:
        raise CommandFailed("the logs cannot be looked at", stderr=output.stderr)
    records = output.stdout.split("\x1e")[:-1]
    pairs = (record.split("\x1f", 1) for record in records)
    return {pair[0]: _whole(pair[1]) for pair in pairs}


def _whole(text: str) -> str:
    """Return the lines that are finished: `step 12 of 120` may be half written."""
    return text[: max(text.rfind("\n"), text.rfind("\r")) + 1]
