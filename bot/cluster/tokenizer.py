"""Put the two GPT-2 tokenizer files where Megatron looks for them, on the cluster itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from bot.errors import CommandFailed
from bot.ports import Output, Query

FILES = (
    ("gpt2-vocab.json", "megatron-gpt-345m_vocab"),
    ("gpt2-merges.txt", "megatron-gpt-345m_merges"),
)
"""Name at the source, and the name that NeMo and Megatron expect below `CACHE/torch/megatron`."""

_PLACE = (Path(__file__).parent / "remote" / "tokenizer.sh").read_text(encoding="utf-8")


class Trouble(StrEnum):
    """Why the files could not be put in place."""

    OUTSIDE = "outside"
    """The cache lies below none of the allowed roots."""
    FOLDER = "folder"
    """The cache's folder cannot be made or written."""
    SOURCE = "source"
    """The source does not give the file."""
    TOOL = "tool"
    """The login node has none of curl, wget and python3."""
    CONTENT = "content"
    """What the source gave is not a tokenizer file."""


@dataclass(frozen=True)
class Placed:
    """The files are there."""

    folder: str
    sizes: tuple[int, ...]
    """Bytes, in the order of `FILES`."""
    fetched: int
    """How many had to be fetched; 0 when all were there before."""


@dataclass(frozen=True)
class NotPlaced:
    """The files are not there."""

    why: Trouble
    detail: str


def place_tokenizer(cache: str, source: str, roots: Sequence[str]) -> Query[Placed | NotPlaced]:
    """Put the files into `cache` unless they are there; `source` is a URL or a folder there."""
    names = [name for pair in FILES for name in pair]
    args = (cache, source.rstrip("/"), "\n".join(roots), *names)
    return Query(_PLACE, _placed, args, timeout=300.0, name="place tokenizer")


def _placed(output: Output) -> Placed | NotPlaced:
    verdict, _, rest = output.stdout.strip().partition("\n")
    said = output.stderr.strip().splitlines()
    if verdict in set(Trouble):
        detail = " ".join(filter(None, (rest.strip(), *said[-1:])))
        return NotPlaced(Trouble(verdict), detail)
    if verdict != "ok" or output.status != 0:
        raise CommandFailed("the tokenizer files cannot be placed", stderr=output.stderr)
    folder, fetched, *sizes = rest.split("\n")
    return Placed(folder, tuple(map(int, sizes)), int(fetched))
