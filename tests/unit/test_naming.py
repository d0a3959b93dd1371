"""Nodes that a launch names, on a cluster that says which it has."""

from __future__ import annotations

import pytest

from bot.grammar import Parsed, parse
from bot.ports import Output
from bot.service.naming import misnamed
from tests.unit.interactive import Lab, lab
from tests.unit.test_interactive_use import NODES, SINFO

__all__ = ["lab"]


async def wrong(lab: Lab, typed: str, nodes: str = NODES) -> list[tuple[str, str, str]]:
    """What is refused of a command's nodes."""
    lab.scene.slurm.partitions = SINFO
    lab.scene.slurm.instead["scontrol show node"] = Output(nodes, "", 0)
    found = parse("/slurm", typed)
    assert isinstance(found, Parsed)
    refused = await misnamed(lab.scene.node, found.options)
    return [(one.field, one.message, one.hint) for one in refused]


@pytest.mark.parametrize(
    ("typed", "field", "message", "hint"),
    [
        ("health 1", "nodelist", "no node `1`", "Did you mean `alice-a3m-1`?"),
        ("health alice-a3m-[1-4]", "nodelist", "no node `alice-a3m-3`", "Did you mean "),
        ("health all", "nodelist", "no node `all`", "`a3m` has `alice-a3m-0`, "),
        ("submit x.sh -x bob-9", "exclude", "no node `bob-9`", "`a3m` has "),
        ("health alice-a3u-5", "nodelist", "`alice-a3u-5` is not in `a3m`", "Add `-p a3u`"),
    ],
)
async def test_a_node_that_cannot_be_had_is_refused_before_slurm_does(
    lab: Lab, typed: str, field: str, message: str, hint: str
) -> None:
    """With those that can."""
    [(named, said, help_)] = await wrong(lab, typed)
    assert named == field
    assert message in said
    assert help_.startswith(hint)


@pytest.mark.parametrize(
    "typed",
    ["health", "health alice-a3m-[0-2]", "health alice-a3u-5 -p a3u", "submit x.sh -x alice-a3u-5"],
)
async def test_nodes_that_are_there_are_taken(lab: Lab, typed: str) -> None:
    """To keep away from a node of another partition harms nothing."""
    assert await wrong(lab, typed) == []


async def test_where_no_node_is_told_none_is_called_wrong(lab: Lab) -> None:
    """A site may hide them."""
    assert await wrong(lab, "health alice-a3m-7", nodes="") == []
