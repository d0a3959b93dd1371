"""sacctmgr: which accounts, partitions and QOS somebody may use."""

from __future__ import annotations

import re

from bot.cluster.slurm.refusals import failure
from bot.cluster.slurm.sacct import AccountingOff, off
from bot.model import Value
from bot.ports import Output, Query

# sacctmgr knows no delimiter of ours; account and QOS names cannot hold a bar.
_ASSOCIATIONS = r"""
exec sacctmgr -nP show assoc user="${1:-$(id -un)}" format=account,partition,qos,defaultqos
"""


_ROW = re.compile(r"(?P<account>[^|]+)\|(?P<partition>[^|]*)\|(?P<qos>[^|]*)\|(?P<default>[^|]*)")


class Association(Value):
    """One account somebody may charge; empty `partition` is all of them."""

    account: str
    partition: str
    qos: tuple[str, ...]
    default_qos: str


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
