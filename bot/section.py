"""What settings are made of: a section of the file, and the kinds of its values."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo

from bot.duration import duration
from bot.secret import HeldSecret, SecretName
from bot.shape import refused, shown, text


class Section(BaseModel):
    """One section of the file: no unknown keys, no guessed types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def _file(value: object, info: ValidationInfo) -> object:
    """Read a path of this machine: `~` is the bot's home, relative is beside the file."""
    if not isinstance(value, str):
        return value
    return Path(info.context["base"], Path(value).expanduser()) if info.context else Path(value)


def _remote(value: object) -> object:
    if isinstance(value, str) and not value.startswith(("/", "~", "$HOME")):
        raise refused(f"{shown(value)} is not absolute", "Begin with `/`, `~` or `$HOME`")
    return value


def _repository(value: object) -> object:
    if isinstance(value, str) and not re.fullmatch(r"(?:[a-z+]+://|/|~/|[\w.-]+@)[^\s]+", value):
        raise refused(f"{shown(value)} is no address of a git repository", "Such as `https://…`")
    return value


def _template(value: object) -> object:
    if isinstance(value, str) and not re.fullmatch(r"(?:[A-Za-z0-9._/-]|\{region\})+", value):
        raise refused(
            f"{shown(value)} is not a place in a bucket",
            "Letters, digits and `. _ - /`; `{region}` stands for us, europe or asia",
        )
    return value


Repository = Annotated[str, BeforeValidator(_repository)]
Template = Annotated[str, BeforeValidator(_template)]
LocalFile = Annotated[Path, BeforeValidator(_file)]
RemotePath = Annotated[str, BeforeValidator(_remote)]
RemotePaths = Annotated[tuple[RemotePath, ...], Field(strict=False)]
Texts = Annotated[tuple[str, ...], Field(strict=False)]
Seconds = Annotated[float, Field(gt=0, le=3600)]
Port = Annotated[int, Field(ge=1, le=65535)]
GpuHours = Annotated[float, Field(ge=0)]
Users = Annotated[
    tuple[Annotated[str, text(r"[UW][A-Z0-9]+", "a Slack user", "ids such as `U0123ABCD`")], ...],
    Field(strict=False),
]
Channel = Annotated[str, text(r"[CGD][A-Z0-9]+", "a Slack channel", "ids such as `C0123ABCD`")]
Channels = Annotated[tuple[Channel, ...], Field(strict=False)]
Secrets = dict[SecretName, HeldSecret]


def _address(value: object) -> object:
    if isinstance(value, str) and not value.startswith(("https://", "http://")):
        raise refused(f"{shown(value)} is not an address", "It begins with `https://`")
    return value.rstrip("/") if isinstance(value, str) else value


Address = Annotated[str, BeforeValidator(_address)]


def _length(value: object) -> object:
    length = duration(value) if isinstance(value, str) else None
    if length is None:
        raise refused(f"{shown(value)} is not a length of time", "For example `30m` or `8h`")
    return length


Length = Annotated[timedelta, BeforeValidator(_length)]
"""A length of time that people wrote: `30m`, `8h`."""
Lengths = Annotated[tuple[Length, ...], Field(strict=False)]
