"""What a request's spool on the cluster says, and what that proves. Pure.

A spool is `~/.sbatchat/requests/ID`: a lock that is held while anything of the launch lives, a
`started-N` for each attempt (elects its runner), and the attempt's own folder with the runner's
identity, an `intent` before and a `receipt` after each sbatch call, the exit status and output.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from bot.cluster.slurm import Blame, Refusal, refusal

_JOB = re.compile(
    r"(?P<id>\d+)(?:;(?P<cluster>[\w.-]+))?"
    r"|Submitted batch job (?P<id2>\d+)(?: on cluster (?P<cluster2>[\w.-]+))?"
)
_SIGNALS = range(128, 193)
"""Statuses of a killed sbatch; above stands 255, its answer to an option it does not know."""


class Lock(StrEnum):
    """Whether something of the launch lives."""

    HELD = "held"
    FREE = "free"
    NONE = "none"
    """The file system knows no locks."""


@dataclass(frozen=True)
class Process:
    """A process on a login node, named so that a number used again is not taken for it."""

    host: str
    boot: str
    pid: str
    began: str
    """Start time in clock ticks since boot."""


@dataclass(frozen=True)
class Call:
    """One call of sbatch: its intent, and what came back."""

    number: int
    cwd: str
    name: str
    """The job's name, as far as the call or the script's header gives it."""
    argv: tuple[str, ...]
    status: int | None
    """None without a receipt."""
    out: str
    err: str


@dataclass(frozen=True)
class Run:
    """One attempt."""

    attempt: int
    starter: Process | None
    runner: Process | None
    alive: bool | None
    """Whether its process is there; None when it ran on a login node that we do not see."""
    exit: int | None
    fenced: bool
    """A later attempt has taken from it the right to submit."""
    calls: tuple[Call, ...]
    out: str
    err: str


@dataclass(frozen=True)
class Spool:
    """All that is known of one request on the cluster."""

    request_id: str
    lock: Lock
    host: str
    """The login node that we saw it from."""
    runs: tuple[Run, ...] = ()
    problem: str = ""
    """Why the last call did not start it: `room`, `files`, `sbatch`, `setsid`, `flock`, `cwd`."""
    detail: str = ""
    free_kb: int | None = None


@dataclass(frozen=True)
class Receipt:
    """A job that Slurm took; `cluster` only where sbatch names one."""

    job: str
    cluster: str = ""


@dataclass(frozen=True)
class NotStarted:
    """Nothing has run: launching again is safe."""


@dataclass(frozen=True)
class Running:
    """The launcher is at work and has submitted nothing yet."""

    host: str
    out: str
    err: str


@dataclass(frozen=True)
class Submitted:
    """Slurm took these jobs; unless `finished`, more may follow."""

    jobs: tuple[Receipt, ...]
    out: str
    err: str
    finished: bool


@dataclass(frozen=True)
class Refused:
    """Nothing was submitted, for certain."""

    text: str
    refusal: Refusal | None = None
    """What Slurm said; None when the launcher failed before it asked Slurm."""
    out: str = ""
    err: str = ""
    retry: bool = False
    """Nothing has run at all: launching again is safe once the cause is gone."""


@dataclass(frozen=True)
class Unknown:
    """Something may have been submitted: look for it before anything else."""

    calls: tuple[Call, ...]
    """The calls without a trustworthy answer; empty when the launcher may have bypassed us."""
    jobs: tuple[Receipt, ...]
    text: str
    out: str = ""
    err: str = ""


@dataclass(frozen=True)
class Dead:
    """The launch died before it called sbatch: it may be started again as `attempt`."""

    attempt: int


Outcome = NotStarted | Running | Submitted | Refused | Unknown | Dead


def outcome(spool: Spool) -> Outcome:
    """Return what a spool proves."""
    if not spool.runs:
        return _before(spool)
    run = spool.runs[-1]
    if run.exit is None and _lives(spool, run):
        return _alive(run)
    return _over(spool, run)


def receipt(call: Call) -> Receipt | None:
    """Return the job that a call's answer names: one line that is an id and nothing else.

    Notes of a site's own around it don't matter; two different ids are no answer, nor is a line
    that may have been cut.
    """
    whole = call.out if call.status is not None else call.out.rpartition("\n")[0]
    found = {
        Receipt(m["id"] or m["id2"], m["cluster"] or m["cluster2"] or "")
        for line in whole.splitlines()
        if (m := _JOB.fullmatch(line.strip()))
    }
    return found.pop() if len(found) == 1 else None


def _receipts(run: Run) -> tuple[Receipt, ...]:
    return tuple(found for call in run.calls if (found := receipt(call)))


def _unanswered(call: Call) -> bool:
    """Whether a job may exist that the call's answer does not name."""
    if receipt(call):
        return False
    if call.status is None or call.status == 0 or call.status in _SIGNALS:
        return True
    said = _said(call)
    return not said or refusal(said).may_hide


def _said(call: Call) -> str:
    return call.err.strip() or call.out.strip()


def _lives(spool: Spool, run: Run) -> bool:
    """Whether the run may still act. What makes a restart safe is the fence, not this."""
    if run.fenced:
        return False
    if spool.lock is Lock.NONE:
        return run.alive is not False
    # The lock goes from the starter to the launcher without a gap.
    return spool.lock is Lock.HELD or run.alive is True


def _alive(run: Run) -> Outcome:
    jobs = _receipts(run)
    if jobs:
        return Submitted(jobs, run.out, run.err, finished=False)
    process = run.runner or run.starter
    return Running(process.host if process else "", run.out, run.err)


def _over(spool: Spool, run: Run) -> Outcome:
    jobs = _receipts(run)
    lost = tuple(call for call in run.calls if _unanswered(call))
    if lost:
        text = _said(lost[-1]) or "the answer of sbatch was lost"
        return Unknown(lost, jobs, text, run.out, run.err)
    if jobs:
        return Submitted(jobs, run.out, run.err, finished=True)
    if run.fenced or (run.exit is None and not run.calls):
        return _before(spool) if spool.problem else Dead(run.attempt + 1)
    return _without_job(run)


def _before(spool: Spool) -> Outcome:
    if spool.problem:
        room = f" ({spool.free_kb} kB free)" if spool.free_kb is not None else ""
        closed = spool.problem == "room" and _CLOSED.search(spool.detail)
        kind = "home" if closed else spool.problem
        text = _PROBLEMS.get(kind, kind).format(detail=spool.detail, room=room).strip()
        return Refused(text, err=spool.detail, retry=True)
    if spool.lock is Lock.HELD:
        return Running(spool.host, "", "")
    return NotStarted()


_CLOSED = re.compile(r"Permission denied|Read-only|Not a directory|File exists|not permitted")
_PROBLEMS = {
    "room": "Nothing was submitted: the home folder on the cluster has no room{room}. {detail}",
    "home": "Nothing was submitted: the home folder on the cluster cannot be written. {detail}",
    "files": "Nothing was submitted: the file {detail} cannot be written on the cluster.",
    "sbatch": "Nothing was submitted: there is no sbatch on the login node's PATH.",
    "setsid": "Nothing was submitted: the login node lacks the program setsid (util-linux).",
    "flock": "Nothing was submitted: the login node lacks the program flock (util-linux).",
    "cwd": "Nothing was submitted: the working folder {detail} cannot be entered.",
}


def _without_job(run: Run) -> Outcome:
    """What a run that ended, or died after a refusal, without any job comes to."""
    if run.calls:
        said = "\n".join(map(_said, run.calls))
        what = refusal(said)
        return Refused(what.text, what, run.out, run.err)
    if run.exit == 0:
        text = "the launcher ended well without calling sbatch: it may have gone around the bot"
        return Unknown((), (), text, run.out, run.err)
    last = (run.err.strip() or run.out.strip()).splitlines()[-1:]
    text = last[0] if last else f"the launcher left with status {run.exit}"
    said_by = refusal(run.err)
    known = said_by if said_by.blame is not Blame.OTHER else None
    return Refused(text, known, run.out, run.err)
