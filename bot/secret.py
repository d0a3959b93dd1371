"""A secret that the bot holds for the clusters: its name, where it comes from, its value."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, SecretStr, ValidationInfo

from bot.shape import refused, shown, text

LONGEST = 4096
"""Bytes of a secret."""

SecretName = Annotated[
    str,
    text(r"[A-Z][A-Z0-9_]*", "the name of a secret", "a variable's name such as `HF_TOKEN`"),
]
_VALUE = re.compile(r"[\x21-\x7e]+")
_HOW = 'Write where it comes from: `{ env = "HF_TOKEN" }` or `{ file = "~/hf-token" }`'


class Secret(BaseModel):
    """Where a secret comes from, and its value; None where there is none now."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    source: str
    """In words: `HF_TOKEN in the bot's environment`, `the file /etc/sbatchat/hf-token`."""
    value: SecretStr | None = None


def _held(found: object, info: ValidationInfo) -> object:
    """Read a secret from where the configuration says; it never stands there itself."""
    if isinstance(found, Secret):
        return found
    context = info.context or {}
    match found:
        case {"env": str(name), **more} if name and not more:
            return _from_environment(name, context.get("environment") or {})
        case {"file": str(path), **more} if path and not more:
            return _from_file(Path(context.get("base") or ".", Path(path).expanduser()))
    raise refused("is not a place where a secret comes from", _HOW)


HeldSecret = Annotated[Secret, BeforeValidator(_held)]


def _from_environment(name: str, environment: Mapping[str, str]) -> Secret:
    source = f"{shown(name)} in the bot's environment"
    value = environment.get(name, "").strip()
    return Secret(source=source, value=_checked(value, source) if value else None)


def _from_file(path: Path) -> Secret:
    """Read a file that nobody else may read."""
    source = f"the file {shown(path, 200)}"
    try:
        with path.open("rb") as file:
            about = os.fstat(file.fileno())
            content = file.read(LONGEST + 1)
    except FileNotFoundError:
        raise refused(f"there is no file {shown(path, 200)}") from None
    except OSError as error:
        raise refused(f"{source} cannot be read: {error.strerror}") from error
    if stat.S_IMODE(about.st_mode) & 0o077:
        raise refused(f"{source} may be read by others", f"`chmod 600 {path}`")
    value = content.decode("utf-8", "replace").strip()
    if not value:
        raise refused(f"{source} is empty")
    return Secret(source=source, value=_checked(value, source))


def _checked(value: str, source: str) -> SecretStr:
    if len(value) > LONGEST or not _VALUE.fullmatch(value):
        raise refused(f"{source} does not hold one word of printable characters")
    return SecretStr(value)
