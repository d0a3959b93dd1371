"""Whether a job that failed is run again by itself, and how. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto

from pydantic import ValidationError

from bot.job import Job, State
from bot.model import Failure, Quote, Request, Retry, Stage, attempt_id
from bot.nodelist import node_names
from bot.options import Options
from bot.rerun import changed, difference
from bot.workloads import WORKLOADS

LONGEST = timedelta(minutes=30)
"""No pause is longer, unless the first one is configured so."""


class Why(Enum):
    """Why there is no further attempt."""

    CANCELLED = auto()
    LOST = auto()
    """Nobody knows whether it still runs."""
    SEVERAL = auto()
    """The launch became several jobs, or tasks of an array."""
    LASTING = auto()
    """The catalogue does not call the cause transient."""
    USED_UP = auto()
    SAME_NODES = auto()
    """The same cause came again on nodes that cannot be left out."""


@dataclass(frozen=True)
class GivenUp:
    """There is no further attempt of a launch that had asked for some."""

    why: Why
    failures: tuple[Failure, ...] = ()
    """Of all attempts, oldest first."""


@dataclass(frozen=True)
class Chances:
    """What is known when a job has ended."""

    now: datetime
    pause: timedelta
    """Before the first attempt after the launch; doubled for each further one."""
    nodes: int | None = None
    """How many nodes its partition has; None when that is not known."""


def retry(
    request: Request, job: Job, others: Sequence[Job], chances: Chances
) -> Request | GivenUp | None:
    """Return the next attempt of a job that ended and is explained, or why there is none.

    None where nobody asked for any, or none is needed. `others` are the request's other jobs.
    """
    if request.attempts == 1 or job.seen.state.good:
        return None
    failure = Failure(job=job.id, label=job.label, cause=job.cause, blamed=job.blamed)
    past = request.retry.failures if request.retry else ()
    failures = (*past, failure)
    if why := _hopeless(request, job, others):
        return GivenUp(why, failures)
    options = _without(request, job.blamed, _room(request, job, chances))
    if options is None and _same_again(past, failure):
        return GivenUp(Why.SAME_NODES, failures)
    return _next(request, job, failures, options, chances)


def _hopeless(request: Request, job: Job, others: Sequence[Job]) -> Why | None:
    """Return why another attempt would be wrong or in vain; the first reason counts."""
    tasks = request.experiment.tasks if request.experiment else ()
    reasons = (
        (job.wished or job.seen.state is State.CANCELLED, Why.CANCELLED),
        (job.seen.state is State.LOST, Why.LOST),
        (bool(others or job.tasks or tasks[1:]), Why.SEVERAL),
        (not job.transient, Why.LASTING),
        (request.nth >= request.attempts, Why.USED_UP),
    )
    return next((why for holds, why in reasons if holds), None)


def _room(request: Request, job: Job, chances: Chances) -> int | None:
    """Return how many nodes of the partition it can do without; None when that is not known."""
    if chances.nodes is None:
        return None
    return chances.nodes - (job.seen.nodes or request.resources.nodes)


def _without(request: Request, blamed: Sequence[str], room: int | None) -> Options | None:
    """Return the options of an attempt on other nodes; None where it needs those to blame."""
    workload = WORKLOADS[request.workload]
    options: Options = workload.model.model_validate(request.options)
    avoided = node_names(request.resources.exclude)
    new = [name for name in blamed if name not in avoided]
    if not new:
        return options
    wished = node_names(str(request.options.get("nodelist") or ""))
    if set(new) & set(wished) or (room is not None and len(avoided) + len(new) > room):
        return None
    exclude = ",".join(filter(None, (request.resources.exclude, *new)))
    try:
        options = changed(workload, options, {"exclude": exclude})
    except ValidationError:  # too long a list, or one that stands in a file
        return None
    return options


def _same_again(past: Sequence[Failure], failure: Failure) -> bool:
    """Whether the attempt before failed in the same way, on a node that is to blame again."""
    before = past[-1] if past else None
    return before is not None and before.label == failure.label and bool(before.blamed)


def _next(
    request: Request,
    job: Job,
    failures: tuple[Failure, ...],
    options: Options | None,
    chances: Chances,
) -> Request:
    """Return the next attempt: the same again, away from the nodes that are to blame."""
    before = WORKLOADS[request.workload].model.model_validate(request.options)
    after = options or before
    met = {"after": (), "begin": None, "hold": False, "dependency": _left(request)}
    still = {name: value for name, value in met.items() if name in type(after).model_fields}
    number = request.nth + 1
    return request.model_copy(
        update={
            "id": attempt_id(request.root, number),
            "options": after.model_copy(update=still).model_dump(mode="json"),
            "created": chances.now,
            "stage": Stage.WAITING,
            "quote": Quote(),
            "attempt": 1,
            "origin": job.id,
            "change": difference(before, after),
            "notes": (),
            "error": "",
            "experiment": None,
            "accepted": None,
            "retry": Retry(
                of=request.root,
                number=number,
                due=_due(job, number, chances),
                failures=failures,
                left=job.blamed if options is None else (),
            ),
        }
    )


def _left(request: Request) -> str | None:
    """Return what a job still depends on after it has begun once: namesakes that run now.

    The rest has come true, and Slurm refuses a job that waits for one that it has forgotten.
    """
    return "singleton" if "singleton" in str(request.options.get("dependency")) else None


def _due(job: Job, number: int, chances: Chances) -> datetime:
    """Return when an attempt is due: after its end, each time twice as long after."""
    ended = min(job.seen.ended or chances.now, chances.now)
    pause: timedelta = chances.pause * 2 ** (number - 2)
    return ended + min(pause, max(LONGEST, chances.pause))
