"""Help, made from the models: a line of usage, a page for a subcommand, a page for all of them."""

from __future__ import annotations

from dataclasses import dataclass

from bot.card import Card, Excerpt, Mono, Paragraph, Part, Table, Text
from bot.grammar.commands import COMMANDS, Command
from bot.options import Option, typed_fields

_MANY = 6
"""Options that still fit a line of usage."""

_MORE = (
    " to a command for its options. The same words work by mention; in a job's own thread the"
    " job may be left out."
)


@dataclass(frozen=True)
class Help:
    """A wish for help."""

    topic: str = ""
    """A slash command (`nemo`), a subcommand (`slurm logs`), or empty for everything."""
    unknown: str = ""
    """What help was asked for and there is none."""


def usage(command: Command) -> str:
    """Return the line: `/slurm logs [JOB] [SOURCE] [-n N] [--grep RE] [--cluster NAME]`."""
    required = command.model.model_fields
    words, flags, last = [], [], ""
    for name, option in typed_fields(command.model):
        if not option.help:
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
    lead: Text = ("Commands",)
    if wish.unknown:
        lead = ("There is no help on ", Mono(text=wish.unknown), "; this is what there is")
    for command in COMMANDS:
        if command.name == wish.topic:
            return _page(command)
    shown = [c for c in COMMANDS if not wish.topic or c.group == wish.topic]
    return Card(
        lead=lead,
        parts=(
            Table(
                head=("Command", "What it does"),
                rows=tuple((f"/{command.name}", command.summary) for command in shown),
            ),
            Paragraph(text=("Add ", Mono(text="--help"), _MORE)),
        ),
    )


def _page(command: Command) -> Card:
    rows = tuple((_names(option), _explained(option)) for _, option in typed_fields(command.model))
    parts: list[Part] = [
        Excerpt(caption=("Usage",), text=usage(command)),
        Table(head=("Option", "Meaning"), rows=rows),
    ]
    if command.examples:
        parts.append(Excerpt(caption=("Examples",), text="\n".join(command.examples)))
    return Card(lead=(Mono(text=f"/{command.name}"), f": {command.summary}"), parts=tuple(parts))


def _names(option: Option) -> str:
    flags = ", ".join(option.flags)
    if option.positional:
        return f"{option.metavar} ({flags})" if flags else option.metavar
    return _flag(flags, option)


def _explained(option: Option) -> str:
    if option.choices:
        return f"{option.help}: {', '.join(option.choices)}"
    return option.help
