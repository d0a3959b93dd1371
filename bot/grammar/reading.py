"""Words → the validated model of a subcommand; everything that is wrong, at once."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping, Sequence
from typing import get_origin

from pydantic import ValidationError

from bot.complaints import Complaint, complaints
from bot.errors import FieldError, InputRefused
from bot.grammar.commands import Command
from bot.grammar.usage import usage
from bot.options import Option, Options, typed_fields
from bot.shape import shown
from bot.suggest import did_you_mean, misspelt, suggest

_LONGEST_NAME = 60
_NUMBER = re.compile(r"-[0-9.,]+")


def read(
    command: Command,
    words: Sequence[str],
    *,
    defaults: Mapping[str, str] | None = None,
    script_last: bool = False,
) -> Options:
    """Return the model; raises InputRefused with one error for each thing that is wrong.

    `defaults` are for fields that the words do not name. With `script_last`, all that follows the
    first plain word is its own, as with sbatch.
    """
    reading = _Reading(command)
    reading.take(deque(words), script_last=script_last)
    reading.place()
    return reading.validated(defaults or {})


class _Reading:
    """One pass over the words of a command."""

    def __init__(self, command: Command) -> None:
        self._command = command
        self._options: dict[str, Option] = dict(typed_fields(command.model))
        self._flags = {
            flag: name for name, option in self._options.items() for flag in option.flags
        }
        self._values: dict[str, object] = {}
        self._loose: list[str] = []
        self._rest: list[str] = []
        self._open = next((name for name, o in self._options.items() if o.open), "")
        self._foreign: list[str] = []
        """Options that no field has, with their values, for the field that takes such."""
        self._errors: list[FieldError] = []

    def take(self, queue: deque[str], *, script_last: bool) -> None:
        """Sort the words into options, plain words, and what follows `--`."""
        while queue:
            item = queue.popleft()
            if item == "--":
                self._rest = list(queue)
                return
            if _is_flag(item):
                self._take_flag(item, queue)
                continue
            self._loose.append(item)
            if script_last:
                self._rest = list(queue)
                return

    def _take_flag(self, item: str, queue: deque[str]) -> None:
        flag, value = _spelled(item, self._flags)
        name = self._flags.get(flag)
        if name is None and self._open and self._may_be_foreign(item):
            self._take_foreign(item, queue)
            return
        if name is None:
            self._unknown(flag, queue, alone=value is None)
            return
        option = self._options[name]
        if value is None and not option.metavar:
            self._put(name, flag, True)
        elif value is not None:
            self._put(name, flag, value)
        elif queue and not _is_flag(queue[0]):
            self._put(name, flag, queue.popleft())
        else:
            self._wrong(
                name, f"`{flag}` needs a value", f"`{flag} {option.metavar}`: {option.help}"
            )

    def _put(self, name: str, flag: str, value: object) -> None:
        if get_origin(self._command.model.model_fields[name].annotation) is tuple:
            held = self._values.setdefault(name, [])
            if isinstance(held, list):
                held.append(value)
        elif self._values.get(name, value) != value:
            self._wrong(name, f"`{flag}` is given twice", "Give it once")
        else:
            self._values[name] = value

    def _may_be_foreign(self, item: str) -> bool:
        """Whether this is an option of another program, and not one of ours misspelt."""
        name = item.partition("=")[0].lower().replace("_", "-")
        return item.startswith("--") and not misspelt(name, self._flags)

    def _take_foreign(self, item: str, queue: deque[str]) -> None:
        """Take an option of another program, with the words that must be its values."""
        values: list[str] = []
        if "=" not in item:
            while queue and not _is_flag(queue[0]) and not self._is_missed(queue):
                values.append(queue.popleft())
        self._foreign += [f"{item}={values[0]}"] if len(values) == 1 else [item, *values]

    def _is_missed(self, queue: deque[str]) -> bool:
        """Whether the next word is one that the command cannot do without."""
        if len(self._loose) >= self._required_words():
            return False
        wanted = [
            option
            for name, option in self._options.items()
            if option.positional and name not in self._values
        ]
        if not wanted:
            return False
        if any(_can_only_be(queue[0], option) for option in wanted):
            return True
        later = list(queue)[1:]
        flags = {flag for option in wanted for flag in option.flags}
        named = any(word.partition("=")[0] in flags for word in later)
        return not named and not any(_can_only_be(w, option) for option in wanted for w in later)

    def _unknown(self, flag: str, queue: deque[str], *, alone: bool) -> None:
        """Refuse an option, and with it the word that must be its value."""
        later = dict(self._command.later)
        if flag in later:
            self._wrong(flag, f"`{flag}` comes later; it is not built yet", later[flag])
            return
        near = suggest(flag, self._flags)
        hint = did_you_mean(flag, self._flags)
        self._wrong(
            flag,
            f"{shown(flag)} is not an option of `/{self._command.name}`",
            hint or f"`/{self._command.name} --help` lists them",
        )
        if near:
            takes = bool(self._options[self._flags[near[0]]].metavar)
        else:
            takes = len(self._loose) >= self._required_words()
        if alone and takes and queue and not _is_flag(queue[0]):
            queue.popleft()

    def _required_words(self) -> int:
        wanted = self._command.model.model_fields
        return sum(
            option.positional and wanted[name].is_required()
            for name, option in self._options.items()
        )

    def place(self) -> None:
        """Give the plain words to the fields that are typed by their place."""
        words = deque(self._loose)
        places = [
            (name, option)
            for name, option in self._options.items()
            if option.positional and not option.rest and name not in self._values
        ]
        for index, (name, option) in enumerate(places):
            others = [other for _, other in places[index + 1 :]]
            if words and not _belongs_later(words, option, others):
                self._values[name] = words.popleft()
        rest = next((name for name, option in self._options.items() if option.rest), "")
        if rest:
            self._values[rest] = [*words, *self._rest]
            return
        for word in words:
            self._wrong("command", f"{shown(word)} is one word too many", usage(self._command))
        if self._open:
            self._place_foreign()
            return
        if self._rest:
            self._wrong("command", "Nothing can follow `--` here", usage(self._command))

    def _place_foreign(self) -> None:
        """Give another program's options to the field that takes them; behind `--` all are."""
        queue = deque(self._rest)
        if queue and not _is_flag(queue[0]):
            self._wrong("command", f"{shown(queue[0])} is no option", "Options can follow `--`")
            return
        while queue:
            self._take_foreign(queue.popleft(), queue)
        if self._foreign:
            self._values[self._open] = self._foreign

    def validated(self, defaults: Mapping[str, str]) -> Options:
        """Return the model, or raise with all that was found."""
        try:
            options = self._command.model.model_validate({**defaults, **self._values})
        except ValidationError as error:
            known = {wrong.field for wrong in self._errors}
            for complaint in complaints(error):
                name = str(complaint.where[0]) if complaint.where else "command"
                if name not in known:
                    self._complain(name, complaint)
        else:
            if not self._errors:
                return options
        raise InputRefused(tuple(self._errors), usage(self._command))

    def _complain(self, name: str, complaint: Complaint) -> None:
        option = self._options.get(name)
        metavar, help = (option.metavar, option.help) if option else (name, "")
        if complaint.kind == "missing":
            self._wrong(name, f"{metavar} is missing", f"Name {help}" if help else "")
        else:
            self._wrong(name, complaint.message, complaint.hint)

    def _wrong(self, where: str, message: str, hint: str = "") -> None:
        self._errors.append(FieldError(where[:_LONGEST_NAME], message, hint))


def _can_only_be(word: str, option: Option) -> bool:
    """Whether a word is what an option takes, and could be nothing else."""
    return bool(option.also and re.fullmatch(option.also, word))


def _is_flag(item: str) -> bool:
    return item.startswith("-") and len(item) > 1 and not _NUMBER.fullmatch(item)


def _belongs_later(words: deque[str], option: Option, others: list[Option]) -> bool:
    """Whether the next word is a choice of a later place, and this place may stay empty."""
    spare = len(words) <= len(others)
    return (
        spare
        and not _is_choice(words[0], option)
        and any(_is_choice(words[0], other) for other in others)
    )


def _is_choice(word: str, option: Option) -> bool:
    named = word.lower()
    return named in option.choices or re.fullmatch(option.also or "(?!)", named) is not None


def _spelled(item: str, flags: Mapping[str, str]) -> tuple[str, str | None]:
    """Return the flag and the value attached to it: `--n=2`, `-n2`, `-n=2`, `--slurm_type`."""
    name, equals, value = item.partition("=")
    attached = value if equals else None
    long = name.lower().replace("_", "-")
    if item.startswith("--"):
        return long, attached
    if name in flags:
        return name, attached
    if f"-{long}" in flags:
        return f"-{long}", attached
    if item[:2] in flags:
        return item[:2], item[2:].removeprefix("=")
    return name, attached
