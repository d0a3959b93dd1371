"""How tests are dealt out to the processes that run beside each other."""

from __future__ import annotations

from pathlib import Path

import pytest

TESTS = Path(__file__).parent

GROUPS = (
    ("recipes", ("slurm/test_cluster", "slurm/test_recipes")),
    ("browser", ("browser/",)),
)
"""Tests that stay together, since they share what is dear: the group, and how their paths begin."""


def pytest_itemcollected(item: pytest.Item) -> None:
    """Put a test into its group, or else that of its file.

    At once, since xdist reads the groups before any conftest may change the items.
    """
    path = item.path.relative_to(TESTS).as_posix()
    group = next((name for name, starts in GROUPS if path.startswith(starts)), path)
    item.add_marker(pytest.mark.xdist_group(group))
