"""How every cluster is: whether it answers, what is free, how it is reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.card import Bullets, Card, Moment, Table, Text, Tone
from bot.cards import parts
from bot.cards.trouble import sentences
from bot.cluster.glance import Glance
from bot.cluster.login import Health
from bot.words import count


@dataclass(frozen=True)
class Standing:
    """What is known of one cluster now."""

    name: str
    reached: str
    """How: `trainer@login.example.org, through bastion.example.org`."""
    health: Health
    latency: float | None = None
    """Seconds of a round trip; None when none came back."""
    glance: Glance | None = None
    """None when Slurm did not answer."""
    trouble: str = ""


def clusters_card(standings: Sequence[Standing], default: str) -> Card:
    """Show the clusters that a person may use; `default` is meant where none is named."""
    answering = [one for one in standings if one.latency is not None]
    troubled = [one for one in standings if one.trouble]
    return Card(
        tone=Tone.TROUBLE if troubled else Tone.PLAIN,
        lead=(_lead(standings, answering),),
        parts=(
            Table(
                head=("Cluster", "Answers", "Slurm", "Nodes", "Reached as"),
                rows=tuple(_row(one, default) for one in standings),
            ),
            *((Bullets(items=tuple(map(_trouble, troubled))),) if troubled else ()),
        ),
        foot=(_default(default),),
    )


def _lead(standings: Sequence[Standing], answering: Sequence[Standing]) -> str:
    if len(standings) == 1:
        name = standings[0].name
        return f"{name} answers." if answering else f"{name} does not answer."
    if len(answering) == len(standings):
        return f"All {len(standings)} clusters answer."
    return f"{len(answering)} of {len(standings)} clusters answer."


def _row(one: Standing, default: str) -> tuple[str, ...]:
    name = f"{one.name} (default here)" if one.name == default else one.name
    answers = "no" if one.latency is None else f"in {max(one.latency * 1000, 1):,.0f} ms"
    if one.glance is None:
        return (name, answers, "no answer", "not known", one.reached)
    seen = one.glance
    nodes = f"{count(seen.nodes, 'node')}, {seen.up} up, {seen.free} free"
    return (name, answers, seen.version, nodes, one.reached)


def _trouble(one: Standing) -> Text:
    since = one.health.failing_since
    last = one.health.last_ok
    if one.latency is None and since is not None:
        head = parts.fill(
            "{name} does not answer since {since}. ", name=one.name, since=Moment(at=since)
        )
    elif one.latency is None and last is not None:
        head = parts.fill(
            "{name} does not answer; it last did {last}. ", name=one.name, last=Moment(at=last)
        )
    else:
        head = (f"{one.name}: ",)
    return (*head, *sentences(one.trouble))


def _default(default: str) -> Text:
    if not default:
        return ("This channel has no default; name one with --cluster.",)
    return (f"Commands in this channel mean {default} unless they name another with --cluster.",)
