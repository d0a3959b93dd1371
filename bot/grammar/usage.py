"""Help, made from the models: a line of usage, a page for a subcommand, a page for all of them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.card import Bullets, Card, Excerpt, Mono, Paragraph, Part, Table, Text
from bot.grammar.commands import COMMANDS, GROUPS, Command
from bot.options import Option, typed_fields

_MANY = 6
"""Options that still fit a line of usage."""

_MORE = (
    "Add `--help` to a command for its options. The same words work by mention, also in threads;"
    " in a job's own thread the job may be left out."
)


@dataclass(frozen=True)
class Help:
    """A wish for help."""

    topic: str = ""
    """A slash command (`nemo`), a subcommand or the first of its two words, or empty for all."""
    unknown: str = ""
    """What help was asked for and there is none."""


def usage(command: Command) -> str:
    """Return the line: `/slurm logs [JOB] [SOURCE] [-n N] [--grep RE] [--cluster NAME]`."""
    required = command.model.model_fields
    words, flags, last = [], [], ""
    for name, option in typed_fields(command.model):
        if not option.help or option.open:
            continue
        if option.rest:
            last = f" [-- {option.metavar}]"
        elif option.positional:
            words.append(_word(option, required=required[name].is_required()))
        else:
            flags.append(f"[{_flag(option.flags[0], option)}]")
    if len(flags) > _MANY:
        flags = ["[options]"]
    return " ".join([f"/{command.name}", *words, *flags]) + last


def _word(option: Option, *, required: bool) -> str:
    name = "|".join(option.choices) or option.metavar
    return name if required else f"[{name}]"


def _flag(flag: str, option: Option) -> str:
    return f"{flag} {option.metavar}" if option.metavar else flag


def help_card(wish: Help) -> Card:
    """Return the page that answers a wish for help."""
    for command in COMMANDS:
        if command.name == wish.topic:
            return _page(command)
    groups = [name for name in GROUPS if not wish.topic or name == wish.topic.split()[0]]
    listed = [c for c in COMMANDS if f"{c.name} ".startswith(f"{wish.topic} ".lstrip())]
    rows = [(f"/{c.name}", c.summary) for c in listed]
    return Card(
        lead=_lead(wish),
        parts=(
            Table(head=("Command", "What it does"), rows=tuple(rows)),
            Paragraph(text=marked(_MORE)),
        ),
        foot=_others(groups),
    )


def _lead(wish: Help) -> Text:
    if wish.unknown:
        return ("There is no help on ", Mono(text=wish.unknown), ". These are the commands:")
    if wish.topic in GROUPS:
        return (Mono(text=f"/{wish.topic}"), f": {GROUPS[wish.topic]}")
    if wish.topic:
        return (Mono(text=f"/{wish.topic}"), " needs one more word:")
    return ("Commands",)


def _others(shown: list[str]) -> tuple[Text, ...]:
    """Name the slash commands that a page does not show."""
    return tuple(
        (Mono(text=f"/{name} help"), f": {summary}")
        for name, summary in GROUPS.items()
        if name not in shown
    )


def _page(command: Command) -> Card:
    options = [option for _, option in typed_fields(command.model) if option.help]
    options.sort(key=lambda option: not option.positional)
    items = tuple((Mono(text=_names(option)), ": ", *_explained(option)) for option in options)
    parts: list[Part] = [
        Excerpt(caption=("Usage",), text=usage(command)),
        Bullets(items=items),
    ]
    if command.examples:
        parts.append(Excerpt(caption=("Examples",), text="\n".join(command.examples)))
    return Card(lead=(Mono(text=f"/{command.name}"), f": {command.summary}"), parts=tuple(parts))


def _names(option: Option) -> str:
    flags = ", ".join(option.flags)
    if option.positional or option.open:
        return f"{option.metavar} ({flags})" if flags else option.metavar
    return _flag(flags, option)


def _explained(option: Option) -> Text:
    choices = ", ".join(f"`{choice}`" for choice in option.choices)
    return marked(f"{option.help} ({choices})" if choices else option.help)


def marked(words: str) -> Text:
    """Return words in which what stands in `backticks` is set as such.

    A backtick without a second one is itself.
    """
    pieces = re.split("`([^`]*)`", words)
    return tuple(Mono(text=p) if i % 2 else p for i, p in enumerate(pieces) if p)
