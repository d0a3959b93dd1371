"""What went wrong with what was typed or clicked, what is possible, what to type instead."""

from __future__ import annotations

from collections.abc import Sequence

from bot.card import Bullets, Card, Mono, Text, Tone
from bot.cards import parts
from bot.errors import (
    ClusterError,
    FieldError,
    InputRefused,
    SbatchatError,
    SlurmRateLimited,
    SlurmUnreachable,
)
from bot.grammar.usage import marked
from bot.leaks import OTHER, leak
from bot.words import count, listed

NO_FIELD = {"command", "environment", "args"}
"""What is wrong with the whole of what was typed is not said beside a field."""

CAME_LATE = "Slack may say that this failed; it arrived and is being done. Do not type it again."
"""For whom Slack may have told that a command failed: its acknowledgement was late or lost."""

SLURM_SAYS: dict[type[SbatchatError], str] = {
    SlurmUnreachable: "Slurm does not answer.",
    SlurmRateLimited: "Slurm asks to slow down. Try again in a minute.",
}
"""Errors whose own sentence is a program's; it goes into the small print."""


def refused_input(error: InputRefused, typed: str) -> Card:
    """Say everything that is wrong, and what was typed; nothing was run."""
    items = tuple(_item(one, error.usage) for one in error.errors)
    foot: list[Text] = [("Not run: ", Mono(text=typed))] if typed else []
    if error.usage:
        foot.append(("Usage: ", Mono(text=error.usage)))
    if len(items) == 1:
        return Card(tone=Tone.TROUBLE, lead=items[0], foot=tuple(foot))
    return Card(
        tone=Tone.TROUBLE,
        lead=(f"{count(len(items), 'thing')} to correct, then send it again:",),
        parts=(Bullets(items=items),),
        foot=tuple(foot),
    )


def _item(error: FieldError, usage: str) -> Text:
    """Return what is wrong, under the name of its field unless the words hold that already."""
    hint = error.hint if error.hint != usage else ""
    said = sentences(error.message, hint)
    field = error.field.replace("_", "-")
    if not field or field in NO_FIELD or _names(error.message, field):
        return said
    return (Mono(text=field), ": ", *said)


def _names(message: str, field: str) -> bool:
    """Whether a message names its field: by its own name, or as what is missing."""
    said = message.lower().replace(" ", "-")
    return field.lower() in said or said.endswith("-is-missing")


def sentences(*words: str) -> Text:
    """Return sentences, each with its full stop; what stands in `backticks` is set as such."""
    whole = [word if word.endswith((".", "?", "!")) else f"{word}." for word in words if word]
    return marked(" ".join(whole))


def refused(error: SbatchatError) -> Card:
    """Show an error of the bot's own, in its own sentence."""
    if not isinstance(error, ClusterError):
        return Card(tone=Tone.TROUBLE, lead=sentences(error.sentence))
    # Whether a cancel arrived is not known; a submission is told in its own message.
    nothing: Text = ("Nothing was submitted.",)
    words = SLURM_SAYS.get(type(error))
    if words is None:
        return Card(tone=Tone.TROUBLE, lead=sentences(error.sentence), foot=(nothing,))
    return Card(tone=Tone.TROUBLE, lead=(words,), foot=((Mono(text=error.sentence),), nothing))


def pasted(kinds: Sequence[str], *, visible: bool) -> Card:
    """Say that a secret was pasted, and what to do now; `visible` when others can read it there."""
    leaks = [leak(kind) for kind in kinds]
    what = listed([one.what for one in leaks])
    names = [one.name for one in leaks if one.name]
    steps: list[Text] = [marked(f"{one.revoke}.") for one in leaks]
    if visible:
        steps.insert(0, ("Delete your message: whoever is in this conversation can read it.",))
    if names:
        said = listed([f"`{name}`" for name in names])
        steps.append(
            marked(
                f"Ask the bot's administrators to put the new one into the bot's configuration as "
                f"{said}; launches then have it. `/slurm secrets` shows how it is."
            )
        )
    if OTHER in leaks:
        steps.append(("If it is none, put that text into the script on the cluster instead.",))
    return Card(
        tone=Tone.TROUBLE,
        lead=parts.fill(
            "Nothing was run. That text holds what looks like {what}. "
            "It was neither stored nor repeated.",
            what=what,
        ),
        parts=(Bullets(items=tuple(steps)),),
    )


def said(sentence: str, tone: Tone = Tone.PLAIN) -> Card:
    """Say one sentence."""
    return Card(tone=tone, lead=(sentence,))


def broke(error_id: str) -> Card:
    """Own up to a fault of the bot."""
    return Card(
        tone=Tone.TROUBLE,
        lead=parts.fill(
            "The bot broke on this. Its administrators find the reason in its log under {id}.",
            id=Mono(text=error_id),
        ),
    )
