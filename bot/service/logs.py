"""The end of a job's log, or its lines that match."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass

import re2

from bot.card import Card
from bot.cards import logs as cards
from bot.cluster import files
from bot.cluster.logs import LogFile, LogKind
from bot.errors import FieldError, InputRefused, UserError
from bot.job import Job
from bot.login_node import LoginNode
from bot.reading import launched_by, log_files_of
from bot.words import count


@dataclass(frozen=True)
class Wish:
    """What of a log is wanted."""

    lines: int = 40
    source: str = ""
    """One of `SOURCES`, `launcher`, or empty for the most telling file."""
    worker: int | None = None
    """Which worker, where that is the source."""
    grep: str = ""
    attempt: int | None = None
    """Which attempt of a job that was requeued; None is the newest."""

    @property
    def named(self) -> str:
        """What was asked for, in words."""
        source = self.source if self.worker is None else f"{self.source} {self.worker}"
        attempt = "" if self.attempt is None else f"attempt {self.attempt}"
        return ", ".join(filter(None, (source, attempt)))


SOURCES = {
    "training": (LogKind.TRAINING, LogKind.DRIVER),
    "driver": (LogKind.DRIVER,),
    "slurm": (LogKind.BATCH,),
    "head": (LogKind.HEAD,),
    "worker": (LogKind.WORKER,),
}
MORE = 500
"""Lines that a click shows, as far as a message holds them."""
_ERRORS = (
    "[Ee]rror|ERROR|[Ee]xception|[Ff]atal|FATAL|[Kk]illed|[Aa]bort|[Ff]ailed|FAILED|[Dd]enied|"
    "Traceback|No space"
)


def chosen(name: str) -> Wish:
    """Return the wish for a log that is called so, or for the lines that speak of `errors`."""
    if name == "errors":
        return Wish(grep=_ERRORS)
    source, _, worker = name.partition(" ")
    return Wish(lines=MORE, source=source, worker=int(worker) if worker.isdigit() else None)


REFUSED = {
    files.Why.MISSING: "is gone",
    files.Why.FORBIDDEN: "may not be read by the login account",
    files.Why.OUTSIDE: "lies outside the folders that may be read",
    files.Why.ODD: "is no plain file",
}


async def show(node: LoginNode, job: Job, wish: Wish) -> Card:
    """Return a card with the lines; a job that has written nothing says so."""
    if wish.source == "launcher":
        return await _launcher(node, job, wish)
    if wish.attempt is not None and wish.attempt > job.attempt:
        message = f"Job {job.id} has had {count(job.attempt, 'attempt')}, not {wish.attempt}"
        raise InputRefused((FieldError("--attempt", message),))
    found = await log_files_of(node, job)
    file = _chosen(found, wish)
    if file is not None:
        return await _lines(node, job, file, wish)
    output = _chosen(found, Wish(source="slurm"))
    if output is None or wish.source == "slurm" or not never_came(found, job):
        return cards.no_log_card(job, wish.named, {f.path: f.source for f in found})
    card = await _lines(node, job, output, Wish(lines=wish.lines))
    return cards.before_its_folder(job, card)


def never_came(found: Sequence[LogFile], job: Job) -> bool:
    """Whether a job ended before it wrote more than what Slurm keeps of it."""
    return job.seen.state.ended and all(file.kind is LogKind.BATCH for file in found)


async def _lines(node: LoginNode, job: Job, file: LogFile, wish: Wish) -> Card:
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
        return cards.log_card(job, name, text, lines=wish.lines, matching=wish.grep)
    text_end = await node.run(files.tail(file.path, wish.lines, roots))
    if isinstance(text_end, files.NoFile):
        raise UserError(f"{file.path} {REFUSED[text_end.why]}")
    card = cards.log_card(job, name, text_end.text, lines=wish.lines)
    if len(text_end.text.splitlines()) < wish.lines:
        return card
    more = file.source if job.request and wish.lines < MORE and wish.attempt is None else ""
    return cards.with_more(card, job, file.path, more)


async def _launcher(node: LoginNode, job: Job, wish: Wish) -> Card:
    """Show what the launcher printed on the login node, as the spool keeps it."""
    run = await launched_by(node, job)
    if run is None:
        return cards.no_launcher_card(job)
    lines = [line for text in (run.out, run.err) for line in text.splitlines()]
    if wish.grep:
        pattern = re2.compile(wish.grep)
        lines = [line for line in lines if pattern.search(line)]
    text = "\n".join(lines[-wish.lines :])
    return cards.log_card(job, "the launcher", text, lines=wish.lines, matching=wish.grep)


def _chosen(found: Sequence[LogFile], wish: Wish) -> LogFile | None:
    """The most telling file that says something; of the wished source, where one is wished."""
    kinds = SOURCES.get(wish.source, tuple(LogKind))
    fitting = [
        file
        for file in found
        if file.kind in kinds
        and wish.worker in {None, file.worker}
        and (file.every or wish.attempt in {None, file.attempt})
    ]
    # What one attempt alone wrote says more of it than what holds them all.
    fitting.sort(key=lambda file: file.every and wish.attempt is not None)
    if wish.source == "slurm" and not any(file.size for file in fitting):
        # What is submitted may send its output elsewhere from its first line on.
        fitting += [file for file in found if file.output or file.takes_over]
    return next((file for file in fitting if file.size), fitting[0] if fitting else None)
