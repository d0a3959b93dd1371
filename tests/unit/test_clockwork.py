"""Ticks come at their own pace, sooner when hurried, and never later for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.clockwork import SOON, Clockwork


class Ticks:
    """Counts its turns; asks for the next in `pace` seconds."""

    def __init__(self, pace: float) -> None:
        self.pace = pace
        self.turns = 0
        self.breaks = False

    async def __call__(self) -> float:
        """Take a turn."""
        self.turns += 1
        if self.breaks:
            raise RuntimeError("broken")
        await asyncio.sleep(0.01)
        return self.pace

    async def reach(self, turns: int, within: float) -> None:
        """Wait for so many turns; fails when they take longer."""
        async with asyncio.timeout(within):
            while self.turns < turns:
                await asyncio.sleep(0.01)


@pytest.fixture
async def clockwork() -> AsyncIterator[Clockwork]:
    """A running clockwork."""
    made = Clockwork()
    made.start()
    yield made
    made.stop()


async def test_a_tick_runs_at_once_and_then_at_the_pace_it_asks_for(clockwork: Clockwork) -> None:
    """The pace is asked for anew each time."""
    ticks = Ticks(pace=0.1)
    clockwork.add("alice", ticks)
    await ticks.reach(3, within=2)
    ticks.pace = 60
    await asyncio.sleep(0.3)
    turned = ticks.turns
    await asyncio.sleep(0.3)
    assert ticks.turns == turned


async def test_a_hurried_tick_comes_soon(clockwork: Clockwork) -> None:
    """Whatever it asked for."""
    ticks = Ticks(pace=60)
    clockwork.add("alice", ticks)
    await ticks.reach(1, within=2)
    await asyncio.sleep(0.05)
    clockwork.hurry("alice")
    await ticks.reach(2, within=SOON + 1)


async def test_hurrying_again_and_again_does_not_put_it_off(clockwork: Clockwork) -> None:
    """Submissions in quick succession each hurry the tick."""
    ticks = Ticks(pace=60)
    clockwork.add("alice", ticks)
    await ticks.reach(1, within=2)
    for _ in range(20):
        clockwork.hurry("alice")
        await asyncio.sleep(SOON / 4)
    assert ticks.turns >= 3


async def test_a_tick_that_is_hurried_in_its_turn_has_another(clockwork: Clockwork) -> None:
    """What changed meanwhile may have been overlooked."""
    ticks = Ticks(pace=60)
    clockwork.add("alice", ticks)
    await ticks.reach(1, within=2)
    clockwork.hurry("alice")  # it is still turning
    await ticks.reach(2, within=SOON + 1)


async def test_a_tick_that_breaks_does_not_end_the_watch(clockwork: Clockwork) -> None:
    """The next one looks again."""
    ticks = Ticks(pace=60)
    ticks.breaks = True
    clockwork.add("alice", ticks)
    await ticks.reach(1, within=2)
    ticks.breaks = False
    clockwork.hurry("alice")
    await ticks.reach(2, within=SOON + 1)
