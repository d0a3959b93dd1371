"""scontrol release and update: a job that waits is let go."""

from __future__ import annotations

import re

from bot.cluster.slurm.refusals import failure
from bot.ports import Output, Query

# $2: nodes that it shall keep away from, besides those that it does already.
_RELEASE = r"""
if [ -n "$2" ]; then
  has=$(scontrol -o show job "$1" | sed -n 's/.* ExcNodeList=\([^ ]*\) .*/\1/p')
  case $has in ''|'(null)') has=$2 ;; *) has=$has,$2 ;; esac
  scontrol update JobId="$1" ExcNodeList="$has" || exit
fi
exec scontrol release "$1"
"""
_FREE = 'exec scontrol update JobId="$1" Dependency='


def release(job_id: str, away_from: str = "") -> Query[bool]:
    """Release a held job, away from these nodes; False where Slurm lets only others do that."""
    return Query(_RELEASE, _done, (job_id, away_from), name="scontrol release")


def free(job_id: str) -> Query[bool]:
    """Let a job wait for no other job; False where Slurm lets only others do that."""
    return Query(_FREE, _done, (job_id,), name="scontrol update")


def _done(output: Output) -> bool:
    if re.search(r"denied|Operation not permitted", output.stderr):
        return False
    if output.status != 0:
        raise failure(output, "scontrol")
    return True
