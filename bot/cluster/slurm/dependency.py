"""What a job waits for: Slurm's dependency, in words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.words import listed

KINDS = {
    "after": ("job {ids} to start", "jobs {ids} to start"),
    "afterany": ("job {ids} to end", "jobs {ids} to end"),
    "afterburstbuffer": ("job {ids} to end", "jobs {ids} to end"),
    "aftercorr": ("its task of job {ids} to end well", "its tasks of jobs {ids} to end well"),
    "afternotok": ("job {ids} to fail", "jobs {ids} to fail"),
    "afterok": ("job {ids} to end well", "jobs {ids} to end well"),
}
"""What Slurm's kinds of dependency wait for: of one job, and of several."""

_PART = re.compile(r"([a-z]+)((?::[0-9_*+]+)*)(?:\((\w+)\))?")


def singleton(dependency: str) -> bool:
    """Whether a job waits until no earlier one of its name and user is left."""
    return "singleton" in dependency and any(
        kind == "singleton" and not done for kind, _, done in _parts(dependency)
    )


def dependency_in_words(dependency: str, namesakes: Sequence[str] = ()) -> str:
    """Return what a job waits for, as a sentence without its full stop; empty when unknown.

    `dependency` is as squeue and scontrol print it, `afterok:74(unfulfilled),singleton`;
    `namesakes` are the ids of the earlier jobs of the same name and user.
    """
    waits: list[str] = []
    ids: dict[str, list[str]] = {}
    for kind, jobs, done in _parts(dependency):
        if kind == "singleton" and not done:
            waits.append(_namesakes(namesakes))
        elif kind in KINDS and not done:
            ids.setdefault(kind, []).extend(jobs)
    for kind, jobs in ids.items():
        one, many = KINDS[kind]
        waits.append((one if len(jobs) == 1 else many).format(ids=listed(jobs)))
    either = " or for " if "?" in dependency else " and for "
    return f"It waits for {either.join(waits)}" if waits else ""


def _namesakes(ids: Sequence[str]) -> str:
    if not ids:
        return "an earlier job of the same name"
    if len(ids) == 1:
        return f"job {ids[0]} of the same name"
    return f"jobs {listed(list(ids))} of the same name"


def _parts(dependency: str) -> list[tuple[str, list[str], bool]]:
    """Return each part: its kind, its jobs, and whether it is fulfilled."""
    return [
        (
            found[1],
            [re.sub(r"_\*$|\+[0-9]+$", "", job) for job in found[2].split(":") if job],
            found[3] == "fulfilled",
        )
        for found in _PART.finditer(dependency)
    ]
