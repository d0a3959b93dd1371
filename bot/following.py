"""What is known of a job, moved on by what is seen of it now. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from bot.cluster import slurm
from bot.cluster.slurm import AccountingOff, Attempt, matching
from bot.course import halted
from bot.diagnosis import Finding
from bot.job import Job, Observation, State, base_id

PATIENCE = timedelta(minutes=5)
"""How long a job may be missing everywhere before sight of it is called lost."""

_RANGE = re.compile(r"(\d+)(?:-(\d+))?(?::(\d+))?")
_LIVE = (
    State.RUNNING,
    State.COMPLETING,
    State.SETTLING,
    State.SUSPENDED,
    State.PENDING,
    State.UNKNOWN,
)
_BEGUN = frozenset({State.RUNNING, State.COMPLETING, State.SUSPENDED})


def grouped(rows: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return squeue's rows of each job: one, or one for each array task or component."""
    jobs: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for slurm_id, row in rows.items():
        jobs[slurm_id if slurm_id.isdigit() else base_id(slurm_id)][slurm_id] = row
    return jobs


def explained(finding: Finding | None) -> dict[str, object]:
    """Return what a job keeps of a diagnosis; nothing of none."""
    if finding is None:
        return {"label": "", "cause": "", "transient": False, "blamed": (), "mend": None}
    return {
        "label": finding.label,
        "cause": finding.title,
        "transient": finding.transient,
        "blamed": finding.nodes,
    }


def by_job(observations: Sequence[Observation]) -> dict[str, tuple[Observation, ...]]:
    """Return the observations of each job."""
    found: defaultdict[str, tuple[Observation, ...]] = defaultdict(tuple)
    for seen in observations:
        found[seen.job] += (seen,)
    return found


def advance(job: Job, seen: Sequence[Observation]) -> Job:
    """Return the job as squeue shows it: one row, or one for each task or component."""
    counted = tasks(seen, job.tasks)
    chief = _overall(whole(seen), counted)
    # Of an array one task may wait after another has run: that is no requeue.
    again = not counted and chief.state is State.PENDING and job.seen.state in _BEGUN
    passed: dict[str, object] = {} if chief.state is State.PENDING else explained(None)
    if again:
        passed = {"progress": ""}  # how far the attempt before it came
    elif chief.state is State.SUSPENDED and job.course is not None:
        passed["course"] = halted(job.course)  # time without a step is none of its own
    return job.model_copy(
        update={
            "seen": _merged(job.seen, chief),
            "tasks": counted,
            "attempt": job.attempt + 1 if again else job.attempt,
            "settling_since": None,
            **passed,
        }
    )


def with_namesakes(
    news: Mapping[str, Job], known: Mapping[str, Job], rows: Mapping[str, Mapping[str, str]]
) -> dict[str, Job]:
    """Return the news, and with them the jobs that wait for others of their name than before.

    The rows are those of the whole account, whose jobs alone can be in the way.
    """
    found = dict(news)
    waiting = [job for job in {**known, **news}.values() if alone(job.seen) or job.namesakes]
    if not waiting:
        return found
    names: defaultdict[str, list[str]] = defaultdict(list)
    for job_id, mine in rows.items():
        for name in {slurm.name_of(row) for row in mine.values()} - {""}:
            names[name].append(job_id)
    for job in waiting:
        ahead = earlier_of(job.id, names[job.seen.name]) if alone(job.seen) else ()
        if job.namesakes != ahead:
            found[job.id] = job.model_copy(update={"namesakes": ahead})
    return found


def alone(seen: Observation) -> bool:
    """Whether a job waits until no earlier one of its name is left."""
    return seen.state is State.PENDING and slurm.singleton(seen.dependency)


def earlier_of(job_id: str, others: Sequence[str]) -> tuple[str, ...]:
    """Return the ids below this one, in order."""
    return tuple(sorted((other for other in others if int(other) < int(job_id)), key=int))


def whole(seen: Sequence[Observation]) -> Observation:
    """Return the one observation that speaks for all: what lives first, then the worst end."""
    for state in _LIVE:
        for one in seen:
            if one.state is state:
                return one
    bad = [one for one in seen if not one.state.good]
    return bad[0] if bad else seen[0]


def tasks(
    seen: Sequence[Observation], before: Sequence[tuple[State, int]] = ()
) -> tuple[tuple[State, int], ...]:
    """Count array tasks or components by state; a plain job has none.

    Slurm forgets ended tasks one by one: those that were counted `before` still count.
    """
    if len(seen) == 1 and seen[0].id == seen[0].job:
        return ()
    now: Counter[State] = Counter()
    for one in seen:
        now[one.state] += task_count(one.id)
    if now.total() < sum(number for _, number in before):
        for state, number in before:
            if state.ended:
                now[state] = max(now[state], number)
    return tuple(sorted(now.items()))


def task_count(slurm_id: str) -> int:
    """Return how many tasks an id stands for: `202_[0-3,7]` five, `202_3` one."""
    ranges = _RANGE.findall(slurm_id.partition("[")[2].partition("%")[0])
    return max(1, sum(len(range(int(a), int(b or a) + 1, int(step or 1))) for a, b, step in ranges))


def _overall(chief: Observation, counted: Sequence[tuple[State, int]]) -> Observation:
    """Return the chief; when it ended well and a task that Slurm forgot did not, that counts."""
    bad = [state for state, _ in counted if state.ended and not state.good]
    if not bad or not chief.state.good:
        return chief
    end = {"state": bad[0], "raw": bad[0].name, "exit_code": "", "reason": ""}
    return chief.model_copy(update=end)


_NAMED = (
    *("name", "stdout", "stderr", "workdir", "account"),
    *("user", "comment", "partition", "qos"),
)


def _merged(old: Observation, new: Observation) -> Observation:
    """Return the new observation; what it does not say stays as it was."""
    kept: dict[str, Any] = {name: getattr(old, name) for name in _NAMED if not getattr(new, name)}
    for name in ("gpus", "restarts", "elapsed", "time_limit", "submitted"):
        if getattr(new, name) is None:
            kept[name] = getattr(old, name)
    if not new.nodes or (new.state is State.COMPLETING and old.nodes):
        kept["nodes"] = old.nodes  # Slurm counts those that are not yet free again
    if not new.node_list and new.state.ended:
        kept["node_list"] = old.node_list
    if not new.state.ended:
        # Of a job that goes on, scontrol says 0:0, which would pass for how it ended.
        kept["exit_code"] = ""
    return new.model_copy(update=_ended(new, kept))


def _ended(new: Observation, kept: dict[str, Any]) -> dict[str, Any]:
    """Add how long an ended job ran, where both times are known."""
    if new.state.ended and new.started and new.ended and not new.elapsed:
        kept["elapsed"] = max(new.ended - new.started, timedelta())
    return kept


def missing(job: Job, now: datetime) -> Job:
    """Return a job that squeue does not show: it is settling, not ended."""
    seen = job.seen.model_copy(update={"state": State.SETTLING})
    return job.model_copy(update={"seen": seen, "settling_since": job.settling_since or now})


def needs_details(job: Job, was: Job) -> bool:
    """Whether only scontrol knows what must be told: the output file, the exit code, restarts."""
    if not job.seen.stdout or job.seen.state.ended:
        return True
    if job.seen.state is State.PENDING:
        return was.seen.state is not State.PENDING
    # It may have been requeued, and have begun again, since the last look.
    return was.seen.state in _BEGUN and job.seen.started != was.seen.started


def with_details(job: Job, details: Sequence[Observation]) -> Job:
    """Return the job with what scontrol adds; without an answer it stays as it is."""
    if not details:
        return job
    chief = whole(details)
    counted = tasks(details, job.tasks)
    attempt = job.attempt if chief.restarts is None else chief.restarts + 1
    return job.model_copy(
        update={
            "seen": _merged(job.seen, _overall(chief, counted)),
            "tasks": counted,
            "attempt": max(job.attempt, attempt),
            "settling_since": None,
        }
    )


def needs_history(job: Job, was: Job) -> bool:
    """Whether only accounting knows what must be told.

    That is how a vanished job ended, who cancelled one, what became of the tasks that Slurm has
    forgotten, and what ended the attempt before this one.
    """
    state = job.seen.state
    if state in {State.SETTLING, State.CANCELLED}:
        return True
    return requeued(job, was) or (bool(job.tasks) and state.ended)


def requeued(job: Job, was: Job) -> bool:
    """Whether a job waits for another attempt since the last look."""
    return job.seen.state is State.PENDING and job.attempt > was.attempt


def with_history(job: Job, history: Sequence[Attempt] | AccountingOff, now: datetime) -> Job:
    """Return the job with what accounting knows; patience ends in `lost sight`, never in an end."""
    ends = ended_in(history, job)
    if job.seen.state.ended:
        return _confirmed(job, ends) if ends else job
    if job.seen.state is not State.SETTLING:
        return job
    late = job.settling_since is not None and now - job.settling_since > PATIENCE
    # Without the end's time a row is not complete yet, and its exit code may be wrong.
    if ends and (late or all(end.ended for end in ends)):
        counted = tasks(ends)
        update = {"seen": _merged(job.seen, whole(ends)), "tasks": counted, "settling_since": None}
        return job.model_copy(update=update)
    if late:
        seen = job.seen.model_copy(update={"state": State.LOST})
        return job.model_copy(update={"seen": seen})
    return job


def _confirmed(job: Job, ends: Sequence[Observation]) -> Job:
    """Return a job whose end Slurm told, with what accounting adds: all tasks, and who cancelled.

    scontrol's own word stays where both speak of the same task, as accounting masks exit codes.
    """
    worst = whole(ends)
    same = [end for end in ends if (end.id, end.state) == (job.seen.id, job.seen.state)]
    if same and worst.state.good is job.seen.state.good:
        seen = job.seen.model_copy(update={"cancelled_by": same[0].cancelled_by})
    elif job.tasks:
        seen = _merged(job.seen, worst)
    else:
        return job
    return job.model_copy(update={"seen": seen, "tasks": tasks(ends)})


def ended_in(history: Sequence[Attempt] | AccountingOff, job: Job) -> tuple[Observation, ...]:
    """Return how accounting says that all tasks of a job ended; empty while one has not."""
    if isinstance(history, AccountingOff):
        return ()
    newest = {attempt.seen.id: attempt.seen for attempt in attempts(history, job)}
    ended = all(seen.state.ended for seen in newest.values())
    return tuple(newest.values()) if ended else ()


def earlier(history: Sequence[Attempt] | AccountingOff, job: Job) -> tuple[str, ...]:
    """Return Slurm's words for how the earlier attempts of a plain job ended, oldest first."""
    if isinstance(history, AccountingOff) or job.tasks:
        return ()
    past = [attempt.seen for attempt in attempts(history, job)]
    # The row of the attempt that waits may be there by now, or come seconds later.
    return tuple(seen.raw for seen in past if seen.state.ended or seen.raw == "REQUEUED")


def attempts_before(
    history: Sequence[Attempt] | AccountingOff, job: Job
) -> tuple[Observation, ...]:
    """Return the attempts of a plain job before the present one, oldest first."""
    if isinstance(history, AccountingOff):
        return ()
    past = [attempt.seen for attempt in attempts(history, job)]
    return tuple(past[: job.attempt - 1])


def attempts(history: Sequence[Attempt], job: Job) -> list[Attempt]:
    """Return the attempts of a job, oldest first; ids are used again after years."""
    submitted = job.seen.submitted

    def near(then: datetime | None) -> bool:
        return submitted is None or then is None or abs(then - submitted) < timedelta(days=1)

    return [a for a in matching(tuple(history), job.id) if near(a.seen.submitted)]
