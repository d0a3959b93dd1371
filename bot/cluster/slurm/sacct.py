"""sacct: what accounting remembers of jobs, attempt by attempt."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from bot.cluster.slurm.refusals import failure
from bot.cluster.slurm.states import cancelled_by, state
from bot.cluster.slurm.text import duration, gpus, memory, moment, number, sacct_rows, size, stamp
from bot.job import Observation, Tally, base_id
from bot.model import Value
from bot.ports import Output, Query

FIELDS = (
    "JobID", "State", "ExitCode", "DerivedExitCode", "Submit", "Start", "End", "ElapsedRaw",
    "NNodes", "NodeList", "AllocTRES", "Timelimit", "Partition", "QOS", "Account", "User",
    "TotalCPU", "MaxRSS", "WorkDir", "JobName", "Comment",
)  # fmt: skip

# An id list may be too long for one command line, so there is one call for each 500.
_HISTORY = r"""
format=$1 since=$2; shift 2
for ids; do
  sacct -n -p --delimiter="$(printf '\037')" -D -S "$since" -E now -o "$format" -j "$ids" || exit
done
"""
_PER_CALL = 500

_OFF = re.compile(
    r"accounting storage is disabled|not running a supported accounting_storage plugin"
    r"|Operation not permitted|Access/permission denied"
)


class AccountingOff(Value):
    """Slurm keeps no history here, or shows us none."""

    why: str


class Step(Value):
    """One step of an attempt: `batch`, `extern`, `0`."""

    name: str
    state: str
    exit_code: str
    max_rss: int = 0
    """Bytes."""


class Attempt(Value):
    """One run of a job; a requeued job has several."""

    seen: Observation
    """Its exit_code is masked: sacct prints code & 127 (137 shows as `9:0`)."""
    derived_exit: str = ""
    """The worst exit code of a step, also of an earlier attempt."""
    cpu_time: timedelta | None = None
    steps: tuple[Step, ...] = ()
    memory: int = 0
    """Bytes that it had on all its nodes."""

    @property
    def tally(self) -> Tally:
        """What this adds to how the attempt ended."""
        stoppers = [by for step in self.steps if (by := cancelled_by(step.state)) not in {"", "0"}]
        return Tally(
            steps=tuple(step.state.split(" ")[0] for step in self.steps),
            worst="" if self.derived_exit in {"", "0:0"} else self.derived_exit,
            stopped_by=stoppers[0] if stoppers else "",
            used=max((step.max_rss for step in self.steps), default=0),
            asked=self.memory // max(self.seen.nodes, 1),
        )


def history(ids: tuple[str, ...], since: datetime) -> Query[tuple[Attempt, ...] | AccountingOff]:
    """Ask accounting about these jobs, submitted after `since`, earlier attempts first.

    Empty for a job that accounting has not heard of yet: it lags by some seconds. Ids are used
    again after years, so compare `submitted`.
    """
    groups = [",".join(ids[i : i + _PER_CALL]) for i in range(0, len(ids), _PER_CALL)]
    args = (",".join(FIELDS), stamp(since), *groups)
    return Query(_HISTORY, _history, args, timeout=60.0, name="sacct")


def off(output: Output) -> AccountingOff | None:
    """Return why accounting does not answer for good, or None."""
    if _OFF.search(output.stderr):
        return AccountingOff(why=output.stderr.strip().splitlines()[-1])
    return None


def _history(output: Output) -> tuple[Attempt, ...] | AccountingOff:
    silent = off(output)
    if silent:
        return silent
    if output.status != 0:
        raise failure(output, "sacct")
    return attempts(output.stdout)


def attempts(text: str) -> tuple[Attempt, ...]:
    """Read rows of `FIELDS`; steps join the attempt they stand under."""
    found: list[Attempt] = []
    for values in sacct_rows(text, len(FIELDS)):
        row = dict(zip(FIELDS, values, strict=True))
        job_id, _, step = row["JobID"].partition(".")
        if not step:
            found.append(_attempt(row))
        elif found and found[-1].seen.id == job_id:
            last = found[-1]
            found[-1] = last.model_copy(update={"steps": (*last.steps, _step(step, row))})
    return tuple(found)


def _attempt(row: dict[str, str]) -> Attempt:
    young = row["JobName"] == "allocation" and row["QOS"] == "Unknown"
    seen = Observation(
        id=row["JobID"],
        state=state(row["State"]),
        raw=row["State"].split(" ")[0],
        name="" if young else row["JobName"],
        user=row["User"],
        account=row["Account"],
        partition=row["Partition"],
        qos="" if row["QOS"] == "Unknown" else row["QOS"],
        nodes=number(row["NNodes"]),
        node_list="" if row["NodeList"] == "None assigned" else row["NodeList"],
        gpus=gpus(row["AllocTRES"]),
        time_limit=duration(row["Timelimit"]),
        submitted=moment(row["Submit"]),
        started=moment(row["Start"]),
        ended=moment(row["End"]),
        elapsed=timedelta(seconds=number(row["ElapsedRaw"])),
        exit_code=row["ExitCode"],
        comment=row["Comment"],
        workdir=row["WorkDir"],
        cancelled_by=cancelled_by(row["State"]),
    )
    return Attempt(
        seen=seen,
        derived_exit=row["DerivedExitCode"],
        cpu_time=_cpu(row["TotalCPU"]),
        memory=memory(row["AllocTRES"]),
    )


def _step(name: str, row: dict[str, str]) -> Step:
    return Step(
        name=name, state=row["State"], exit_code=row["ExitCode"], max_rss=size(row["MaxRSS"])
    )


def _cpu(text: str) -> timedelta | None:
    # TotalCPU is minutes:seconds.thousandths, or with hours and days in front.
    return duration(text) if ":" in text else None


def matching(attempts_: tuple[Attempt, ...], job_id: str) -> tuple[Attempt, ...]:
    """Return the attempts of one job, its tasks and components included."""
    return tuple(a for a in attempts_ if base_id(a.seen.id) == base_id(job_id))
