"""The scripts that lead into interactive jobs, and what these say while they come up."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from bot.errors import CommandFailed
from bot.job import Job
from bot.ports import Output, Query

BYTES = 4_096
"""Of the end of each log."""
SKEW = timedelta(seconds=30)
"""By how much the clocks of a file server and of Slurm may differ."""

_DOORS = (Path(__file__).parent / "remote" / "doors.sh").read_text(encoding="utf-8")

_STAMP = re.compile(r"^\s*\[(?:INFO|NRL_PHASE)\](?:\[[^\]]*\])*\s*:?\s*")
_TELLING = re.compile(
    r"Number of actors online: \d+/\d+"
    r"|All workers connected"
    r"|^\[NRL_PHASE\]"
    r"|^\[(?:WARN|ERROR)\]|^Error: "
    r"|Ray head started|Ray (?:head|worker) .*(?:start|up|connect)"
    r"|Ray Cluster is idled"
    r"|pyxis: (?:importing|creating|imported|couldn't|failed)"
    r"|Retrying placement group|Timed out waiting"
)
LONGEST = 160


@dataclass(frozen=True)
class Door:
    """What was found of one job."""

    attach: str
    """The script, an absolute path; empty while it is not there."""
    told: str
    """The newest line that tells how far the job has come up; empty when nothing does."""


def doors(jobs: Sequence[Job], roots: Sequence[str]) -> Query[dict[str, Door]]:
    """Ask for the doors of these running jobs, in both layouts; what an earlier attempt left
    does not count."""
    args = ["\n".join(roots), str(BYTES)]
    for job in jobs:
        began = job.seen.started or job.created
        args += [job.id, job.seen.workdir, str(int((began - SKEW).timestamp()))]
    return Query(_DOORS, _found, tuple(args), name="doors")


def _found(output: Output) -> dict[str, Door]:
    if output.status != 0:
        raise CommandFailed("the login node did not finish looking", stderr=output.stderr)
    found = {}
    for record in output.stdout.split("\x1e")[:-1]:
        job_id, attach, *logs = record.split("\x1f")
        found[job_id] = Door(attach, telling(logs))
    return found


def telling(logs: Sequence[str]) -> str:
    """Return the newest telling line of the first log that has one, else the last line of all."""
    last = ""
    for log in logs:
        lines = [line.strip() for line in log.splitlines() if line.strip()]
        for line in reversed(lines):
            if _TELLING.search(line):
                return _bare(line)
        last = last or (lines[-1] if lines else "")
    return _bare(last)


def _bare(line: str) -> str:
    """Return a line without its stamps, on one line of a phone or two."""
    bare = _STAMP.sub("", line).strip() or line
    return bare if len(bare) <= LONGEST else f"{bare[: LONGEST - 1]}…"
