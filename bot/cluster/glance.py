"""How a cluster is, at a glance: Slurm's version, and its nodes counted once each."""

from __future__ import annotations

from dataclasses import dataclass

from bot.cluster.slurm.refusals import checked
from bot.cluster.slurm.sinfo import FREE, bare_state
from bot.ports import Output, Query

# A node stands once for each of its partitions.
_GLANCE = r"""
sinfo --version || exit
exec sinfo -h -N -o '%N %T'
"""
_DOWN = frozenset({"down", "drained", "draining", "drain", "fail", "failing", "error", "unknown"})


@dataclass(frozen=True)
class Glance:
    """What sinfo says in two lines."""

    version: str
    """Such as `22.05.8`."""
    nodes: int
    up: int
    """Nodes that run jobs or could."""
    free: int


def ping() -> Query[None]:
    """Ask for nothing."""
    return Query("true", lambda _output: None, timeout=5.0, name="ping")


def glance() -> Query[Glance]:
    """Ask for the version and for the state of every node."""
    return Query(_GLANCE, _glance, timeout=10.0, name="glance")


def _glance(output: Output) -> Glance:
    checked(output, "sinfo")
    version, *lines = output.stdout.strip().splitlines() or [""]
    states = dict(pair for line in lines if len(pair := line.split(maxsplit=1)) == 2)  # noqa: PLR2004 (name and state)
    return Glance(
        version=version.rpartition(" ")[2],
        nodes=len(states),
        up=sum(bare_state(state) not in _DOWN for state in states.values()),
        free=sum(state in FREE for state in states.values()),
    )
