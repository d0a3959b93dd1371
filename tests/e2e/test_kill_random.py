"""Kill and cut at random moments.

    KILL_SEED=7 KILL_POINTS=40 make test ARGS=tests/e2e/test_kill_random.py

makes forty points from seed 7; the same seed gives the same moments. A point's id tells what it
does, in seconds after the typing (later lives: after their start).
"""

from __future__ import annotations

import os
import random

import pytest

from tests.e2e.conftest import Together
from tests.e2e.harm import ASKED, WRAPPED, Harm
from tests.e2e.point import ASKS, NEMO, PLAIN, Point

SEED = int(os.environ.get("KILL_SEED", "1"))
POINTS = int(os.environ.get("KILL_POINTS", "6"))
LONGEST = 5.0
"""Seconds in which a request of the plain story is carried, run and told."""
WHEN = ("before", "after", "group", "group-after", "self", "cut", "cut-after")
TYPED = (*[PLAIN] * 5, *[ASKS] * 4, NEMO)


def point(number: int, chance: random.Random) -> Point:
    """One point: some deaths, some cuts, and perhaps a harm on the login node."""
    deaths = tuple(_moment(chance) for _ in range(chance.randint(0, 3)))
    cuts = tuple(sorted(_moment(chance) for _ in range(chance.randint(0, 2))))
    harm = _harm(chance) if chance.random() < 0.5 or not (deaths or cuts) else None
    told = [f"bot{at:g}" for at in deaths] + [f"cut{at:g}" for at in cuts]
    name = "-".join([str(SEED), str(number), *told, *([str(harm)] if harm else [])])
    return Point(
        id=f"random-{name}",
        typed=chance.choice(TYPED),
        deaths=deaths,
        cuts=cuts,
        harm=harm,
        # Killed between its intent and sbatch's answer, a launch is for a person to decide.
        undecided=None if harm else False,
    )


def _moment(chance: random.Random) -> float:
    return round(chance.uniform(0.0, LONGEST), 3)


def _harm(chance: random.Random) -> Harm:
    program = chance.choice((*WRAPPED, *ASKED))
    return Harm(program, chance.randint(1, 3), chance.choice(WHEN))


def points() -> list[Point]:
    """All of this seed."""
    chance = random.Random(SEED)  # noqa: S311 - it must be repeatable
    return [point(number, chance) for number in range(POINTS)]


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("point", points(), ids=str)
async def test_killed_at_random_it_submits_once_and_tells_once(
    point: Point, together: Together
) -> None:
    """One job in Slurm, one root message in Slack, which shows the right end."""
    await together.outcome(point)
