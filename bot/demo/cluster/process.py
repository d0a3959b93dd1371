"""Run a command to its end on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
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
    cwd: str | None = None,
) -> Completed:
    """Run it and wait. With *check*, a status other than 0 is a ClusterError."""
    process = await asyncio.create_subprocess_exec(
        *argv,
        stdin=asyncio.subprocess.DEVNULL if stdin is None else asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=dict(environment),
        cwd=cwd,
    )
    out, err = await process.communicate(None if stdin is None else stdin.encode())
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
