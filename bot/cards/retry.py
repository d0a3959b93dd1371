"""Attempts after the first: when one starts, what became of it, why there is no further one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from bot.card import Bullets, Button, Card, Moment, Mono, Person, Text, Tone
from bot.cards import parts
from bot.diagnosis.finding import HEALTHY, NOT_IN_LOG
from bot.model import Failure, Request, Stage
from bot.retry import GivenUp, Why
from bot.words import duration, every

STOP = "stop_retrying"

ENDS = {
    Why.CANCELLED: "Not run again: it was cancelled.",
    Why.LOST: "Not run again: nobody knows whether it still runs.",
    Why.SEVERAL: "Not run again by itself: its launch is several jobs, and only single jobs are.",
    Why.LASTING: "Not run again by itself: a failure like this comes again until it is mended.",
    Why.USED_UP: "{attempts} failed, so it is not run again.",
    Why.SAME_NODES: "Not run again: it failed in the same way on {nodes}, without which too few "
    "nodes would be left.",
}
NO_CAUSE = "Not run again by itself: its cause is not known, so nothing says that it passes."

BECAME = {
    Stage.WAITING: "{attempt} starts {due}.",
    Stage.ACCEPTED: "{attempt} is being submitted.",
    Stage.SUBMITTED: "{attempt} is job {job}.",
    Stage.REFUSED: "{attempt} was not submitted.",
    Stage.UNKNOWN: "{attempt} was sent, and its outcome is being looked for.",
    Stage.WITHDRAWN: "{attempt} was called off.",
}
"""What became of an attempt, by its stage."""


def waiting(card: Card, retry: Request, trouble: str = "") -> Card:
    """Return the living message of a job that failed while its next attempt waits."""
    said = became(retry)
    if trouble:
        said = (f"{_attempt(retry)} is due. {trouble} Still trying; nothing is lost.",)
    return card.model_copy(
        update={
            "lead": (*card.lead, " ", *said),
            "tone": Tone.TROUBLE if trouble else Tone.WAITING,
            "buttons": (*card.buttons, _stop(retry)),
        }
    )


def without(card: Card, retry: Request, why: Text) -> Card:
    """Return the living message of a job that failed once its next attempt is called off."""
    return card.model_copy(update={"lead": (*card.lead, " ", *became(retry), " ", *why)})


def line(retry: Request, job: str = "") -> Card:
    """Return what the thread says of an attempt: when it starts, where; then which job it is."""
    if retry.stage is not Stage.WAITING:
        signs = {Stage.SUBMITTED: Tone.WORKING, Stage.REFUSED: Tone.FAILED}
        said = (*became(retry, job), *_from_step(retry), *_elsewhere(retry))
        return Card(lead=said, tone=signs.get(retry.stage, Tone.WAITING))
    words = "A failure like this may pass by itself. {attempt} starts {due}, in {pause}."
    said = parts.fill(words, attempt=_attempt(retry), due=_due(retry), pause=_pause(retry))
    return Card(
        lead=(*said, *_elsewhere(retry)),
        tone=Tone.WAITING,
        buttons=(_stop(retry),),
    )


def called_off(retry: Request, why: Text) -> Card:
    """Return what the thread says of an attempt that is called off."""
    return Card(lead=(*became(retry), " ", *why), tone=Tone.STOPPED)


def stopped_by(user: str, *, again: bool = False) -> Text:
    """Say that a person wanted no further attempt, perhaps since they made one themselves."""
    words = "{who} runs it again instead." if again else "{who} wants no further one."
    return parts.fill(words, who=Person(user=user))


def became(retry: Request, job: str = "") -> Text:
    """Say when an attempt starts, or what became of it."""
    words = BECAME[retry.stage]
    if retry.stage is Stage.SUBMITTED and not job:
        words = "{attempt} was submitted."
    return parts.fill(words, attempt=_attempt(retry), due=_due(retry), job=job)


def given_up(request: Request, end: GivenUp) -> Card:
    """Return why there is no further attempt, and how each one failed where there were several."""
    last = end.failures[-1]
    words = ENDS[end.why]
    if end.why is Why.LASTING and last.label in {"", HEALTHY, NOT_IN_LOG}:
        words = NO_CAUSE
    said = parts.fill(words, attempts=every(request.attempts, "attempt"), nodes=_nodes(last.blamed))
    several = Bullets(items=tuple(map(_failure, range(1, len(end.failures) + 1), end.failures)))
    return Card(lead=said, tone=Tone.STOPPED, parts=(several,) if len(end.failures) > 1 else ())


def not_submitted(retry: Request, cause: str) -> Card:
    """Tell the person of an attempt that Slurm or the launcher refused, or that is not allowed."""
    return Card(
        lead=(Person(user=retry.caller.user), f" {_attempt(retry)} was not submitted. {cause}"),
        tone=Tone.FAILED,
    )


def _attempt(retry: Request) -> str:
    return f"Attempt {retry.nth} of {retry.attempts}"


def _pause(retry: Request) -> str:
    """Return how long after its failure was known an attempt starts, in round minutes."""
    pause = _due(retry).at - retry.created
    minutes = timedelta(minutes=round(pause / timedelta(minutes=1)))
    return duration(minutes or pause)


def _due(retry: Request) -> Moment:
    return Moment(at=retry.retry.due if retry.retry else retry.created)


def _from_step(retry: Request) -> Text:
    """Say from where it goes on."""
    if retry.retry is None or retry.retry.step is None:
        return ()
    return (f" It goes on from the checkpoint of step {retry.retry.step:,}.",)


def _elsewhere(retry: Request) -> Text:
    """Say which nodes it keeps away from, and which it cannot do without though they are bad."""
    if retry.retry is None:
        return ()
    left, blamed = retry.retry.left, retry.retry.failures[-1].blamed
    if left:
        return parts.fill(
            " It may get {nodes} again: too few nodes would be left.", nodes=_nodes(left)
        )
    return parts.fill(" It keeps away from {nodes}.", nodes=_nodes(blamed)) if blamed else ()


def _nodes(names: Sequence[str]) -> Text:
    return (Mono(text=",".join(names)),) if names else ("its nodes",)


def _failure(number: int, failure: Failure) -> Text:
    where: Text = (", on ", *_nodes(failure.blamed)) if failure.blamed else ()
    cause = failure.cause or "its cause is not known"
    return (f"Attempt {number}, job {failure.job}", *where, f": {cause}")


def _stop(retry: Request) -> Button:
    return Button(action=STOP, label="Stop Retrying", value=retry.id)
