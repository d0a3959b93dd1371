"""The names of messages: a request's living message, and the answers in its thread."""

from __future__ import annotations

from datetime import datetime

from bot.card import Card
from bot.errand import Errand
from bot.job import Job
from bot.model import Request
from bot.ports import Wanted

_REQUEST, _ERRAND = "request/", "errand/"


def living(request: Request, card: Card, not_before: datetime | None = None) -> Wanted:
    """Return the living message of a request, showing this card."""
    return Wanted(
        key=living_key(request),
        channel=request.caller.channel,
        card=card,
        not_before=not_before,
    )


def under(request: Request, name: str, card: Card) -> Wanted:
    """Return an answer in the thread of a request; the same name is the same answer for ever."""
    return Wanted(
        key=answer_key(request.id, name),
        channel=request.caller.channel,
        card=card,
        parent=living_key(request),
    )


def attempt_line(request: Request, card: Card) -> Wanted:
    """Return what the thread says of one attempt after the first: when it starts, then its job."""
    return under(request, "attempt", card)


def living_key(request: Request) -> str:
    """Return the name of a request's living message, which all attempts of a launch share."""
    return f"{_REQUEST}{request.root}"


def answer_key(request_id: str, name: str) -> str:
    """Return the name of an answer in the thread of a request."""
    return f"{_REQUEST}{request_id}/{name}"


def why_of(job: Job) -> str:
    """Return the name of the answer that says why the newest attempt of a job failed."""
    return f"{job.id}/{job.attempt}/why"


def is_living(key: str) -> bool:
    """Whether a message is the living one of a request."""
    return key.startswith(_REQUEST) and key.count("/") == 1


def request_id(key: str) -> str:
    """Return the request that a message is about; empty for any other message."""
    return key.split("/")[1] if key.startswith(_REQUEST) else ""


def errand_notice(errand: Errand, card: Card) -> Wanted:
    """Return what the thread of an errand says of its end."""
    return Wanted(
        key=f"{_ERRAND}{errand.id}/ended",
        channel=errand.caller.channel,
        card=card,
        parent=f"{_ERRAND}{errand.id}",
    )


def errand_message(errand: Errand, card: Card) -> Wanted:
    """Return the living message of an errand, showing this card."""
    return Wanted(key=f"{_ERRAND}{errand.id}", channel=errand.caller.channel, card=card)
