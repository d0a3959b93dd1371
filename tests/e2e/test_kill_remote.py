"""Kill the remote side and cut the connection, at every external command of a launch.

The launch is a shell script on the login node: its starter, the detached runner and the sbatch shim
call programs, and each of those calls is a step at which its caller can die.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from bot.demo.cluster import EmbeddedCluster
from tests.e2e.carry import carry
from tests.e2e.conftest import Together
from tests.e2e.harm import WRAPPED, Harm, Harmful
from tests.e2e.journal_kill import Death
from tests.e2e.point import NEMO, Point

CALLS = {
    "mkdir": 1,
    "flock": 3,
    "chmod": 1,
    "setsid": 1,
    "sync": 1,
    "sbatch": 1,
    "mv": 2,
    "cat": 0,
    "tail": 2,
}
"""How often a launch of a batch script calls each program; a test below counts them."""
WHEN = ("before", "after", "cut")

UNDECIDED = {
    "sync.1-before",
    "sync.1-after",
    "sync.1-group",
    "sync.1-group-after",
    "sbatch.1-before",
    "sbatch.1-group",
}
"""Where the shim has written its intent and never called sbatch: only a person can decide."""


def at(harm: Harm, **more: object) -> Point:
    """The point for a harm."""
    undecided = str(harm) in UNDECIDED
    return Point(**{"id": f"remote-{harm}", "harm": harm, "undecided": undecided, **more})  # type: ignore[arg-type]  # fields of a point


def points() -> list[Point]:
    """Each call of each program, killed or cut off before and after."""
    harms = [
        Harm(program, nth, when)
        for program, count in CALLS.items()
        for nth in range(1, count + 1)
        for when in WHEN
    ]
    return [
        *map(at, harms),
        *_themselves(),
        *_groups(),
        *_lost(),
        *_questions(),
        *_cuts(),
        *_launched(),
    ]


def _themselves() -> list[Point]:
    """A program itself is killed, as when memory runs out: nothing is wrong with the home."""
    return [at(Harm(name, 1, "self")) for name in ("mkdir", "flock", "chmod", "setsid", "tail")]


def _groups() -> list[Point]:
    """A whole process group dies: the runner with its launcher and shim."""
    steps = (("setsid", 1), ("sync", 1), ("sbatch", 1), ("mv", 1), ("mv", 2))
    return [at(Harm(*step, when)) for step in steps for when in ("group", "group-after")]


def _lost() -> list[Point]:
    """Slurm takes the job and the answer is lost or late; with it, the bot may die too."""
    deaths = (Death("launch_answered"),)
    return [
        at(Harm("sbatch", 1, "lost")),
        at(Harm("sbatch", 1, "late")),
        at(Harm("sbatch", 1, "late"), id="remote-sbatch.1-late-and-bot", deaths=deaths),
        at(Harm("sbatch", 1, "cut-after")),
        at(Harm("sbatch", 1, "slow")),
        at(Harm("sbatch", 1, "slow"), id="remote-sbatch.1-slow-and-cut", cuts=(3.0, 6.0)),
        at(
            Harm("sbatch", 1, "slow"),
            id="remote-sbatch.1-slow-and-bot",
            deaths=(Death("receipt_stored"),),
        ),
        at(Harm("mv", 1, "cut-after")),
    ]


def _questions() -> list[Point]:
    """The connection breaks under the questions before and after a launch."""
    steps = (("readlink", 1), ("sinfo", 1), ("squeue", 1), ("squeue", 2), ("scontrol", 1))
    return [at(Harm(*step, "cut")) for step in steps] + [at(Harm("stat", 1, "before", "-L"))]


def _cuts() -> list[Point]:
    """The connection breaks at moments, not at steps; also again and again."""
    moments = (0.05, 0.15, 0.3, 0.6, 1.2, 2.4)
    often = tuple(0.1 + 0.4 * n for n in range(12))
    once = [Point(id=f"cut-after-{at:g}s", cuts=(at,)) for at in moments]
    both = Point(id="cut-and-bot", cuts=(0.2, 1.0), deaths=(Death("launch_sent"),))
    return [*once, Point(id="cut-again-and-again", cuts=often), both]


def _launched() -> list[Point]:
    """NeMo-Run's own sbatch, through the shim."""
    return [
        at(Harm("sbatch", 2, "after"), id="nemo-sbatch-after", typed=NEMO),
        at(Harm("sbatch", 2, "late"), id="nemo-sbatch-late", typed=NEMO),
        Point(id="nemo-cut", typed=NEMO, cuts=(1.0, 3.0, 5.0, 7.0)),
    ]


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("point", points(), ids=str)
async def test_a_launch_harmed_on_the_cluster_submits_once_and_tells_once(
    point: Point, together: Together
) -> None:
    """One job in Slurm, one root message; where nobody can know, a person decides."""
    await together.outcome(point)


@pytest.mark.asyncio(loop_scope="session")
async def test_a_launch_calls_these_programs(cluster: EmbeddedCluster, tmp_path: Path) -> None:
    """The table above covers each call: what nobody harms is only counted."""
    point = Point(id="counts", harm=Harm("never", 1, "before"))
    await carry(cluster, tmp_path, point)
    called = Counter(Harmful(cluster, point.name).called())
    reads = {"tail"}  # of logs as well
    assert {n: called[n] for n in WRAPPED if n not in reads} == {
        n: count for n, count in CALLS.items() if n not in reads
    }
