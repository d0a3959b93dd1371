"""A running job moved on by the end of its log: how far it is, and what worries about it. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from bot import course
from bot.cards.progress import in_words
from bot.course import Course
from bot.job import Job
from bot.progress import look, progress


def watched(job: Job, text: str, now: datetime, least: timedelta) -> Job:
    """Return the job after a look at the end of its log; `least` is never a worry without a step.

    In an attempt after another, what the log says at first was written by the one before.
    """
    how_far, seen = progress(text), look(text)
    was = job.course if job.course and job.course.attempt == job.attempt else None
    words = in_words(how_far) if how_far else ""
    if job.attempt > 1 and was is None:
        return job.model_copy(
            update={"progress": "", "course": course.before(job.attempt, words, now)}
        )
    if seen is None or words == (was.former if was else ""):
        return job
    goes = course.moved_on(was, seen, now) if was else course.begun(job.attempt, seen, now)
    judged = course.judged(goes, seen, now, ends=_ends(job), least=least)
    return job.model_copy(update={"progress": words, "course": _plain(job, judged)})


def _plain(job: Job, goes: Course) -> Course:
    """Return the course without worries where tasks of an array take turns in being looked at."""
    return goes.model_copy(update={"worries": ()}) if job.tasks else goes


def _ends(job: Job) -> datetime | None:
    """Return when its time limit ends a job."""
    started, limit = job.seen.started, job.seen.time_limit
    return started + limit if started is not None and limit is not None else None
