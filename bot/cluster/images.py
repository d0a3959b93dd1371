"""Container images that lie on the cluster."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from bot.ports import Output, Query

_LIST = (Path(__file__).parent / "remote" / "image_list.sh").read_text(encoding="utf-8")
_PARTS = (".part", ".gstmp")


class Condition(StrEnum):
    """Whether an image can be used."""

    WHOLE = "whole"
    PART = "being copied, or left half-written"
    TRUNCATED = "half-written"
    FOREIGN = "no squashfs image"


@dataclass(frozen=True)
class Image:
    """One image file."""

    path: str
    size: int
    """Bytes."""
    changed: datetime
    condition: Condition


def images(folders: Sequence[str]) -> Query[tuple[Image, ...]]:
    """List the images in these folders, at most 100."""
    mark = secrets.token_hex(8)

    def parse(output: Output) -> tuple[Image, ...]:
        rows = (line.split(" ", 4) for line in output.stdout.splitlines())
        return tuple(_image(row[1:]) for row in rows if row[0] == mark and len(row) == _COLUMNS)

    return Query(_LIST, parse, (mark, *folders), name="images")


_COLUMNS = 5


def _image(row: Sequence[str]) -> Image:
    size, changed, used, path = row
    condition = Condition.WHOLE
    if path.endswith(_PARTS):
        condition = Condition.PART
    elif used == "-":
        condition = Condition.FOREIGN
    elif int(used) > int(size):
        condition = Condition.TRUNCATED
    return Image(path, int(size), datetime.fromtimestamp(int(changed), UTC), condition)
