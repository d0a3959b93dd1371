"""How a training goes on in one attempt, and what worries about it while it still runs. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from pydantic import AwareDatetime

from bot.model import Numerous
from bot.progress import Look

ENOUGH = 5
"""Step lines after which the usual time between two is known."""
MUCH = 10
"""Step lines after which the average pace counts what the trainer does not, such as saving."""
SEVERAL = 5
"""So many times the usual time is no longer usual."""
PAUSES = 2
"""So many times the longest pause until now, which was an evaluation or a save, is one too."""
BUSY = 3
"""So much longer may a step take that the trainer said it saves or evaluates after."""
DEAREST = 1.5
"""By how much saving and evaluating can make steps dearer than the trainer says."""
SHORT = 1.1
"""The time left must lack more than a tenth, and a minute, …"""
LEAST = timedelta(minutes=1)
AGREED = 3
"""… by so many steps more than say otherwise."""


class Worry(StrEnum):
    """What is wrong with a training that still runs; the name is part of its message's."""

    STALLED = "stalled"
    DIVERGED = "diverged"
    LATE = "late"


class Course(Numerous):
    """What was seen of a training's steps since an attempt began."""

    attempt: int
    former: str = ""
    """What the log said at first in an attempt after another: of that one, while it stays so."""
    step: int = 0
    total: int | None = None
    moved: AwareDatetime
    """When `step` was first seen."""
    first: int = 0
    since: AwareDatetime
    """When `first`, the first step that was seen, was."""
    lines: int = 0
    """Step lines seen; 0 while nothing is known."""
    stride: int = 1
    """Steps from one line to the next."""
    pace: float | None = None
    """Seconds a step, as the trainer says."""
    longest: float = 0.0
    """Seconds of the longest pause between two lines."""
    short: int = 0
    """Counts up with steps after which the time limit does not suffice, and down with others."""
    halted: bool = False
    """Slurm has suspended it: its time limit stood still, and when it ends is not known."""
    worries: tuple[Worry, ...] = ()
    """Those that hold now."""

    @property
    def known(self) -> bool:
        """Whether a step of this attempt was seen."""
        return self.lines > 0

    @property
    def average(self) -> float | None:
        """Seconds a step as watched, all that happens between steps included."""
        steps = self.step - self.first
        if steps < MUCH * self.stride:
            return None
        return (self.moved - self.since).total_seconds() / steps

    @property
    def usual(self) -> timedelta | None:
        """The usual time between two step lines; None until enough were seen."""
        pace = self.pace or self.average
        if pace is None or self.lines < ENOUGH:
            return None
        return timedelta(seconds=pace * self.stride)

    @property
    def need(self) -> timedelta | None:
        """Time from `moved` until all steps are done; None where that cannot be known."""
        if self.total is None or self.lines < ENOUGH:
            return None
        pace = self.average or self.pace
        if pace is None:
            return None
        most = DEAREST * self.pace if self.pace else pace
        return timedelta(seconds=min(pace, most) * (self.total - self.step))

    def patience(self, least: timedelta, *, busy: bool) -> timedelta | None:
        """Return how long no step is no worry; None while that is not known."""
        if self.usual is None:
            return None
        longest = max(self.usual * SEVERAL, timedelta(seconds=self.longest * PAUSES), least)
        return longest * BUSY if busy else longest

    def follows(self, was: Course) -> bool:
        """Whether a step was seen since, in the same attempt."""
        return self.attempt == was.attempt and self.moved > was.moved

    def lacks(self, ends: datetime) -> bool:
        """Whether the time until then is clearly too short for the steps that are left."""
        left = ends - self.moved
        if self.need is None or left <= timedelta():
            return False
        return self.need > max(left * SHORT, left + LEAST)


def before(attempt: int, former: str, now: datetime) -> Course:
    """Return the course of an attempt of whose own steps nothing was seen yet."""
    return Course(attempt=attempt, former=former, moved=now, since=now)


def begun(attempt: int, look: Look, now: datetime, former: str = "") -> Course:
    """Return the course of which this is seen first."""
    return Course(
        attempt=attempt,
        former=former,
        step=look.far.step,
        total=look.total,
        moved=now,
        first=look.far.step,
        since=now,
        lines=look.lines,
        stride=look.stride,
        pace=look.pace,
    )


def moved_on(course: Course, look: Look, now: datetime) -> Course:
    """Return the course after a look at the log; a step further back begins it anew.

    So does another number of steps, as of a bar that is another one.
    """
    if not course.known or look.far.step < course.step or look.total != course.total:
        anew = begun(course.attempt, look, now, course.former)
        return anew.model_copy(update={"worries": course.worries, "halted": course.halted})
    if look.far.step == course.step:
        return course
    stride = max(look.stride, 1)
    lines = max((look.far.step - course.step) // stride, 1)
    between = (look.pace or 0.0) * stride * (lines - 1)
    pause = (now - course.moved).total_seconds() - between
    return course.model_copy(
        update={
            "step": look.far.step,
            "total": look.total,
            "moved": now,
            "lines": course.lines + lines,
            "stride": stride,
            "pace": look.pace or course.pace,
            "longest": max(course.longest, pause),
        }
    )


def halted(course: Course) -> Course:
    """Return the course of a job that Slurm has suspended: it is watched anew when it goes on."""
    return course.model_copy(update={"lines": 0, "short": 0, "worries": (), "halted": True})


def judged(
    course: Course, look: Look, now: datetime, *, ends: datetime | None, least: timedelta
) -> Course:
    """Return the course with what worries about it now.

    `ends` is when the time limit ends the job; `least` is how long no step is never a worry.
    Only what this look shows counts: where no step can be seen, nothing is said.
    """
    if not course.known or look.far.finished or (look.total and look.far.step >= look.total):
        return _with(course, (), short=0)
    patience = course.patience(least, busy=look.busy)
    short = course.short
    if course.moved == now and ends is not None and not course.halted:
        short = min(max(short + (1 if course.lacks(ends) else -1), 0), AGREED)
    holds = {
        Worry.STALLED: patience is not None and now - course.moved > patience,
        Worry.DIVERGED: look.diverged,
        # Once it holds, so many steps must take it back.
        Worry.LATE: short == AGREED or (short > 0 and Worry.LATE in course.worries),
    }
    return _with(course, tuple(worry for worry in Worry if holds[worry]), short=short)


def _with(course: Course, worries: Sequence[Worry], *, short: int) -> Course:
    if (course.worries, course.short) == (worries, short):
        return course
    return course.model_copy(update={"worries": tuple(worries), "short": short})
