"""What is wrong with a training that still runs: said on its card, and once in its thread."""

from __future__ import annotations

from datetime import timedelta

from bot.card import Button, Card, Moment, Mono, Paragraph, Person, Text, Tone
from bot.cards import parts, progress
from bot.cards.mend import SHOW_LOG, SHOW_LOG_LABEL
from bot.course import Course, Worry
from bot.duration import written
from bot.job import Job
from bot.model import Request
from bot.words import count, duration, rough

STANDING = {
    Worry.STALLED: " No step since {moved}.",
    Worry.DIVERGED: " Its loss is no longer a number.",
    Worry.LATE: " Its time limit will end it before it is done.",
}
"""What the living card adds while it holds."""

HELP = {
    Worry.STALLED: (
        "One rank, the network or the storage may hang: the end of the log tells most. While it "
        "hangs, it holds {nodes}."
    ),
    Worry.DIVERGED: (
        "What it learns from here on is of no use. Cancel it, and begin again from a checkpoint "
        "before this step, with a lower learning rate, clipped gradients or other data."
    ),
    Worry.LATE: (
        "What it saves by then is kept. Only an operator of the cluster can raise the limit of a "
        "job that runs ({update}). Or run it again afterwards with more time ({rerun}); it goes "
        "on from its newest checkpoint if it saves any."
    ),
}
"""What can be done about it."""

ROOM = 1.2
"""How much more time than is needed is advised."""
STEP = timedelta(minutes=30)
"""To what that is rounded up."""


def standing(job: Job) -> Text:
    """Return what is to be added to how a job is, while something is wrong with its training."""
    if job.course is None:
        return ()
    moved = Moment(at=job.course.moved)
    found: Text = ()
    for worry in job.worries:
        found += parts.fill(STANDING[worry], moved=moved)
    return found


def worry_card(request: Request, job: Job, course: Course, worry: Worry) -> Card:
    """Tell the person of a job what is wrong with its training, and what can be done."""
    person = Person(user=request.caller.user)
    return Card(
        tone=Tone.TROUBLE,
        lead=(person, f" Job {job.id}: ", *_what(job, course, worry)),
        parts=(Paragraph(text=_help(job, course, worry)),),
        buttons=(
            Button(action=SHOW_LOG, label=SHOW_LOG_LABEL, value=job.key),
            parts.cancel_button(request, job),
        ),
    )


def went_on(job: Job, was: Course, now: Course) -> Card:
    """Say in place of a stall that steps come again."""
    paused = duration(now.moved - was.moved)
    return Card(
        tone=Tone.WORKING,
        lead=(f"Job {job.id}: After {paused} without a step it went on, {_step(now)}.",),
    )


def _what(job: Job, course: Course, worry: Worry) -> Text:
    if worry is Worry.DIVERGED:
        return (f"Its loss is no longer a number. {progress.sentence(job.progress)}",)
    if worry is Worry.LATE:
        ends, need = job.ends, course.need
        if ends is None or need is None:
            return ("Its time limit will end it before it is done.",)
        return parts.fill(
            "Its time limit will end it before it is done. At {at} the steps left need about "
            "{need}, but it ends {ends}, {left} later.",
            at=_step(course),
            need=rough(need),
            ends=Moment(at=ends),
            left=rough(max(ends - course.moved, timedelta())),
        )
    usual = "" if course.usual is None else f", and one usually comes every {_span(course.usual)}"
    return parts.fill(
        "No step since {moved}. The last was {step}{usual}.",
        moved=Moment(at=course.moved),
        step=_step(course),
        usual=usual,
    )


def _help(job: Job, course: Course, worry: Worry) -> Text:
    more = written(_advised(job, course))
    return parts.fill(
        HELP[worry],
        nodes=count(job.seen.nodes or 1, "node"),
        update=Mono(text=f"scontrol update JobId={job.id} TimeLimit={more}"),
        rerun=Mono(text=f"/slurm rerun {job.id} --time {more}"),
    )


def _advised(job: Job, course: Course) -> timedelta:
    """Return a time limit that suffices with some room."""
    ran = course.moved - (job.seen.started or course.moved)
    whole = (ran + (course.need or timedelta())) * ROOM
    return STEP * max(-(-whole // STEP), 1)


def _step(course: Course) -> str:
    of = f" of {course.total:,}" if course.total else ""
    return f"step {course.step:,}{of}"


def _span(span: timedelta) -> str:
    """Return a usual time, of which less than a second is said as such."""
    return duration(span) if span >= timedelta(seconds=1) else "second or less"
