"""One measured figure, and how figures are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Goal:
    """What a figure must reach: its value, or its ratio to the baseline."""

    limit: float
    of: str = "value"
    """`value` or `ratio`."""
    least: bool = False
    """The limit is the least that will do, not the most."""

    @property
    def words(self) -> str:
        """`≤ 100`, `ratio ≤ 0.25`."""
        sign = "≥" if self.least else "≤"
        return f"{'ratio ' if self.of == 'ratio' else ''}{sign} {self.limit:g}"


@dataclass(frozen=True)
class Figure:
    """A measured value; `baseline` in the same unit."""

    name: str
    value: float
    unit: str
    baseline: float | None = None
    goal: Goal | None = None

    @property
    def ratio(self) -> float | None:
        """Value over baseline."""
        return self.value / self.baseline if self.baseline else None

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached; None without one."""
        if self.goal is None:
            return None
        measured = self.ratio if self.goal.of == "ratio" else self.value
        if measured is None:
            return False
        return measured >= self.goal.limit if self.goal.least else measured <= self.goal.limit

    def as_json(self) -> dict[str, object]:
        """The form for scripts."""
        return {
            "name": self.name,
            "value": _short(self.value),
            "unit": self.unit,
            "baseline": None if self.baseline is None else _short(self.baseline),
            "ratio": None if self.ratio is None else _short(self.ratio),
            "goal": None if self.goal is None else self.goal.words,
            "met": self.met,
        }


def _short(value: float) -> float:
    return float(f"{value:.4g}")


LARGE = 1_000
"""From here on a value is shown without decimals."""
HEAD = ("figure", "value", "unit", "baseline", "ratio", "goal", "met")
_MET = {True: "yes", False: "NO", None: ""}


def table(figures: Sequence[Figure]) -> str:
    """Return the figures as lines for people."""
    rows = [HEAD, *(_row(figure) for figure in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if column in {0, 2, 5} else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def _row(figure: Figure) -> tuple[str, ...]:
    return (
        figure.name,
        _number(figure.value),
        figure.unit,
        _number(figure.baseline),
        _number(figure.ratio),
        "" if figure.goal is None else figure.goal.words,
        _MET[figure.met],
    )


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= LARGE else f"{value:.3g}"


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that this share of all values does not pass: the nearest rank."""
    ranked = sorted(values)
    place = max(0, -(-int(share * 1000) * len(ranked) // 1000) - 1)
    return ranked[min(place, len(ranked) - 1)]
