"""Interactive jobs as people read them: coming up, the way in, how long it stays."""

from __future__ import annotations

import posixpath
import shlex
from datetime import datetime, timedelta

from bot.card import Button, Card, Excerpt, Fact, Moment, Mono, Paragraph, Person, Text, Tone
from bot.cards import parts
from bot.cards.mend import SEPARATOR
from bot.job import Job, State
from bot.model import Request
from bot.words import count, duration, rough

COMING_UP = "waiting for attach.sh; 2 to 5 minutes are normal"
BY_SLURM = " (Slurm's own time limit)"
READY = " The interactive cluster of job {job} is ready, and yours until {at}."
LATE = (
    " Job {job} runs, but after {waited} its attach.sh has still not come. The bot goes on "
    "looking; the nodes are taken meanwhile."
)
SOON = " The interactive job {job} ends {at}, in less than {before}."
IDLE = (
    " The GPUs of the interactive job {job} have had no work since {since}. It holds "
    "{nodes} until {at}."
)
NOT_RELEASED = " The time of the interactive job {job} is up, but Slurm did not let the bot end it."


def facts(job: Job, now: datetime | None = None) -> tuple[Fact, ...]:
    """Return what is worth knowing of an interactive job that has not ended.

    With `now`, also how much of its time is left: for a card that does not live.
    """
    session, state = job.session, job.seen.state
    if session is None or state.ended:
        return ()
    if job.releases is None:
        return (parts.stay(session.stay),)
    left = f", in {rough(job.releases - now)}" if now and job.releases > now else ""
    found = [Fact(label="Until", value=(Moment(at=job.releases), left, _by_slurm(job)))]
    if job.attach:
        found.insert(0, Fact(label="Attach", value=(Mono(text=attach_line(job)),)))
    elif state is State.RUNNING:
        told = session.told if session.attempt == job.attempt else ""
        found.insert(0, Fact(label="Coming up", value=(told or COMING_UP,)))
    return tuple(found)


def _by_slurm(job: Job) -> str:
    limit = job.seen.time_limit
    first = job.session is not None and limit is not None and limit < job.session.stay
    return BY_SLURM if first else ""


def controls(job: Job, *, urgent: bool = False) -> tuple[Button, ...]:
    """Return what can be done about an interactive job's stay; urgent where it ends soon."""
    can = job.releases is not None and job.extension > timedelta()
    return (*((_extend(job, urgent=urgent),) if can else ()), _release(job))


def _extend(job: Job, *, urgent: bool) -> Button:
    stay = job.session.stay if job.session is not None else timedelta()
    return Button(
        action="extend_session",
        label=f"Extend {duration(job.extension)}",
        style="primary" if urgent else "",
        value=f"{job.key}{SEPARATOR}{int(stay.total_seconds())}",
    )


def _release(job: Job) -> Button:
    return Button(
        action="cancel_job",
        label="Release Now",
        value=job.key,
        style="danger",
        confirm=f"This ends job {job.id} on {job.cluster} and all that runs in it.",
    )


def attach_line(job: Job, worker: int | None = None) -> str:
    """Return what is typed on the login node: `cd …/nemo_rl; bash 75/attach.sh 1`."""
    script, folder = job.attach, posixpath.dirname(job.attach)
    if posixpath.basename(script) == "attach.sh":
        folder = posixpath.dirname(folder)
    relative = posixpath.relpath(script, folder or "/")
    which = "" if worker is None else f" {worker}"
    return f"cd {shlex.quote(folder)}; bash {shlex.quote(relative)}{which}"


def ready(request: Request, job: Job, ssh: str) -> Card:
    """Tell the person the exact lines that lead in."""
    said: list[Excerpt | Paragraph] = [
        Excerpt(caption=("In a terminal",), text=f"{ssh}\n{attach_line(job)}")
    ]
    workers = job.seen.nodes - 1
    if workers > 0:
        said.append(
            Excerpt(
                caption=(f"On a worker (1 to {workers})" if workers > 1 else "On worker 1",),
                text=f"{ssh}\n{attach_line(job, 1)}",
            )
        )
    return Card(
        tone=Tone.DONE,
        lead=(_to(request), *parts.fill(READY, job=job.id, at=_release_at(job))),
        parts=tuple(said),
        foot=(("If the connection is lost, the same lines lead in again.",),),
    )


def late(request: Request, job: Job, waited: timedelta) -> Card:
    """Say that there is still no way in, and what was seen last."""
    told = job.session.told if job.session is not None else ""
    seen = (Excerpt(caption=("Last seen in its logs",), text=told),) if told else ()
    nothing = (Paragraph(text=("Its logs say nothing so far.",)),)
    return Card(
        tone=Tone.TROUBLE,
        lead=(_to(request), *parts.fill(LATE, job=job.id, waited=duration(waited))),
        parts=seen or nothing,
        buttons=(_release(job), _log(job)),
    )


def _log(job: Job) -> Button:
    return Button(action="show_log", label="Show Log", value=job.key)


def reminder(request: Request, job: Job, before: timedelta) -> Card:
    """Tell the person that it is released soon."""
    words = parts.fill(SOON, job=job.id, at=_release_at(job), before=duration(before))
    return Card(
        tone=Tone.WAITING,
        lead=(_to(request), *words),
        buttons=controls(job, urgent=True),
    )


def idle(request: Request, job: Job, since: datetime) -> Card:
    """Tell the person that nothing uses what they hold."""
    words = parts.fill(
        IDLE,
        job=job.id,
        since=Moment(at=since),
        nodes=count(job.seen.nodes, "node"),
        at=_release_at(job),
    )
    return Card(tone=Tone.TROUBLE, lead=(_to(request), *words), buttons=(_release(job),))


def extended(job: Job, by: str) -> Card:
    """Say who extended the stay, and until when."""
    words = "Extended by {who}: it stays until {at}{why}."
    return Card(
        lead=parts.fill(words, who=Person(user=by), at=_release_at(job), why=_by_slurm(job))
    )


def not_released(request: Request, job: Job, why: str) -> Card:
    """Say that the time is up and the job cannot be ended."""
    return Card(
        tone=Tone.TROUBLE,
        lead=(_to(request), *parts.fill(NOT_RELEASED, job=job.id)),
        foot=((Mono(text=why),),) if why else (),
    )


def _to(request: Request) -> Person:
    return Person(user=request.caller.user)


def _release_at(job: Job) -> Text:
    return (Moment(at=job.releases),) if job.releases else ("when its time is up",)
