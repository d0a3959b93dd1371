"""Logs that are hard to read are what they are called, and their cause is found all the same."""

from __future__ import annotations

import pytest

from bot.bench.hostile import CAUSE, SHAPES, Shape
from bot.bench.reading import pace

SIZE = 1 << 18


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_a_shape_is_as_long_as_wanted(shape: Shape) -> None:
    """Else the pace would be of another length."""
    assert len(shape.make(SIZE)) == SIZE


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_its_cause_is_found(shape: Shape) -> None:
    """At the very end, in a line of its own."""
    said = b"\nRuntimeError: CUDA error: device-side assert triggered\n"
    assert pace(shape.make(SIZE) + said, CAUSE) > 0


def test_another_cause_is_no_measurement() -> None:
    """A log that was read in another way says nothing of the pace."""
    with pytest.raises(RuntimeError, match="bus-error"):
        pace(b"Bus error (core dumped)\n", CAUSE)
