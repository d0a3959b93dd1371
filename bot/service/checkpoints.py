"""What a job has saved, and whether it can be used."""

from __future__ import annotations

from collections.abc import Sequence

from bot.card import Card
from bot.cards import checkpoints as cards
from bot.cluster.checkpoints import Checkpoint, Found, checkpoints
from bot.cluster.logs import LogFile, LogKind
from bot.job import Job
from bot.login_node import LoginNode
from bot.reading import log_files_of
from bot.service import logs

_TELLING = {LogKind.TRAINING, LogKind.DRIVER, LogKind.BATCH}


async def show(node: LoginNode, job: Job) -> Card:
    """Return a job's checkpoints, the newest whole one first; why there is none, where there is."""
    files = await log_files_of(node, job)
    log = _telling(files)
    found = await _saved(node, job, log)
    if found.checkpoints:
        return cards.checkpoints_card(job, found)
    if log and not found.folders and not job.seen.state.good and logs.never_came(files, job):
        output = await logs.show(node, job, logs.Wish(lines=20, source="slurm"))
        return cards.before_its_folder(job, output)
    return cards.no_checkpoints(job, found.folders)


async def newest(node: LoginNode, job: Job) -> Checkpoint | None:
    """Return the newest whole checkpoint of a job; raises ClusterError."""
    found = await _saved(node, job, _telling(await log_files_of(node, job)))
    return found.whole[0] if found.whole else None


def _telling(files: Sequence[LogFile]) -> str:
    """Return the log that names the folders."""
    return next((file.path for file in files if file.kind in _TELLING and file.size), "")


async def _saved(node: LoginNode, job: Job, log: str) -> Found:
    seen = job.seen
    return await node.run(checkpoints(job.id, seen.workdir, seen.stdout, log, await node.roots()))
