"""squeue: the jobs of the account, and the queue of everybody."""

from __future__ import annotations

from bot.cluster.slurm.refusals import checked
from bot.cluster.slurm.states import state
from bot.cluster.slurm.text import UNIT, duration, gpus, layout, moment, number, records
from bot.job import Observation, State
from bot.ports import Output, Query

# Nothing in it changes by itself while a job goes on, so that an unchanged row can be skipped;
# %S, the expected start of a pending job, changes when the scheduler's plan does. Free text last.
FIELDS = (
    "%i", "%T", "%r", "%u", "%a", "%P", "%q", "%D", "%N", "%b", "%l", "%V", "%S", "%e", "%E", "%Z",
    "%j", "%k",
)  # fmt: skip

_JOBS = 'exec squeue -h -r -t all --me -o "$1"'
_QUEUE = 'exec squeue -h -t PD,R,S,CG,CF -S "P,-t,-p" -o "$1"'


def jobs() -> Query[dict[str, str]]:
    """Ask for all jobs of the account, ended ones too while Slurm remembers them.

    Answers the raw row of each by its id, tasks of an array one by one; `seen` reads a row.
    """
    return Query(_JOBS, _rows, (layout(*FIELDS),), name="squeue")


def queue() -> Query[tuple[Observation, ...]]:
    """Ask for everybody's jobs that have not ended, by partition, pending ones in order."""
    return Query(_QUEUE, _observations, (layout(*FIELDS),), name="squeue")


def seen(row: str) -> Observation:
    """Read one row of `jobs`."""
    values = row.split(UNIT, len(FIELDS) - 1)
    values += [""] * (len(FIELDS) - len(values))
    at = dict(zip(FIELDS, values, strict=True))
    now = state(at["%T"])
    per_node = gpus(at["%b"])
    nodes = number(at["%D"])
    return Observation(
        id=at["%i"],
        state=now,
        raw=at["%T"],
        reason=_told(at["%r"]),
        dependency=_told(at["%E"]),
        name=at["%j"],
        user=at["%u"],
        account=_told(at["%a"]),
        partition=at["%P"],
        qos=_told(at["%q"]),
        nodes=nodes,
        node_list=at["%N"],
        gpus=None if per_node is None else per_node * nodes,
        time_limit=duration(at["%l"]),
        submitted=moment(at["%V"]),
        started=moment(at["%S"]),
        # Of a job that has not ended, %e is when its time runs out.
        ended=moment(at["%e"]) if now.ended else None,
        comment=_told(at["%k"]),
        workdir=at["%Z"],
    )


def name_of(row: str) -> str:
    """Return the name of the job in a row of `jobs`; empty when it has ended."""
    values = row.split(UNIT, len(FIELDS) - 1)
    if len(values) < len(FIELDS) or state(values[_STATE]).ended:
        return ""
    return values[_NAME]


def holds(row: str) -> bool:
    """Whether the job in a row of `jobs` holds nodes."""
    values = row.split(UNIT, _STATE + 1)
    return len(values) > _STATE and state(values[_STATE]) in _HOLDING


_HOLDING = frozenset({State.RUNNING, State.SUSPENDED, State.COMPLETING})
_STATE, _NAME = FIELDS.index("%T"), FIELDS.index("%j")


def _rows(output: Output) -> dict[str, str]:
    checked(output, "squeue")
    return {row.split(UNIT, 1)[0]: row for row in records(output.stdout)}


def _observations(output: Output) -> tuple[Observation, ...]:
    return tuple(map(seen, _rows(output).values()))


def _told(value: str) -> str:
    return "" if value in {"N/A", "None", "(null)"} else value
