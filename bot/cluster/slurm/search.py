"""Look for jobs whose submission is not certain: by our comment, or by name, folder and time."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from bot.cluster.slurm import sacct, squeue
from bot.cluster.slurm.refusals import failure
from bot.cluster.slurm.text import layout, records, stamp
from bot.job import Observation
from bot.model import Value
from bot.ports import Output, Query

# The whole account's jobs, in the queue and in accounting, in one round trip. Accounting comes
# second: a job that leaves the queue in between is then found there.
_SEARCH = r"""
squeue -h -r -t all --me -o "$1" || exit
printf '\035'
sacct -n -p --delimiter="$(printf '\037')" -X -D -S "$2" -E now -o "$3"
printf '\035%s' $?
exit 0
"""
T = TypeVar("T")

_GROUP = "\x1d"
_SIGNED = re.compile(r"(?:^|\s)sbatchat:([0-9A-Za-z_-]+)")


class Search(Value):
    """What a search for jobs found."""

    found: dict[str, tuple[Observation, ...]]
    """Jobs by request id; a request without jobs is not in it."""
    accounting: bool
    """Whether accounting could be asked; without it an ended job may have been overlooked."""


class Sighting(Value):
    """Jobs of one name, submitted from one folder."""

    jobs: tuple[Observation, ...]
    accounting: bool


def find_by_comment(request_ids: tuple[str, ...], since: datetime) -> Query[Search]:
    """Look for the jobs that carry the signature of these requests, submitted after `since`."""
    wanted = frozenset(request_ids)

    def parse(output: Output) -> Search:
        jobs, accounting = _everything(output)
        found: defaultdict[str, list[Observation]] = defaultdict(list)
        for job in jobs:
            for request_id in set(signatures(job.comment)) & wanted:
                found[request_id].append(job)
        return Search(found={key: tuple(v) for key, v in found.items()}, accounting=accounting)

    return _search(parse, since)


def find_by_name(name: str, workdir: str, since: datetime) -> Query[Sighting]:
    """Look for jobs of this name (and working folder, unless empty), submitted after `since`."""

    def parse(output: Output) -> Sighting:
        jobs, accounting = _everything(output)
        return Sighting(
            jobs=tuple(
                job
                for job in jobs
                if job.name == name
                and workdir in {"", job.workdir}
                and job.submitted is not None
                and job.submitted >= since
            ),
            accounting=accounting,
        )

    return _search(parse, since)


def signatures(comment: str) -> tuple[str, ...]:
    """Return the request ids that a job's comment is signed with."""
    return tuple(_SIGNED.findall(comment))


def signature(request_id: str) -> str:
    """Return what the comment of a request's jobs holds."""
    return f"sbatchat:{request_id}"


def _everything(output: Output) -> tuple[tuple[Observation, ...], bool]:
    if output.status != 0:
        raise failure(output, "squeue")
    queued, past, status = [*output.stdout.split(_GROUP), "", ""][:3]
    jobs = {job.id: job for job in map(squeue.seen, records(queued))}
    if status.strip() != "0" and sacct.off(output) is None:
        raise failure(Output("", output.stderr, 1), "sacct")
    for attempt in sacct.attempts(past):
        jobs.setdefault(attempt.seen.id, attempt.seen)
    return tuple(jobs.values()), status.strip() == "0"


def _search(parse: Callable[[Output], T], since: datetime) -> Query[T]:
    args = (layout(*squeue.FIELDS), stamp(since), ",".join(sacct.FIELDS))
    return Query(_SEARCH, parse, args, timeout=60.0, name="squeue and sacct")
