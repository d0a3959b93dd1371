"""Partitions and jobs as tables, and all that is known of one job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.card import Bullets, Card, Fact, Moment, Mono, Part, Table, Text, plain
from bot.cards import parts, session
from bot.cards.ending import exit_code
from bot.cards.job import sentence, tone, waits_for
from bot.cards.retry import became
from bot.job import Job, Observation, State
from bot.model import PartitionState, Request
from bot.words import count, duration

ROWS = 30
COMING = 5
"""Further attempts that are told of below a list."""


def partitions_card(
    cluster: str, partitions: Sequence[PartitionState], as_of: datetime, *, note: str = ""
) -> Card:
    """Return sinfo read as an answer: free nodes and their GPUs now."""
    ranked = sorted(partitions, key=lambda p: (not p.up, -p.free, p.name))
    return Card(
        lead=(note,) if note else _room(cluster, ranked),
        parts=(
            Table(
                head=("Partition", "Free nodes", "GPUs each", "Time limit", "Nodes by state"),
                rows=tuple(_partition_row(p) for p in ranked),
            ),
        ),
        foot=(parts.fill("Most free nodes first, as of {now}", now=Moment(at=as_of)),),
    )


def _room(cluster: str, ranked: Sequence[PartitionState]) -> Text:
    """Say where there is most room; a sum would count shared nodes twice."""
    best = ranked[0] if ranked else None
    if best is None or not best.up or not best.free:
        return (f"{cluster} has no free node now.",)
    return parts.fill(
        "{cluster} has most room in {name}: {free} free now.",
        cluster=cluster,
        name=Mono(text=best.name),
        free=count(best.free, "node"),
    )


def _partition_row(partition: PartitionState) -> tuple[str, ...]:
    return (
        f"{partition.name} (default)" if partition.default else partition.name,
        f"{partition.free} of {partition.nodes}" if partition.up else "down",
        str(partition.gpus_per_node),
        duration(partition.max_time) if partition.max_time else "unlimited",
        ", ".join(f"{number} {state}" for state, number in partition.states),
    )


@dataclass(frozen=True)
class Kind:
    """How a list of jobs is headed: empty, with one job, with several, and cut."""

    none: str
    one: str
    many: str
    most: str


KINDS = {
    "mine": Kind(
        "You launched no jobs on {cluster}.",
        "You launched 1 job on {cluster}.",
        "You launched {number} jobs on {cluster}.",
        "Your newest {number} jobs on {cluster}; older ones are not shown.",
    ),
    "all": Kind(
        "No job on {cluster}.",
        "1 job on {cluster}, in the queue or launched from here.",
        "{number} jobs on {cluster}, in the queue or launched from here.",
        "The newest {number} jobs on {cluster}, in the queue or launched from here; older ones "
        "are not shown.",
    ),
    "running": Kind(
        "No job launched from here runs on {cluster}.",
        "1 job launched from here runs on {cluster}.",
        "{number} jobs launched from here run on {cluster}.",
        "The newest {number} jobs launched from here that run on {cluster}; older ones are not "
        "shown.",
    ),
    "failed": Kind(
        "No job launched from here failed on {cluster}.",
        "1 job launched from here failed on {cluster}.",
        "{number} jobs launched from here failed on {cluster}.",
        "The newest {number} jobs launched from here that failed on {cluster}; older ones are not "
        "shown.",
    ),
}
"""By what is listed."""


@dataclass(frozen=True)
class Row:
    """One line of a list of jobs."""

    seen: Observation
    tasks: tuple[tuple[State, int], ...] = ()
    """Of an array that is shown as one: its tasks by state."""
    mark: str = ""
    """Which of an experiment's jobs it is: `1 of 2`."""
    whole: bool = True
    """Whether it stands for the whole job, and not for one task of it."""


def jobs_card(
    cluster: str,
    which: str,
    rows: Sequence[Row],
    as_of: datetime,
    coming: Sequence[Request] = (),
) -> Card:
    """Return jobs, newest first; whose they are where they are everybody's.

    `coming` are further attempts of jobs that failed.
    """
    kind = KINDS[which]
    if not rows:
        launch: Text = ("Launch one: ", Mono(text="/slurm submit SCRIPT"))
        foot = (launch,) if which == "mine" else ()
        return Card(lead=parts.fill(kind.none, cluster=cluster), foot=foot)
    ranked = sorted(rows, key=lambda row: int(row.seen.job or 0), reverse=True)[:ROWS]
    words = kind.one if len(rows) == 1 else kind.many
    owner = ("Owner",) if which == "all" else ()
    return Card(
        lead=parts.fill(
            kind.most if len(rows) > ROWS else words,
            cluster=cluster,
            number=f"{len(ranked):,}",
        ),
        parts=(
            Table(
                head=("Job", "State", "Name", *owner, "Where"),
                rows=tuple(_job_row(row, owned=bool(owner)) for row in ranked),
            ),
        ),
        foot=(
            *((f"Job {one.origin} failed. ", *became(one)) for one in coming[:COMING]),
            parts.fill("Newest first, as of {now}", now=Moment(at=as_of)),
        ),
    )


def _job_row(row: Row, *, owned: bool) -> tuple[str, ...]:
    """Return one job, or one task of an array where the queue shows it apart."""
    seen = row.seen
    name = f"{seen.name} ({row.mark})" if row.mark else seen.name
    owner = (seen.user,) if owned else ()
    return (seen.job if row.whole else seen.id, _states(row), name, *owner, _where(seen))


def _states(row: Row) -> str:
    """Return the state; of an array as a whole, how many tasks are at each."""
    if row.whole and row.tasks:
        return ", ".join(f"{number} {state.value}" for state, number in row.tasks)
    return _state(row.seen)


def _state(job: Observation) -> str:
    """Return the state, and why it waits or with which code it failed."""
    if job.state is State.UNKNOWN:
        return f"unknown ({job.raw})"
    if job.state is State.PENDING and (why := waits_for(job)):
        return f"{job.state.value}: {why}"
    told = [f"{fact.label}: {plain(fact.value)}" for fact in exit_code(job)]
    return ". ".join([job.state.value, *told])


def _where(job: Observation) -> str:
    """Return the partition, and the nodes or how many there are to be."""
    nodes = count(job.nodes, "node") if job.nodes else ""
    if job.node_list and not job.state.ended:
        nodes = job.node_list
    return ": ".join(word for word in (job.partition, nodes) if word)


def status_card(
    job: Job,
    now: datetime | None = None,
    earlier: Sequence[Observation] = (),
    coming: Request | None = None,
) -> Card:
    """Return all that is known of one job; `now` is when it was asked for.

    `earlier` are its runs before this one, oldest first, as accounting knows them; `coming` is the
    next attempt of a launch whose last one it was.
    """
    seen = job.seen
    partition = parts.fill(
        "{name} on {cluster}", name=Mono(text=seen.partition), cluster=job.cluster
    )
    limit = duration(seen.time_limit) if seen.time_limit else ""
    told: tuple[tuple[str, Text], ...] = (
        ("Name", _mono(seen.name)),
        ("User", _mono(seen.user)),
        ("Account", _mono(seen.account)),
        ("Partition", partition),
        ("Nodes", _nodes(seen)),
        ("Attempt", (f"{job.nth} of {job.of}",) if job.of > 1 else ()),
        ("Submitted", (Moment(at=seen.submitted),) if seen.submitted else ()),
        ("Time limit", (limit,) if limit else ()),
        ("Progress", (job.progress,) if job.progress else ()),
        ("Output", _mono(seen.stdout)),
    )
    facts = (Fact(label=label, value=value) for label, value in told if value)
    return Card(
        tone=tone(job),
        lead=(f"Job {job.id}: ", *sentence(job), *((" ", *became(coming)) if coming else ())),
        facts=(*facts, *session.facts(job, now), *exit_code(seen)),
        parts=_attempts(job, earlier),
    )


def _attempts(job: Job, earlier: Sequence[Observation]) -> tuple[Part, ...]:
    """Return how each earlier attempt ended, and how its log is read."""
    if job.attempt == 1:
        return ()
    items = tuple(
        (
            f"Attempt {number}: {_ended_as(earlier, number)}",
            Mono(text=f"/slurm logs {job.id} --attempt {number}"),
        )
        for number in range(1, job.attempt)
    )
    return (Bullets(items=items),)


def _ended_as(earlier: Sequence[Observation], number: int) -> str:
    """Return how an attempt ended, in Slurm's word; nothing where accounting does not tell."""
    seen = earlier[number - 1] if number <= len(earlier) else None
    if seen is None:
        return ""
    after = f" after {duration(seen.elapsed)}" if seen.elapsed else ""
    return f"{seen.raw.lower().replace('_', ' ')}{after}. Log: "


def _mono(text: str) -> Text:
    return (Mono(text=text),) if text else ()


def _nodes(seen: Observation) -> Text:
    """Return how many nodes, and which, unless the lead names them."""
    if seen.state is State.RUNNING or not seen.node_list:
        return (str(seen.nodes),) if seen.nodes else ()
    return (f"{seen.nodes}: ", Mono(text=seen.node_list))
