"""A node that failed in the same way again: what administrators are told, and the job's person."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.blame import Again, Blame
from bot.card import (
    Bullets,
    Card,
    Excerpt,
    Fact,
    Link,
    Moment,
    Mono,
    Part,
    Person,
    Span,
    Text,
    Tone,
)
from bot.cards.admins import DRAIN
from bot.cluster.slurm import NodeState
from bot.job import Job
from bot.words import count

TWICE = 2
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""What a node's name is made of: nothing that a shell reads in another way."""


@dataclass(frozen=True)
class Failure:
    """One of the failures, with what is still known of it."""

    blame: Blame
    job: Job | None = None
    link: str = ""
    """Where it was told."""
    proof: Excerpt | None = None
    """The lines that proved its cause."""


def again_card(one: Again, failures: Sequence[Failure], state: NodeState | None) -> Card:
    """Return the message for administrators; `state` is how Slurm shows the node now."""
    newest = one.newest
    times = len(one.blames)
    how_often = "twice" if times == TWICE else f"{times} times"
    proof = next((each.proof for each in reversed(failures) if each.proof), None)
    listed: list[Part] = [Bullets(items=tuple(_failure(each) for each in failures))]
    return Card(
        tone=Tone.TROUBLE,
        lead=(
            *("Node ", Mono(text=newest.node), f" of {newest.cluster} failed {how_often} "),
            f"in the same way within a week. {newest.cause}",
        ),
        facts=_now(state),
        parts=(*listed, *((proof,) if proof else ()), *_take_out(newest, state)),
    )


def with_past(card: Card, blames: Sequence[Blame]) -> Card:
    """Return the diagnosis of a job with a word on its node, if that failed so before."""
    if not blames:
        return card
    last = blames[-1]
    more = f", and {count(len(blames) - 1, 'time')} before that" if len(blames) > 1 else ""
    when = Moment(at=last.at)
    said: Text = (
        "Node ",
        Mono(text=last.node),
        f" failed in the same way in job {last.job}, ",
        when,
        f"{more}.",
    )
    return card.model_copy(update={"foot": (*card.foot, said)})


def _failure(one: Failure) -> Text:
    """Return `Job 71 of @alice (account trainer), attempt 2, on Tuesday`."""
    name = f"Job {one.blame.job}"
    spans: list[Span] = [Link(text=name, url=one.link) if one.link else name]
    if one.job is not None:
        who = [Person(user=one.job.caller)] if one.job.caller else []
        account = f"account {one.job.seen.user}" if one.job.seen.user else ""
        spans += [" of ", *who] if who else []
        spans += [f" ({account})" if who else f" of {account}"] if account else []
    if one.blame.attempt > 1:
        spans.append(f", attempt {one.blame.attempt}")
    return (*spans, ", ", Moment(at=one.blame.at))


def _now(state: NodeState | None) -> tuple[Fact, ...]:
    if state is None:
        return ()
    words = " + ".join((state.state, *state.flags))
    reason = f": {state.reason}" if state.reason else ""
    return (Fact(label="Now", value=(Mono(text=words), reason)),)


def _take_out(newest: Blame, state: NodeState | None) -> list[Part]:
    """Return the line that keeps jobs away from it, unless they are kept away already."""
    gone = state is not None and (state.state == "down" or "drain" in state.flags)
    if gone or not _PLAIN.fullmatch(newest.node):
        return []
    line = DRAIN.format(nodes=newest.node, reason=newest.label)
    return [Excerpt(caption=("To keep jobs away from it",), text=line)]
