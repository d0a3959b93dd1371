"""Several jobs of one launch, told as one experiment: how it stands, and how each task is."""

from __future__ import annotations

from collections.abc import Sequence

from bot.card import Button, Card, Choice, Fact, Mono, Pick, Text, Tone
from bot.cards import parts
from bot.cards.ending import cause, ending, never_started
from bot.cards.job import has_begun, mending, partition, sentence
from bot.cluster.slurm import hopeless
from bot.experiment import title_of
from bot.job import Job, State
from bot.model import Experiment, Request
from bot.words import count, every, listed

CANCEL_ALL = "cancel_all"
PICK_LOG = "pick_log"
MOST = 8
"""Jobs whose log is pointed at."""

TASKS = 12
"""Tasks that one card tells of."""
URGENT = (
    *("failed", "in vain", "unclear", "running", "ending", "suspended", "waiting", "cancelled"),
    "completed",
)
"""Which of very many are told first."""

ORDER = (
    ("running", "{n} running"),
    ("ending", "{n} ending"),
    ("waiting", "{n} waiting"),
    ("in vain", "{n} waiting in vain"),
    ("suspended", "{n} suspended"),
    ("unclear", "{n} not clear"),
    ("completed", "{n} completed"),
    ("failed", "{n} failed"),
    ("cancelled", "{n} cancelled"),
)
"""What jobs are counted as, and how a count reads; in the order in which they are told."""

AS = {
    State.RUNNING: "running",
    State.COMPLETING: "ending",
    State.SETTLING: "ending",
    State.PENDING: "waiting",
    State.SUSPENDED: "suspended",
    State.UNKNOWN: "unclear",
    State.LOST: "unclear",
    State.COMPLETED: "completed",
    State.CANCELLED: "cancelled",
}
"""Every other state is a failure."""


def experiment_card(request: Request, jobs: Sequence[Job]) -> Card:
    """Return the root message of a request that became several jobs."""
    first = jobs[0]
    live = [job for job in jobs if not job.seen.state.ended]
    return Card(
        title=parts.heading(request),
        tone=overall(jobs),
        lead=_lead(jobs),
        facts=(
            *_tasks(request.experiment, jobs),
            Fact(label="Partition", value=partition(request, first)),
            _size(request, jobs),
            *parts.experiment(request),
            *parts.rerun_of(request),
        ),
        parts=parts.copies(request),
        buttons=(cancel_all(request, live),) if live else _mend(jobs),
        pick=_log_pick(request, jobs),
        foot=parts.foot(request),
    )


def status_card(cluster: str, experiment: Experiment, jobs: Sequence[Job]) -> Card:
    """Return how an experiment is, to whoever asks; there need not be a request of ours."""
    one = jobs[0] if len(jobs) == 1 else None
    where = (Fact(label="Folder", value=(Mono(text=experiment.folder),)),)
    return Card(
        title=title_of(experiment.id),
        tone=overall(jobs),
        lead=(f"Job {one.id}: ", *sentence(one)) if one else _lead(jobs),
        facts=(
            *(() if one else _tasks(experiment, jobs)),
            Fact(label="Cluster", value=(cluster,)),
            Fact(label="Experiment", value=(Mono(text=experiment.id),)),
            *(where if experiment.folder else ()),
        ),
        foot=tuple(
            (f"Log of job {job.id}: ", Mono(text=f"/slurm logs {job.id}"))
            for job in jobs[:MOST]
            if has_begun(job)
        ),
    )


def kind_of(job: Job) -> str:
    """Return what a job is counted as."""
    if job.seen.state is State.PENDING and hopeless(job.seen.reason):
        return "in vain"
    return AS.get(job.seen.state, "failed")


def overall(jobs: Sequence[Job]) -> Tone:
    """Return the sign for how all of it stands: what went wrong first, then what goes on."""
    kinds = {kind_of(job) for job in jobs}
    if any(job.worries for job in jobs):
        kinds.add("worrying")
    for kind, sign in (
        ("failed", Tone.FAILED),
        ("in vain", Tone.TROUBLE),
        ("worrying", Tone.TROUBLE),
        ("unclear", Tone.TROUBLE),
        ("running", Tone.WORKING),
        ("ending", Tone.WORKING),
        ("waiting", Tone.WAITING),
        ("suspended", Tone.WAITING),
        ("cancelled", Tone.STOPPED),
    ):
        if kind in kinds:
            return sign
    return Tone.DONE


def summary(jobs: Sequence[Job]) -> str:
    """Return `3 jobs: 1 running and 2 waiting`, or `Both jobs completed`."""
    kinds = [kind_of(job) for job in jobs]
    told = [(kind, words) for kind, words in ORDER if kind in kinds]
    if len(told) == 1:
        return told[0][1].format(n=every(len(jobs), "job"))
    counts = [words.format(n=kinds.count(kind)) for kind, words in told]
    return f"{count(len(jobs), 'job')}: {listed(counts)}"


def _lead(jobs: Sequence[Job]) -> Text:
    """Say how all of it stands, and why what went wrong went wrong."""
    bad = _explained(jobs)
    return (f"{summary(jobs)}. Job {bad.id}:", *cause(bad)) if bad else (f"{summary(jobs)}.",)


def _mend(jobs: Sequence[Job]) -> tuple[Button, ...]:
    """Return what most likely mends the job whose cause the lead tells."""
    bad = _explained(jobs)
    return mending(bad) if bad else ()


def _explained(jobs: Sequence[Job]) -> Job | None:
    """Return the job whose cause the lead tells: the first that failed, if its cause is known."""
    bad = next((job for job in jobs if kind_of(job) == "failed"), None)
    return bad if bad is not None and cause(bad) else None


def _tasks(experiment: Experiment | None, jobs: Sequence[Job]) -> tuple[Fact, ...]:
    """Return the tasks; of very many those first that went wrong or are at work."""
    told, shown = _explained(jobs), list(jobs)
    if len(jobs) > TASKS:
        kinds = [kind for kind in URGENT if any(kind_of(job) == kind for job in jobs)]
        shown = [job for kind in kinds for job in jobs if kind_of(job) == kind][: TASKS - 1]
    facts = tuple(_task(experiment, job, brief=job is told) for job in shown)
    left = len(jobs) - len(shown)
    return (*facts, Fact(label="…", value=(f"{left:,} more",))) if left else facts


def _size(request: Request, jobs: Sequence[Job]) -> Fact:
    """Return what each job may take at most or, once all is over, what they took together."""
    if not all(job.seen.state.ended for job in jobs):
        return Fact(label="Each job", value=parts.size(request.resources))
    runs = [(job.seen.gpus, job.seen.elapsed) for job in jobs if not never_started(job.seen)]
    told = [(gpus, ran) for gpus, ran in runs if ran is not None]
    if len(told) < len(runs) or not told:
        return Fact(label="Each job", value=parts.size(request.resources, cost=False))
    return Fact(label="Used in all", value=parts.used(request.resources, *told))


def _task(experiment: Experiment | None, job: Job, *, brief: bool) -> Fact:
    """Return one task: its name, its job, and how that is; in brief without the cause."""
    far = f" {job.progress}." if job.progress and not job.seen.state.ended else ""
    how = ending(job) if brief else sentence(job)
    return Fact(
        label=name_of(experiment, job),
        value=(f"job {job.id}: ", *how, *((far,) if far else ())),
    )


def name_of(experiment: Experiment | None, job: Job) -> str:
    """Return what a task is called: by NeMo-Run, else by Slurm."""
    known = experiment.task(job.id) if experiment else None
    return known.name if known else job.seen.name or "Job"


def cancel_all(request: Request, live: Sequence[Job]) -> Button:
    """Return the button that ends all jobs which have not ended."""
    jobs = f"job {live[0].id}" if len(live) == 1 else f"jobs {listed([job.id for job in live])}"
    return Button(
        action=CANCEL_ALL,
        label="Cancel Job" if len(live) == 1 else "Cancel All Jobs",
        value=request.id,
        style="danger",
        confirm=f"This ends {jobs} ({request.title}) on {request.cluster}.",
    )


def _log_pick(request: Request, jobs: Sequence[Job]) -> Pick | None:
    """Return the select that shows the log of one of the jobs which began."""
    begun = [
        job
        for job in jobs
        if has_begun(job) and not (job.seen.state.ended and never_started(job.seen))
    ]
    if not begun:
        return None
    return Pick(
        action=PICK_LOG,
        placeholder="Show the log of a job",
        choices=tuple(
            Choice(label=f"{job.id} {name_of(request.experiment, job)}", value=job.key)
            for job in begun
        ),
    )


def chief(jobs: Sequence[Job]) -> Job:
    """Return the job of several that is meant by the experiment: what runs, else what went wrong.

    Of those that all wait it is the first, of those that all completed the last.
    """
    for kind in ("running", "ending", "failed", "in vain", "waiting", "suspended", "unclear"):
        for job in jobs:
            if kind_of(job) == kind:
                return job
    return jobs[-1]
