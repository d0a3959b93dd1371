"""The jobs of an experiment, from what NeMo-Run keeps of all its launches: `.slurm_jobs`."""

from __future__ import annotations

import re

from bot.errors import CommandFailed
from bot.model import Experiment, Task
from bot.ports import Output, Query

# $1: NEMORUN_HOME; $2: an experiment's id or title. NeMo-Run appends a line for each job it makes:
# `75 = LOGS,FOLDER,LocalTunnel,{…}`, where FOLDER ends in `experiments/TITLE/ID/TASK`.
_FIND = r"""
[ -f "$1/.slurm_jobs" ] || exit 0
grep -F -e "/$2/" -- "$1/.slurm_jobs" | tail -n 500
"""
_LINE = re.compile(r"(\d+) = [^,]*,([^,]+),")


def experiment(home: str, name: str) -> Query[Experiment | None]:
    """Ask for the experiment of this id, or the newest of this title; None for an unknown one."""
    return Query(_FIND, lambda output: _found(output, name), (home, name), name="experiment")


def _found(output: Output, name: str) -> Experiment | None:
    if output.status not in {0, 1}:
        raise CommandFailed("NeMo-Run's list of jobs cannot be read", stderr=output.stderr)
    by_id: dict[str, list[Task]] = {}
    for line in output.stdout.splitlines():
        found = _LINE.match(line)
        parts = found[2].rstrip("/").split("/") if found else []
        if found and len(parts) > 3 and name in parts[-3:-1]:  # noqa: PLR2004  # title, id, task
            task = Task(name=parts[-1], job=found[1], folder=found[2])
            by_id.setdefault(parts[-2], []).append(task)
    if not by_id:
        return None
    newest = list(by_id)[-1]
    return Experiment(id=newest, tasks=tuple(by_id[newest]))
