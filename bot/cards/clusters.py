"""How every cluster is: whether it answers, what is free, how it is reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.card import Bullets, Card, Moment, Mono, Strong, Text, Tone
from bot.cards import parts
from bot.cards.trouble import sentences
from bot.cluster.glance import Glance
from bot.cluster.login import Health
from bot.words import count, every


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
        parts=(Bullets(items=tuple(_item(one, default) for one in standings)),),
        foot=(_default(default),),
    )


def _lead(standings: Sequence[Standing], answering: Sequence[Standing]) -> str:
    if len(standings) == 1:
        name = standings[0].name
        return f"{name} answers." if answering else f"{name} does not answer."
    if len(answering) == len(standings):
        return f"{every(len(standings), 'cluster')} answer."
    return f"{len(answering)} of {len(standings)} clusters answer."


def _item(one: Standing, default: str) -> Text:
    """Return a cluster: whether it answers, what is free, how it is reached, what is wrong."""
    name = Strong(text=one.name)
    here = " (default here)" if one.name == default else ""
    reached: Text = (" Reached as ", Mono(text=one.reached), ".")
    if one.latency is None:
        return (name, f"{here} ", *_silent(one), *reached)
    answers = f"{here} answers in {max(one.latency * 1000, 1):,.0f} ms. "
    seen = one.glance
    if seen is None:
        return (name, answers, *sentences(one.trouble or "Slurm does not answer"), *reached)
    nodes = f"Slurm {seen.version}: {count(seen.nodes, 'node')}, {seen.up} up, {seen.free} free."
    trouble: Text = (" ", *sentences(one.trouble)) if one.trouble else ()
    return (name, answers, nodes, *trouble, *reached)


def _silent(one: Standing) -> Text:
    since, last = one.health.failing_since, one.health.last_ok
    head: Text = ("does not answer.",)
    if since is not None:
        head = parts.fill("has not answered since {since}.", since=Moment(at=since))
    elif last is not None:
        head = parts.fill("does not answer; it last did {last}.", last=Moment(at=last))
    return (*head, " ", *sentences(one.trouble)) if one.trouble else head


def _default(default: str) -> Text:
    if not default:
        return ("This channel has no default; name one with --cluster.",)
    return (f"Commands in this channel mean {default} unless they name another with --cluster.",)
