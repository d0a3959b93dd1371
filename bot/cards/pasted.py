"""What is said of a log that somebody pasted or uploaded."""

from __future__ import annotations

from collections.abc import Sequence

from bot.card import Bullets, Card, Mono, Paragraph, Part, Person, Text, Tone
from bot.cards import parts, why
from bot.diagnosis import Finding
from bot.diagnosis.finding import NOT_IN_LOG
from bot.grammar.usage import marked
from bot.leaks import leak
from bot.model import Act
from bot.words import count

HOW = "Paste the log as text, or share it as a text file, and choose the shortcut there."


def reading(act: Act) -> Card:
    """Say at once that a message is being read, and where the answer comes."""
    what = count(len(act.files), "file") if act.files else "that text"
    return Card(
        tone=Tone.WORKING, lead=(f"Reading {what}. The answer comes into the message's thread.",)
    )


def pasted_card(
    act: Act,
    finding: Finding,
    *,
    tail: str,
    read: Sequence[tuple[str, int]],
    unread: Sequence[tuple[str, str]],
) -> Card:
    """Return the diagnosis; `read` is each log's name and bytes, `unread` a name and why not."""
    foot = (*why.certainty(finding), _of(act, read))
    rest: list[Part] = [*_left_out(unread), *_leaks(act)]
    if finding.healthy:
        lead = "Nothing in this text looks like a failure."
        return Card(lead=(lead,), parts=tuple(rest), foot=foot[-1:])
    proof = why.proof(finding, tail)
    if finding.label == NOT_IN_LOG:
        missing = "It may stand earlier in the log, or in the log of another rank: share that too."
        proof = [*proof, Paragraph(text=(missing,))]
    return Card(tone=Tone.FAILED, lead=(finding.title,), parts=(*proof, *rest), foot=foot)


def nothing_to_read(unread: Sequence[tuple[str, str]]) -> Card:
    """Say that a message holds no text, and what to do."""
    lead = "Nothing in this message can be read." if unread else "This message holds no text."
    return Card(tone=Tone.TROUBLE, lead=(lead,), parts=tuple(_left_out(unread)), foot=((HOW,),))


def _left_out(unread: Sequence[tuple[str, str]]) -> list[Part]:
    items: tuple[Text, ...] = tuple(
        parts.fill("{name} {why}.", name=Mono(text=name), why=why_not) for name, why_not in unread
    )
    return [Bullets(items=items)] if items else []


def _leaks(act: Act) -> list[Part]:
    """Say which secrets stand in the message for all to read."""
    said = (leak(kind) for kind in act.leaked)
    items = tuple(
        marked(f"The message holds what looks like {one.what}. {one.revoke}.") for one in said
    )
    return [Bullets(items=items)] if items else []


def _of(act: Act, read: Sequence[tuple[str, int]]) -> Text:
    """Return what was read, and for whom."""
    what = ", ".join(f"{name} ({_size(size)})" for name, size in read)
    return ("Read for ", Person(user=act.caller.user), f": {what}")


def _size(size: int) -> str:
    for unit, least in (("MB", 1_000_000), ("kB", 1_000)):
        if size >= least:
            return f"{size / least:.1f} {unit}"
    return count(size, "byte")
