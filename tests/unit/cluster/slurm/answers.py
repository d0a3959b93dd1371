"""Hand a query the answer of a cluster that is not there."""

from __future__ import annotations

from typing import TypeVar

from bot.ports import Output, Query

T = TypeVar("T")


def answer(query: Query[T], stdout: str = "", stderr: str = "", status: int = 0) -> T:
    """Return what a query makes of what Slurm printed."""
    return query.parse(Output(stdout, stderr, status))


def rows(*records: tuple[str, ...]) -> str:
    """Write records as our own squeue and sinfo formats print them."""
    return "".join(
        "\x1e" + "".join(f"{value}\x1f" for value in record) + "\n" for record in records
    )
