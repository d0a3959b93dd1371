"""Which files a job writes to: what Slurm says, and what the launchers' habits are."""

from __future__ import annotations

import fnmatch
import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum

from bot.errors import CommandFailed
from bot.ports import Output, Query

# $1: newline-joined roots; then pairs: a folder and a pattern in it, or a file and nothing.
_FIND = r"""
show() {
  # Such a name parts our answer where it should not; no launcher gives one.
  case $1 in *[[:cntrl:]]*) return 0 ;; esac
  [ -f "$1" ] || return 0
  printf '%s\037%s\037' "$(stat -L -c '%s %Y' -- "$1")" "$1"
  readlink -f -- "$1"
  printf '\036'
}
printf '%s\n' "$1" | while IFS= read -r root; do readlink -f -- "$root"; done
printf '\035'
shift
IFS=
while [ $# -gt 1 ]; do
  if [ -n "$2" ]; then for file in "$1"/$2; do show "$file"; done; else show "$1"; fi
  shift 2
done
"""


class LogKind(StrEnum):
    """What a log file holds, the most telling first."""

    TRAINING = "training"
    DRIVER = "driver"
    """What NeMo-RL's driver says: its training."""
    BATCH = "batch"
    """The batch script's own output: launch, containers, srun."""
    HEAD = "head"
    """What the head of NeMo-RL's Ray cluster says."""
    WORKER = "worker"
    """What one of its workers says."""
    OTHER = "other"
    """Another file that has the job's number in its name: what one task says, as a rule."""


@dataclass(frozen=True)
class LogFile:
    """One file that a job wrote."""

    path: str
    kind: LogKind
    attempt: int
    """1 for the first run; a batch log that is appended to counts as the newest."""
    size: int
    changed: datetime
    output: bool = False
    """Whether it is the job's output as Slurm knows it."""
    every: bool = False
    """Whether each attempt appends to it, so that it holds them all."""

    @property
    def worker(self) -> int | None:
        """The number of the worker that writes it, where its name tells."""
        found = re.search(r"worker[-_]?(\d+)", posixpath.basename(self.path))
        return int(found[1]) if found and self.kind is LogKind.WORKER else None

    @property
    def takes_over(self) -> bool:
        """Whether it is where NeMo-RL's launcher sends all that its batch script says."""
        return posixpath.basename(self.path) == _RL_OUTPUT

    @property
    def source(self) -> str:
        """What people call it: `driver`, `slurm`, `worker 1`."""
        if self.kind is LogKind.BATCH:
            return "slurm"
        return self.kind.value if self.worker is None else f"worker {self.worker}"


@dataclass(frozen=True)
class Habit:
    """Where a kind of log lies: `{id}` is the job's number, `*` anything."""

    kind: LogKind
    pattern: str
    attempt: str = ""
    """Regular expression whose group is the number of restarts before it."""
    goes_on: bool = False
    """Whether each attempt appends to what the one before wrote."""


_RL_OUTPUT = "nemo_rl_output.log"

HABITS = (
    Habit(LogKind.TRAINING, "log-*_{id}_*.out", r"_(\d+)\.out$"),
    Habit(LogKind.DRIVER, "{id}-logs/ray-driver.log"),
    Habit(LogKind.DRIVER, "{id}-*-logs/ray-driver.log", r"-(\d+)-logs/"),
    Habit(LogKind.DRIVER, f"{{id}}/{_RL_OUTPUT}", goes_on=True),
    Habit(LogKind.HEAD, "{id}-logs/ray-head*.log"),
    Habit(LogKind.HEAD, "{id}-*-logs/ray-head*.log", r"-(\d+)-logs/"),
    Habit(LogKind.HEAD, "{id}/ray[-_]logs/*head*.log", goes_on=True),
    Habit(LogKind.WORKER, "{id}-logs/ray-worker*.log"),
    Habit(LogKind.WORKER, "{id}-*-logs/ray-worker*.log", r"-(\d+)-logs/"),
    Habit(LogKind.WORKER, "{id}/ray[-_]logs/*.log", goes_on=True),
    Habit(LogKind.BATCH, "sbatch_*_{id}.out", goes_on=True),
    Habit(LogKind.BATCH, "slurm-{id}.out", goes_on=True),
    Habit(LogKind.BATCH, "{id}.log", goes_on=True),
)
_OTHERS = ("*{id}*.out", "*{id}*.err", "*{id}*.log")
"""Where other logs lie, among files whose names hold a longer number."""


def log_files(
    slurm_id: str, stdout: str, workdir: str, roots: Sequence[str], stderr: str = ""
) -> Query[tuple[LogFile, ...]]:
    """Ask which logs a job (or task `202_3`) has below the roots.

    Newest attempt first, then what the training says before what the batch script says. `stdout`
    and `stderr` are what scontrol names, `workdir` where the job runs; each may be empty.
    """
    number = re.sub(r"[^0-9_]", "_", slurm_id)
    folders = dict.fromkeys(filter(None, (posixpath.dirname(stdout), workdir)))
    own = tuple(filter(None, (stdout, stderr)))
    patterns = [*(habit.pattern for habit in HABITS), *_OTHERS]
    args = ["\n".join(roots), *(word for path in own for word in (path, ""))]
    for folder in folders:
        for pattern in patterns:
            args += [folder, pattern.format(id=number)]
    return Query(
        _FIND, lambda output: _found(output, stdout, own, number), tuple(args), name="log files"
    )


def _found(output: Output, stdout: str, own: Sequence[str], number: str) -> tuple[LogFile, ...]:
    head, _, rest = output.stdout.partition("\x1d")
    if output.status != 0:
        raise CommandFailed("the logs cannot be listed", stderr=output.stderr)
    roots = [root for root in head.splitlines() if root]
    files: dict[str, LogFile] = {}
    for record in rest.split("\x1e")[:-1]:
        figures, path, real = record.split("\x1f")
        real = real.removesuffix("\n")
        if real not in files and any(real.startswith(root.rstrip("/") + "/") for root in roots):
            file = _log(real, path, figures, number)
            if path in own and file.kind is LogKind.OTHER:
                file = replace(file, kind=LogKind.BATCH)
            if file.kind is not LogKind.OTHER or _names(path, number):
                files[real] = replace(file, output=path == stdout)
    newest = max([1, *(file.attempt for file in files.values())])
    order = list(LogKind)
    settled = (
        file if file.attempt else replace(file, attempt=newest, every=True)
        for file in files.values()
    )
    return tuple(
        sorted(
            settled,
            key=lambda file: (
                -file.attempt,
                order.index(file.kind),
                not file.output,
                file.worker or 0,
            ),
        )
    )


def _names(path: str, number: str) -> bool:
    """Whether a file's name holds this number, and not only a longer one."""
    return bool(re.search(rf"(?<!\d){number}(?!\d)", posixpath.basename(path)))


def _log(real: str, path: str, figures: str, number: str) -> LogFile:
    size, changed = map(int, figures.split())
    kind, attempt = LogKind.OTHER, 0
    for habit in HABITS:
        pattern = habit.pattern.format(id=number)
        if fnmatch.fnmatchcase(path, f"*/{pattern}"):
            restarts = re.search(habit.attempt, path) if habit.attempt else None
            kind = habit.kind
            attempt = int(restarts[1]) + 1 if restarts else 0 if habit.goes_on else 1
            break
    return LogFile(real, kind, attempt, size, datetime.fromtimestamp(changed, UTC))
