"""The ends of many jobs' logs in one round trip, to see how far they have come."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from bot.errors import CommandFailed
from bot.ports import Output, Query

BYTES = 8_192
"""Of each log; some dozens of training lines."""

# $1: roots joined by newlines, $2: bytes; then pairs of a job's id and its output file. What
# NeMo-Run's srun wrote in the same folder tells more than the batch script's own output.
_PEEK = r"""
roots=$1 bytes=$2; shift 2
inside() {
  while IFS= read -r root; do
    root=$(readlink -f -- "$root") || continue
    case $1 in "${root%/}"/*) return 0 ;; esac
  done <<ROOTS
$roots
ROOTS
  return 1
}
while [ $# -gt 1 ]; do
  folder=${2%/*} file=$2
  for log in "$folder"/log-*_"$1"_*.out; do [ -f "$log" ] && file=$log; done
  printf '%s\037' "$1"
  real=$(readlink -f -- "$file")
  if [ -f "$real" ] && [ -r "$real" ] && inside "$real"; then tail -c "$bytes" -- "$real"; fi
  printf '\036'
  shift 2
done
"""


def peek(jobs: Sequence[tuple[str, str]], roots: Sequence[str]) -> Query[dict[str, str]]:
    """Ask for the ends of the logs of these jobs: pairs of an id and the output file."""
    args = ["\n".join(roots), str(BYTES)]
    for job_id, stdout in jobs:
        args += [job_id, posixpath.normpath(stdout)]
    return Query(_PEEK, _ends, tuple(args), name="peek")


def _ends(output: Output) -> dict[str, str]:
    if output.status != 0:
        raise CommandFailed("the logs cannot be looked at", stderr=output.stderr)
    records = output.stdout.split("\x1e")[:-1]
    pairs = (record.split("\x1f", 1) for record in records)
    return {pair[0]: pair[1] for pair in pairs}
