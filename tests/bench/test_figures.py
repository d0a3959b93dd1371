"""How figures are judged and shown."""

from __future__ import annotations

import json

import pytest

from bot.bench.figures import Figure, Goal, percentile, table


@pytest.mark.parametrize(
    ("figure", "met"),
    [
        (Figure("p99", 99.9, "ms", goal=Goal(100)), True),
        (Figure("p99", 100.1, "ms", goal=Goal(100)), False),
        (Figure("speed", 20, "MB/s", goal=Goal(20, least=True)), True),
        (Figure("speed", 19.9, "MB/s", goal=Goal(20, least=True)), False),
        (Figure("time", 50, "ms", 200, Goal(0.25, of="ratio")), True),
        (Figure("time", 51, "ms", 200, Goal(0.25, of="ratio")), False),
        (Figure("rows", 0, "", goal=Goal(0)), True),
        (Figure("rows", 1, "", goal=Goal(0)), False),
        (Figure("p50", 5, "ms"), None),
        (Figure("time", 5, "ms", goal=Goal(0.25, of="ratio")), False),
    ],
)
def test_a_goal_is_met_or_not(figure: Figure, met: bool | None) -> None:
    """A ratio that could not be measured is not met."""
    assert figure.met is met


def test_a_figure_in_json_says_all_of_it() -> None:
    """The form that scripts read."""
    figure = Figure("time", 42.67, "ms", 215.5, Goal(0.25, of="ratio"))
    assert json.loads(json.dumps(figure.as_json())) == {
        "name": "time",
        "value": 42.67,
        "unit": "ms",
        "baseline": 215.5,
        "ratio": 0.198,
        "goal": "ratio ≤ 0.25",
        "met": True,
    }


def test_the_table_marks_what_is_missed() -> None:
    """At a glance, also for those who read only the last column."""
    lines = table(
        [
            Figure("fast", 1, "ms", goal=Goal(2)),
            Figure("slow", 3, "ms", goal=Goal(2)),
            Figure("plain", 12_345.6, "rows"),
        ]
    ).splitlines()
    assert lines[0].split() == ["figure", "value", "unit", "baseline", "ratio", "goal", "met"]
    assert [line.split()[-1] for line in lines[2:]] == ["yes", "NO", "rows"]
    assert "12,346" in lines[4]


@pytest.mark.parametrize(
    ("share", "value"), [(0.5, 50), (0.95, 95), (0.99, 99), (1, 100), (0.001, 1)]
)
def test_a_percentile_is_a_value_that_was_measured(share: float, value: int) -> None:
    """The nearest rank."""
    assert percentile(list(range(100, 0, -1)), share) == value


def test_the_percentile_of_few_values_is_the_worst() -> None:
    """Two values have no 99th percentile but the larger."""
    assert percentile([3.0, 9.0], 0.99) == 9.0
