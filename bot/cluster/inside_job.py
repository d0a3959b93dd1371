"""One command inside an interactive job, through its own attach script, without a terminal."""

from __future__ import annotations

import posixpath
import secrets
from dataclasses import dataclass
from pathlib import Path

from bot.errors import CommandFailed
from bot.ports import Output, Query

BYTES = 32_768
"""Of the end of the output."""
PATIENCE = 45.0
"""Seconds beyond the command's own."""
_TIMED_OUT = frozenset({124, 137})
"""What `timeout` exits with when it had to end the command, gently or not."""

_REMOTE = Path(__file__).parent / "remote"
_ASK = (_REMOTE / "inside_job.sh").read_text(encoding="utf-8")
_RUN = (_REMOTE / "inside_run.sh").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Ran:
    """How a command inside a job went."""

    status: int | None
    """None when its time ran out, or when nobody knows how it ended."""
    output: str
    """The end of what it wrote, both streams."""
    late: bool = False
    """It was ended since its time was up."""


def run_inside(act_id: str, attach: str, command: str, seconds: int) -> Query[Ran]:
    """Run a command inside a job once for each act; asking again answers how it went.

    The command is one value: it reaches the attach script in the environment, as written.
    """
    folder = posixpath.dirname(attach)
    # `75/attach.sh` is started from the folder above, as people start it.
    if posixpath.basename(attach) == "attach.sh":
        folder = posixpath.dirname(folder)
    args = (
        secrets.token_hex(8),
        act_id,
        folder,
        attach,
        command,
        str(seconds),
        str(BYTES),
        _RUN,
    )

    def parse(output: Output) -> Ran:
        return _ran(output, seconds)

    return Query(_ASK, parse, args, timeout=seconds + PATIENCE, name="inside")


def _ran(output: Output, seconds: int) -> Ran:
    how, _, rest = output.stdout.partition("\x1f")
    words, _, text = rest.partition("\x1f")
    if how == "room":
        raise CommandFailed("nothing can be written to the login account's home")
    status, _, took = words.partition(" ")
    if how == "lost" or not (status.isdigit() and took.isdigit()):
        return Ran(None, text)
    if int(status) in _TIMED_OUT and int(took) >= seconds:
        return Ran(None, text, late=True)
    return Ran(int(status), text)
