"""sacctmgr: which accounts, partitions and QOS somebody may use, and what a QOS allows."""

from __future__ import annotations

import re
from datetime import timedelta

from bot.cluster.slurm.refusals import failure
from bot.cluster.slurm.sacct import AccountingOff, off
from bot.cluster.slurm.text import duration
from bot.model import Value
from bot.ports import Output, Query

# sacctmgr knows no delimiter of ours; account and QOS names cannot hold a bar.
_ASSOCIATIONS = r"""
exec sacctmgr -nP show assoc user="${1:-$(id -un)}" format=account,partition,qos,defaultqos
"""

_QOS = "exec sacctmgr -nP show qos format=name,maxwall,maxtresperjob"

_ROW = re.compile(r"(?P<account>[^|]+)\|(?P<partition>[^|]*)\|(?P<qos>[^|]*)\|(?P<default>[^|]*)")


_QOS_FIELDS = 3
_NODES = re.compile(r"(?:^|,)node=([0-9]+)")


class Association(Value):
    """One account somebody may charge; empty `partition` is all of them."""

    account: str
    partition: str
    qos: tuple[str, ...]
    default_qos: str


class QosLimit(Value):
    """What one job may have at most under a QOS; None where that is not limited."""

    name: str
    time: timedelta | None = None
    nodes: int | None = None


def qos_limits() -> Query[tuple[QosLimit, ...] | AccountingOff]:
    """Ask what each QOS allows a job."""
    return Query(_QOS, _qos_limits, name="sacctmgr show qos")


def associations(user: str = "") -> Query[tuple[Association, ...] | AccountingOff]:
    """Ask what this user, or the login's own, may use."""
    return Query(_ASSOCIATIONS, _associations, (user,), name="sacctmgr")


def _associations(output: Output) -> tuple[Association, ...] | AccountingOff:
    silent = off(output)
    if silent:
        return silent
    if output.status != 0:
        raise failure(output, "sacctmgr")
    found = (_ROW.fullmatch(line) for line in output.stdout.splitlines())
    return tuple(
        Association(
            account=row["account"],
            partition=row["partition"],
            qos=tuple(filter(None, row["qos"].split(","))),
            default_qos=row["default"],
        )
        for row in found
        if row
    )


def _qos_limits(output: Output) -> tuple[QosLimit, ...] | AccountingOff:
    silent = off(output)
    if silent:
        return silent
    if output.status != 0:
        raise failure(output, "sacctmgr")
    rows = [line.split("|") for line in output.stdout.splitlines()]
    return tuple(_qos_limit(*row) for row in rows if len(row) == _QOS_FIELDS)


def _qos_limit(name: str, time: str, tres: str) -> QosLimit:
    found = _NODES.search(tres)
    return QosLimit(name=name, time=duration(time), nodes=int(found[1]) if found else None)
