"""The living message of an errand: what it does, how far it is, what came of it."""

from __future__ import annotations

from datetime import timedelta

from bot.card import (
    Button,
    Card,
    Excerpt,
    Fact,
    Moment,
    Mono,
    Paragraph,
    Part,
    Person,
    Text,
    Tone,
)
from bot.cards import parts
from bot.cards.errand_steps import step_words
from bot.cards.errand_troubles import SILENT, trouble
from bot.cards.progress import BAR, EMPTY, FULL
from bot.cards.trouble import sentences
from bot.errand import Errand, ErrandStage, Step, StepState
from bot.words import duration, storage

STOP, AGAIN = "stop_errand", "errand_again"
"""What its buttons do."""

SIGNS = {
    StepState.RUNNING: "…",
    StepState.DONE: "✓",
    StepState.THERE: "✓",
    StepState.KEPT: "–",
    StepState.FAILED: "✗",
}
LONG = timedelta(minutes=1)
"""From which on a person is told of the end."""
LONGEST = 160
"""Characters of a line of output beside a step."""
FACTS = {"path": "Image"}
"""What was made, by the name the script gave it; what else was verified stands in the steps."""


def errand_card(errand: Errand) -> Card:
    """Return what the message shows now."""
    match errand.stage:
        case ErrandStage.ACCEPTED | ErrandStage.RUNNING:
            return _at_work(errand)
        case ErrandStage.DONE:
            return _ended(errand, Tone.DONE, _took(errand, "Done"))
        case ErrandStage.STOPPED:
            lead: Text = ("Stopped. What was half done is not in place.",)
            if errand.stopper:
                words = "Stopped by {who}. What was half done is not in place."
                lead = parts.fill(words, who=Person(user=errand.stopper))
            return _ended(errand, Tone.STOPPED, lead, again=True)
        case ErrandStage.FAILED:
            return _failed(errand)


def _at_work(errand: Errand) -> Card:
    lead: Text = (f"At work on {errand.cluster} …",)
    if errand.stage is ErrandStage.ACCEPTED:
        waits = f"Waiting on {errand.cluster}: {errand.line}."
        lead = (waits if errand.line else f"Starting on {errand.cluster} …",)
    elif errand.steps:
        began = errand.steps[0].began
        lead = parts.fill(
            "At work on {cluster} since {began}.", cluster=errand.cluster, began=Moment(at=began)
        )
    if errand.stopper:
        lead = parts.fill("Being stopped by {who} …", who=Person(user=errand.stopper))
    if errand.trouble:
        lead = (
            f"{errand.trouble} Nothing is lost: it is looked at as soon as there is an answer.",
        )
    stop = Button(
        action=STOP,
        label="Stop",
        value=errand.id,
        style="danger",
        confirm="What is half done is thrown away; what was there before stays.",
    )
    return Card(
        title=errand.title,
        tone=Tone.TROUBLE if errand.trouble else Tone.WORKING,
        lead=lead,
        parts=_steps(errand),
        buttons=() if errand.stopper else (stop,),
        foot=_foot(errand),
    )


def _failed(errand: Errand) -> Card:
    sentence, remedy = _trouble(errand)
    excerpt = "" if errand.failure in SILENT else last_lines(errand.tail)
    last_said = (Excerpt(caption=("The last lines it wrote",), text=excerpt),) if excerpt else ()
    return _ended(
        errand,
        Tone.FAILED,
        sentences(sentence),
        before=(Paragraph(text=sentences(remedy)),) if remedy else (),
        after=last_said,
        again=True,
    )


def _trouble(errand: Errand) -> tuple[str, str]:
    """Return what went wrong and what to do."""
    last = errand.steps[-1] if errand.steps else None
    detail = last.detail if last and last.state is StepState.FAILED else ""
    return trouble(errand.failure, detail, errand.tail)


def _ended(
    errand: Errand,
    tone: Tone,
    lead: Text,
    *,
    before: tuple[Part, ...] = (),
    after: tuple[Part, ...] = (),
    again: bool = False,
) -> Card:
    known = dict(errand.facts) if tone is Tone.DONE else {}
    facts = tuple(
        Fact(label=label, value=(Mono(text=known[name].strip()),))
        for name, label in FACTS.items()
        if known.get(name)
    )
    next_step = errand.hint if tone is Tone.DONE else ""
    hint = (Paragraph(text=sentences(next_step)),) if next_step else ()
    button = Button(action=AGAIN, label="Try Again", value=errand.id, style="primary")
    return Card(
        title=errand.title,
        tone=tone,
        lead=lead,
        facts=facts,
        parts=(*before, *_steps(errand), *after, *hint),
        buttons=(button,) if again else (),
        foot=_foot(errand),
    )


def notice(errand: Errand) -> Card | None:
    """Tell the person of the end of what took long; None where they have hardly looked away.

    Who stopped it knows.
    """
    took = errand.ended - errand.created if errand.ended else timedelta()
    if took < LONG or errand.stage not in {ErrandStage.DONE, ErrandStage.FAILED}:
        return None
    person = Person(user=errand.caller.user)
    if errand.stage is ErrandStage.DONE:
        lead: Text = (person, f" {errand.title}: done after {duration(took)}.")
        return Card(tone=Tone.DONE, lead=lead)
    sentence, _ = _trouble(errand)
    return Card(tone=Tone.FAILED, lead=(person, f" {errand.title}: ", *sentences(sentence)))


def _took(errand: Errand, word: str) -> Text:
    if not errand.steps or errand.ended is None:
        return (f"{word}.",)
    return (f"{word} on {errand.cluster} in {duration(errand.ended - errand.steps[0].began)}.",)


def _steps(errand: Errand) -> tuple[Part, ...]:
    """Return the steps, each on a line of its own behind its sign."""
    if not errand.steps:
        return ()
    first, *others = (_step(errand, step) for step in errand.steps)
    rest = (span for row in others for span in ("\n", *row))
    return (Paragraph(text=(*first, *rest)),)


def _step(errand: Errand, step: Step) -> Text:
    state = step.state
    if state is StepState.RUNNING and errand.stage is not ErrandStage.RUNNING:
        state = StepState.FAILED  # it was cut off
    words = f"{SIGNS[state]} {step_words(errand, step)}"
    if state is not StepState.RUNNING or step is not errand.steps[-1]:
        return (words,)
    if errand.growth and errand.growth.total:
        return (f"{words}  {_bar(errand)}",)
    return (f"{words}: ", Mono(text=errand.line[:LONGEST])) if errand.line else (words,)


def _bar(errand: Errand) -> str:
    """Return `▰▰▰▱▱▱ 3.1 GB of 7.2 GB`."""
    growth = errand.growth
    if growth is None:
        return ""
    full = min(BAR, int(growth.size * BAR / growth.total))
    words = f"{FULL * full}{EMPTY * (BAR - full)} {storage(growth.size)} of {storage(growth.total)}"
    if not growth.left:
        return words
    return f"{words}, about {duration(timedelta(seconds=growth.left))} left"


def _foot(errand: Errand) -> tuple[Text, ...]:
    return ((Person(user=errand.caller.user), " ", Mono(text=errand.typed)),)


def last_lines(text: str, lines: int = 10) -> str:
    """Return the end of an output, without blank lines."""
    return "\n".join([line.rstrip() for line in text.splitlines() if line.strip()][-lines:])


def running_already(errand: Errand, channel: str) -> Card:
    """Say that the same is being done, by whom, and how far it is."""
    where = "in this channel" if errand.caller.channel == channel else "in another channel"
    lead = parts.fill(
        "{title} is at work on {cluster} already: {who} started it {where}.",
        title=errand.title,
        cluster=errand.cluster,
        who=Person(user=errand.caller.user),
        where=where,
    )
    return Card(tone=Tone.WORKING, lead=lead, parts=_steps(errand))
