"""What a job's thread says before it fails: each warning once for each attempt. Pure."""

from __future__ import annotations

from bot.card import Card
from bot.cards.delay import delay_card
from bot.cards.worry import went_on, worry_card
from bot.course import Worry
from bot.job import Job
from bot.messages import under
from bot.model import Request
from bot.ports import Wanted
from bot.waiting import Delay


def warnings(request: Request, job: Job, was: Job) -> list[Wanted]:
    """Return what is to be told of since a job was so; what follows a stall comes in its place."""
    said = []
    for name in job.told:
        if name not in was.told:
            card = _card(request, job, name.partition("/")[2])
            said += [under(request, f"{job.id}/{name}", card)] if card else []
    if (
        job.course
        and was.course
        and Worry.STALLED in was.worries
        and job.course.follows(was.course)
    ):
        name = f"{job.id}/{job.attempt}/{Worry.STALLED}"
        said.append(under(request, name, went_on(job, was.course, job.course)))
    return said


def _card(request: Request, job: Job, kind: str) -> Card | None:
    if kind in {*Worry} and job.course is not None:
        return worry_card(request, job, job.course, Worry(kind))
    if kind in {*Delay} and job.waits_since is not None:
        return delay_card(request, job, job.waits_since, Delay(kind))
    return None
