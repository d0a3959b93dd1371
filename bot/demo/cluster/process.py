"""Run a command to its end on this machine."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass

from bot.demo.cluster.errors import ClusterError


@dataclass(frozen=True)
class Completed:
    """What a command left."""

    argv: tuple[str, ...]
    stdout: str
    stderr: str
    returncode: int


async def run(
    argv: Sequence[str],
    *,
    environment: Mapping[str, str],
    stdin: str | None = None,
    check: bool = True,
) -> Completed:
    """Run it and wait. With *check*, a status other than 0 is a ClusterError."""
    process = await asyncio.create_subprocess_exec(
        *argv,
        stdin=asyncio.subprocess.DEVNULL if stdin is None else asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=dict(environment),
        start_new_session=True,
    )
    try:
        out, err = await process.communicate(None if stdin is None else stdin.encode())
    finally:
        if process.returncode is None:  # nobody waits for it any more
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    completed = Completed(
        argv=tuple(argv),
        stdout=out.decode(errors="replace"),
        stderr=err.decode(errors="replace"),
        returncode=process.returncode or 0,
    )
    if check and completed.returncode:
        said = (completed.stderr or completed.stdout).strip()
        raise ClusterError(f"{' '.join(argv)} left with {completed.returncode}: {said}")
    return completed


async def together(*work: Awaitable[None]) -> None:
    """Do it all at once; the first failure ends the rest and is raised as it is."""
    try:
        async with asyncio.TaskGroup() as group:
            for each in work:
                group.create_task(_awaited(each))
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from None


async def _awaited(work: Awaitable[None]) -> None:
    await work
