"""A job's logs, however large, read where they lie: what a diagnosis and people need of them."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from bot.cluster.files import NoFile
from bot.cluster.launch import look
from bot.cluster.logs import LogFile, LogKind, log_files
from bot.cluster.sift import FILES, Sifted, sift
from bot.cluster.spool import Run
from bot.diagnosis import Source, sought
from bot.job import Job
from bot.login_node import LoginNode
from bot.nodelist import node_names


@dataclass(frozen=True)
class Logs:
    """What the logs of a job's newest attempt say, the most telling first."""

    sources: tuple[Source, ...] = ()
    end: str = ""
    """Of the first that says anything: the end, after what matters of the lines before it."""
    unread: tuple[str, ...] = ()
    """Names of files of which nothing was read, or the end alone."""


async def read_logs(node: LoginNode, job: Job) -> Logs:
    """Read what a job wrote, in two round trips; raises ClusterError."""
    found = await log_files_of(node, job)
    newest = [log for log in found if log.attempt == found[0].attempt and _its_own(log, job)]
    if not newest:
        return Logs()
    asked, beyond = newest[:FILES], newest[FILES:]
    ask = sift([log.path for log in asked], *sought(), await node.roots())
    return logs(asked, await node.run(ask), node_names(job.seen.node_list), beyond)


_SKEW = timedelta(minutes=5)
"""By which the clocks of a file server and of Slurm may differ."""


def _its_own(log: LogFile, job: Job) -> bool:
    """Whether the job can have written a file that has only a number in common with it.

    Of an array that would be the files of all its tasks, most of which have nothing to tell.
    """
    if log.kind is not LogKind.OTHER:
        return True
    began = job.seen.started
    return not job.tasks and (began is None or log.changed > began - _SKEW)


async def log_files_of(node: LoginNode, job: Job) -> Sequence[LogFile]:
    """Return a job's log files, newest attempt and most telling first."""
    seen = job.seen
    ask = log_files(job.id, seen.stdout, seen.workdir, await node.roots(), seen.stderr)
    return await node.run(ask)


async def launched_by(node: LoginNode, job: Job) -> Run | None:
    """Return what is kept of the launcher of a job; None where it was launched elsewhere."""
    if not job.request:
        return None
    spool = (await node.run(look((job.request,)))).get(job.request)
    return spool.runs[-1] if spool and spool.runs else None


def logs(
    asked: Sequence[LogFile],
    answers: Sequence[Sifted | NoFile],
    nodes: Sequence[str],
    beyond: Sequence[LogFile] = (),
) -> Logs:
    """Put together what came of each file that was asked for, and what was too many to ask for."""
    pairs = list(zip(asked, answers, strict=True))
    read = [(log, file) for log, file in pairs if isinstance(file, Sifted)]
    unread = [log for log, file in pairs if isinstance(file, NoFile) or file.late]
    return Logs(
        sources=tuple(_source(log, file, nodes) for log, file in read),
        end=next((text for _, file in read if (text := _end(file)).strip()), ""),
        unread=tuple(posixpath.basename(log.path) for log in [*unread, *beyond]),
    )


def _source(log: LogFile, file: Sifted, nodes: Sequence[str]) -> Source:
    name, node = posixpath.basename(log.path), _node(log, nodes)
    if file.whole:
        return Source(name, (file.text.encode(),), node=node)
    return Source(name, picked=[(no, text.encode()) for no, text in file.lines], node=node)


def _node(log: LogFile, nodes: Sequence[str]) -> str:
    """Return where a log of a Ray cluster was written: its launcher counts nodes as Slurm does."""
    place = 0 if log.kind is LogKind.HEAD else log.worker
    return nodes[place] if place is not None and place < len(nodes) else ""


def _end(file: Sifted) -> str:
    if file.whole:
        return file.text
    return "\n".join([*(text for _, text in file.lines), file.text])
