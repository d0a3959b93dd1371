"""What a program says it takes: its own options, read from what it prints for `--help`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bot.errors import FieldError
from bot.model import Value
from bot.suggest import did_you_mean
from bot.words import listed

_ENTRY = re.compile(r" {1,8}(-.*)")
_GAP = re.compile(r" {2,}|\t")
_BETWEEN = re.compile(r", +| +/ +|\|(?=-)")
_NAME = re.compile(r"(--?[A-Za-z0-9][A-Za-z0-9_.-]*)(?:[= ](.*))?")
_MARKS = re.compile(r"\x1b\[[0-9;]*m")
_CHOICES = re.compile(r"\{([^{}]*)\}|\[([^\[\]]*\|[^\[\]]*)\]")
_SEVERAL = re.compile(r"(\S+) \[\1 \.\.\.\]|(\S+)\.\.\.")
_FREELY = re.compile(r"\[\S+ \.\.\.\]")


class Flag(Value):
    """One option of a program."""

    names: tuple[str, ...]
    """All its spellings: `-n`, `--nodes`."""
    metavar: str = ""
    least: int = 0
    """Values that it takes at least."""
    most: int | None = 0
    """Values that it takes at most; None is any number."""
    choices: tuple[str, ...] = ()
    """The only values it takes; empty where it does not say."""


class Manual(Value):
    """The options of a program at one state of its file."""

    stamp: str = ""
    """What the file was like when it was asked; empty when it was not."""
    flags: tuple[Flag, ...] = ()
    problem: str = ""
    """Why there are no flags: `missing`, `broken` (it breaks), or `silent` (it does not say)."""
    said: str = ""
    """What it said when it broke, in a line."""

    @property
    def names(self) -> tuple[str, ...]:
        """All spellings of all options."""
        return tuple(name for flag in self.flags for name in flag.names)

    def flag(self, typed: str) -> Flag | None:
        """Return the option that is spelt so; `_` and `-` are the same."""
        exact = [flag for flag in self.flags if typed in flag.names]
        like = [flag for flag in self.flags if _plain(typed) in map(_plain, flag.names)]
        return next(iter(exact or like), None)


def read_manual(text: str) -> tuple[Flag, ...]:
    """Return the options that a `--help` names, as argparse and click print it."""
    found: dict[tuple[str, ...], Flag] = {}
    for line in _MARKS.sub("", text).splitlines():
        entry = _ENTRY.fullmatch(line.rstrip())
        flag = _flag(_GAP.split(entry[1])[0]) if entry else None
        if flag is not None:
            found.setdefault(flag.names, flag)
    return tuple(found.values())


def _flag(invocation: str) -> Flag | None:
    """Return the option of `-n NODES, --nodes NODES`; None for what is no option."""
    names, metavar = [], ""
    for piece in _BETWEEN.split(invocation):
        spelt = _NAME.fullmatch(piece)
        if spelt is None:
            return None
        names.append(spelt[1])
        metavar = (spelt[2] or "").strip() or metavar
    least, most = _values(metavar)
    choices = _CHOICES.search(metavar)
    allowed = re.split(r"[,|]", choices[1] or choices[2]) if choices else []
    return Flag(
        names=tuple(names),
        metavar=metavar,
        least=least,
        most=most,
        choices=tuple(choice.strip() for choice in allowed if choice.strip()),
    )


def _values(metavar: str) -> tuple[int, int | None]:
    """Return how many values `X`, `[X]`, `X Y`, `X [X ...]` and the like stand for."""
    bare = metavar.replace(" RANGE", "").strip()
    if not bare:
        return 0, 0
    if _FREELY.fullmatch(bare):
        return 0, None
    if _SEVERAL.fullmatch(bare):
        return 1, None
    if _CHOICES.fullmatch(bare):
        return 1, 1
    if bare.startswith("[") and bare.endswith("]") and " " not in bare:
        return 0, 1
    number = len(bare.split())
    return number, number


def _plain(name: str) -> str:
    return name.replace("_", "-")


@dataclass(frozen=True)
class Given:
    """One option as it was typed, with its values."""

    name: str
    values: tuple[str, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """How it is passed on: a single value stays joined, since it may begin with a dash."""
        if len(self.values) == 1:
            return (f"{self.name}={self.values[0]}",) if self.name[:2] == "--" else self._apart
        return self._apart

    @property
    def _apart(self) -> tuple[str, ...]:
        return (self.name, *self.values)


def given(words: Sequence[str]) -> Iterator[Given]:
    """Return the options of `--seed=7`, `--mock`, `--tags`, `a`, `b`."""
    name, values = "", list[str]()
    for word in words:
        if not word.startswith("-") or (name and re.fullmatch(r"-[0-9.,e-]+", word)):
            values.append(word)
            continue
        if name:
            yield Given(name, tuple(values))
        name, equals, value = word.partition("=")
        values = [value] if equals else []
    if name:
        yield Given(name, tuple(values))


def merged(words: Sequence[str], changes: Sequence[str]) -> tuple[str, ...]:
    """Return options with others in the place of those of the same name."""
    new = list(given(changes))
    named = {_plain(one.name) for one in new}
    kept = [one for one in given(words) if _plain(one.name) not in named]
    return tuple(word for one in (*kept, *new) for word in one.words)


def fit(
    words: Sequence[str], manual: Manual, program: str
) -> tuple[tuple[str, ...], tuple[FieldError, ...]]:
    """Return options as the program spells them, and what is wrong with them."""
    passed: list[str] = []
    errors: list[FieldError] = []
    for one in given(words):
        flag = manual.flag(one.name)
        if flag is None:
            errors.append(_unknown(one.name, manual, program))
            continue
        name = one.name if one.name in flag.names else _spelt(one.name, flag)
        errors += _wrong(Given(name, one.values), flag, program)
        passed += Given(name, one.values).words
    return tuple(passed), tuple(errors)


def _spelt(typed: str, flag: Flag) -> str:
    return next(name for name in flag.names if _plain(name) == _plain(typed))


def _unknown(name: str, manual: Manual, program: str) -> FieldError:
    longs = [spelt for spelt in manual.names if spelt.startswith("--") and spelt != "--help"]
    hint = did_you_mean(name, longs) or f"It has {listed([f'`{one}`' for one in longs])}"
    return FieldError(name, f"`{program}` on this cluster has no option `{name}`", hint)


def _wrong(one: Given, flag: Flag, program: str) -> Iterable[FieldError]:
    """Yield what is wrong with the values of a known option."""
    number = len(one.values)
    if number < flag.least:
        metavar = flag.metavar or "VALUE"
        yield FieldError(
            one.name, f"`{one.name}` of `{program}` needs a value", f"`{one.name} {metavar}`"
        )
    elif flag.most is not None and number > flag.most:
        takes = "no value" if not flag.most else f"{flag.most} at most"
        yield FieldError(
            one.name,
            f"`{one.name}` of `{program}` takes {takes}, so `{one.values[flag.most]}` is too many",
        )
    for value in one.values:
        if flag.choices and value not in flag.choices:
            there = listed([f"`{choice}`" for choice in flag.choices], "or")
            near = did_you_mean(value, flag.choices)
            yield FieldError(
                one.name, f"`{one.name}` cannot be `{value}`", near or f"It is {there}"
            )
