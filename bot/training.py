"""A running job moved on by the end of its log: how far it is, and what worries about it. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from bot import course
from bot.cards.progress import in_words
from bot.course import Course
from bot.job import Job
from bot.progress import Look, look


def watched(job: Job, text: str, now: datetime, least: timedelta) -> Job:
    """Return the job after a look at the end of its log; `least` is never a worry without a step.

    In an attempt after another, what the log says at first was written by the one before.
    """
    seen = look(text)
    was = job.course if job.course and job.course.attempt == job.attempt else None
    words = in_words(seen.far) if seen else ""
    if job.attempt > 1 and was is None:
        return job.model_copy(
            update={"progress": "", "course": course.before(job.attempt, words, now)}
        )
    if seen is None or words == (was.former if was else "") or _beside(seen, was):
        return job
    goes = course.moved_on(was, seen, now) if was else course.begun(job.attempt, seen, now)
    if not job.tasks:  # of an array's tasks now this one is looked at, now that one
        goes = course.judged(goes, seen, now, ends=job.ends, least=least)
    return _told(job.model_copy(update={"progress": words, "course": goes}))


def _beside(seen: Look, was: Course | None) -> bool:
    """Whether a bar with fewer steps is looked at than that of the training: an evaluation's."""
    if was is None or was.total is None or seen.total is None:
        return False
    return was.step < was.total and seen.total < was.total


def _told(job: Job) -> Job:
    """Return the job with what its person is to be told of, once for each attempt."""
    names = [f"{job.attempt}/{worry}" for worry in job.worries]
    new = [name for name in names if name not in job.told]
    return job.model_copy(update={"told": (*job.told, *new)}) if new else job
