"""The end of a job's log, or its lines that match."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass

from bot.card import Card
from bot.cards.why import log_card, no_log_card
from bot.cluster import files
from bot.cluster.logs import LogFile, LogKind
from bot.errors import FieldError, InputRefused, UserError
from bot.explaining import log_files_of
from bot.login_node import LoginNode
from bot.model import Job


@dataclass(frozen=True)
class Wish:
    """What of a log is wanted."""

    lines: int = 40
    source: str = ""
    """`training`, `slurm`, or empty for the most telling file."""
    grep: str = ""


SOURCES = {"training": (LogKind.TRAINING, LogKind.DRIVER), "slurm": (LogKind.BATCH,)}
REFUSED = {
    files.Why.MISSING: "is gone",
    files.Why.FORBIDDEN: "may not be read by the login account",
    files.Why.OUTSIDE: "lies outside the folders that may be read",
    files.Why.ODD: "is no plain file",
}


async def show(node: LoginNode, job: Job, wish: Wish) -> Card:
    """Return a card with the lines; a job that has written nothing says so."""
    found = await log_files_of(node, job)
    file = _chosen(found, wish)
    if file is None:
        return no_log_card(job, [f.path for f in found])
    roots = await node.roots()
    name = posixpath.basename(file.path)
    if wish.grep:
        matches = await node.run(files.grep(file.path, wish.grep, roots, wish.lines))
        if isinstance(matches, files.BadPattern):
            raise InputRefused(
                (FieldError("--grep", f"grep does not understand it: {matches.why}"),)
            )
        if isinstance(matches, files.NoFile):
            raise UserError(f"{file.path} {REFUSED[matches.why]}")
        text = "\n".join(f"{number}: {line}" for number, line in matches.lines)
        return log_card(job, name, text, lines=wish.lines, matching=wish.grep)
    text_end = await node.run(files.tail(file.path, wish.lines, roots))
    if isinstance(text_end, files.NoFile):
        raise UserError(f"{file.path} {REFUSED[text_end.why]}")
    return log_card(job, name, text_end.text, lines=wish.lines)


def _chosen(found: Sequence[LogFile], wish: Wish) -> LogFile | None:
    """The most telling file that says something; of the wished kind, where one is wished."""
    kinds = SOURCES.get(wish.source, tuple(LogKind))
    fitting = [file for file in found if file.kind in kinds]
    return next((file for file in fitting if file.size), fitting[0] if fitting else None)
