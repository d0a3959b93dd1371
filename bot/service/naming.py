"""Nodes that a launch names: are they there, and in its partition."""

from __future__ import annotations

from collections.abc import Sequence

from bot.cluster.slurm import NodeState, nodes
from bot.errors import FieldError
from bot.login_node import LoginNode
from bot.nodelist import node_names
from bot.options import Options
from bot.suggest import suggest

_SHOWN = 4


async def misnamed(node: LoginNode, options: Options) -> tuple[FieldError, ...]:
    """Return what is wrong with the nodes to use and those to avoid; raises ClusterError.

    Slurm refuses a launch for a name that it does not know, also for one to avoid.
    """
    named = {
        field: node_names(getattr(options, field, None) or "") for field in ("nodelist", "exclude")
    }
    if not any(named.values()):
        return ()
    there = await node.run(nodes())
    if not there:
        return ()
    where = getattr(options, "partition", None) or (await node.default_partition()).name
    problems = [
        problem
        for field, names in named.items()
        if (problem := _unknown(field, names, there, where))
    ]
    if not problems and (problem := _elsewhere(named["nodelist"], there, where)):
        problems.append(problem)
    return tuple(problems)


def _unknown(
    field: str, names: Sequence[str], there: Sequence[NodeState], where: str
) -> FieldError | None:
    known = {one.name for one in there}
    wrong = [name for name in names if name not in known]
    if not wrong:
        return None
    mine = [one.name for one in there if where in one.partitions]
    near = [name for name in mine if name.rpartition("-")[2] == wrong[0]]
    near = near or list(suggest(wrong[0], known, 2))
    hint = f"Did you mean {' or '.join(f'`{name}`' for name in near)}?" if near else ""
    if not hint and mine:
        some = ", ".join(f"`{name}`" for name in mine[:_SHOWN])
        hint = f"`{where}` has {some}{' and others' if len(mine) > _SHOWN else ''}"
    return FieldError(field, f"There is no node `{wrong[0][:100]}` on the cluster", hint)


def _elsewhere(names: Sequence[str], there: Sequence[NodeState], where: str) -> FieldError | None:
    """Say which node is in other partitions only."""
    for one in there:
        if one.name in names and one.partitions and where not in one.partitions:
            others = " or ".join(f"`-p {name}`" for name in one.partitions)
            return FieldError("nodelist", f"`{one.name}` is not in `{where}`", f"Add {others}")
    return None
