"""The one place where values become shell words."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping

from bot.errors import CommandFailed

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def quoted(words: Iterable[str]) -> str:
    """Return the words of a command, each quoted; raises CommandFailed for a NUL byte."""
    line = shlex.join(words)
    if "\0" in line:
        raise CommandFailed("a NUL byte cannot be handed to a command")
    return line


def exports(variables: Mapping[str, str]) -> str:
    """Return shell lines that export these variables; raises CommandFailed for an odd name."""
    lines = []
    for name, value in variables.items():
        if not _NAME.fullmatch(name):
            raise CommandFailed(f"{name!r} is no name for a variable of the environment")
        lines.append(f"export {name}={quoted([value])}\n")
    return "".join(lines)
