"""NeMo-Run's experiments: what a launcher prints of one, as a value. Pure."""

from __future__ import annotations

import re

from bot.model import Experiment, Task

_STATUS = re.compile(r"(?m)^Experiment Status for (\S+)[ \t]*$")
_ENTERED = re.compile(r"Entering Experiment .{1,200}? with id: (\S+)")
_TASK = re.compile(r"Task \d+: (.+?)\s*$")
_FIELD = re.compile(r"- (Job id|Local Directory): ?(.*?)\s*$")
_JOB = re.compile(r"(\d+)(?:;[\w.-]+)?")
_ID = re.compile(r"(?P<title>.+)_(?:\d{10}|\d{19})")


def title_of(experiment_id: str) -> str:
    """Return the title that an id begins with; an id ends in seconds or nanoseconds."""
    found = _ID.fullmatch(experiment_id)
    return found["title"] if found else experiment_id


def read_experiment(said: str) -> Experiment | None:
    """Return the experiment that a launcher's output tells of; its last status block counts."""
    blocks = list(_STATUS.finditer(said))
    if not blocks:
        entered = _ENTERED.search(said)
        return Experiment(id=entered[1]) if entered else None
    tasks: list[dict[str, str]] = []
    waits_for_job = False
    for line in said[blocks[-1].end() :].splitlines():
        if named := _TASK.match(line):
            tasks.append({"name": named[1]})
            waits_for_job = False
        elif tasks and (field := _FIELD.match(line)):
            waits_for_job = _keep(tasks[-1], field[1], field[2])
        elif waits_for_job and (job := _JOB.fullmatch(line.strip())):
            # A site whose sbatch prints a note first: the number stands on the next line.
            tasks[-1]["job"] = job[1]
            waits_for_job = False
    return Experiment(id=blocks[-1][1], tasks=tuple(Task.model_validate(task) for task in tasks))


def _keep(task: dict[str, str], field: str, value: str) -> bool:
    """Keep a field of a task; say whether its job id is still to come."""
    if field == "Local Directory":
        task["folder"] = value
        return False
    job = _JOB.match(value)
    if job:
        task["job"] = job[1]
    return not job
