"""What the doctor found: what fails first, each with what to do about it."""

from __future__ import annotations

from collections.abc import Sequence

from bot.card import Bullets, Card, Mono, Part, Strong, Table, Text, Tone
from bot.cards import parts
from bot.cards.trouble import sentences
from bot.check import Check
from bot.words import count


def looking(cluster: str) -> Card:
    """Say that it takes a while."""
    lead = f"Looking at {cluster}: its login node, Slurm, recipes, images and secrets."
    return Card(tone=Tone.WORKING, lead=(lead,), foot=(("This may take half a minute.",),))


def doctor_card(cluster: str, checks: Sequence[Check]) -> Card:
    """Show every check; what is well is summed up in a table below what is not."""
    failing = [check for check in checks if not check.ok]
    well = [check for check in checks if check.ok]
    body: list[Part] = []
    if failing:
        body.append(Bullets(items=tuple(_failing(cluster, check) for check in failing)))
    if well:
        # A cell shows backticks as they are.
        rows = tuple((_short(cluster, check), check.detail.replace("`", "")) for check in well)
        body.append(Table(head=("Well", "What was found"), rows=rows))
    return Card(
        tone=Tone.TROUBLE if failing else Tone.DONE,
        lead=_lead(cluster, len(failing), len(checks)),
        parts=tuple(body),
        foot=(parts.fill("Look again with {command}.", command=Mono(text="/slurm doctor")),),
    )


def _lead(cluster: str, failing: int, total: int) -> Text:
    if not failing:
        return (f"{cluster} is well: all {count(total, 'check')} passed.",)
    return (f"{cluster}: {failing} of {count(total, 'check')} failed.",)


def _failing(cluster: str, check: Check) -> Text:
    name = Strong(text=_short(cluster, check))
    return (name, ": ", *sentences(check.detail), " ", *sentences(check.fix))


def _short(cluster: str, check: Check) -> str:
    return check.name.removeprefix(f"{cluster}: ")
