"""The limits of accounts and QOS for which Slurm lets a job wait: one table, many codes."""

from __future__ import annotations

from collections.abc import Iterator

from bot.cluster.slurm.reason import AGAIN, Reason, Wait

COUNTED = {
    "BB": "burst buffer",
    "Billing": "billing units",
    "CPU": "cores",
    "Cpu": "cores",
    "Energy": "energy",
    "GRES": "GPUs",
    "License": "licences",
    "Mem": "memory",
    "Memory": "memory",
    "Node": "nodes",
    "Unknown": "of some resource",
}
"""What Slurm counts, as its codes name it and as people do."""

OWNERS = {"Assoc": "account", "QOS": "QOS"}
"""Whose limit it is, by how the code begins."""

BUDGET = "It starts when the budget is renewed: an administrator of the cluster knows when."
RESERVES = (
    "What runs reserves its time until its time limit. It starts when some of that ends, or, with "
    "a shorter time limit, before."
)


def limits() -> Iterator[Reason]:
    """Yield every limit on what is counted; the more telling code is the longer one."""
    for counted, what in COUNTED.items():
        for code, owner in OWNERS.items():
            other = ", or with another QOS." if owner == "QOS" else "."
            yield from _of_a_job(code, owner, counted, what, other)
            yield from _of_all(code, owner, counted, what)
        yield Reason(
            f"QOSMin{counted}",
            f"It asks for less {what} than the QOS requires"
            if what in {"memory", "energy"}
            else f"It asks for fewer {what} than the QOS requires",
            Wait.VAIN,
            f"{AGAIN}with more {what}, or with another QOS.",
        )
        yield Reason(
            f"QOSMax{counted}PerUser",
            f"The user's limit of {what} in this QOS is reached",
            Wait.LIMIT,
            alone=f"It asks for more {what} than the QOS allows one user",
        )
        yield Reason(
            f"Max{counted}PerAccount",
            f"The account's limit of {what} in this QOS is reached",
            Wait.LIMIT,
        )


def _of_a_job(code: str, owner: str, counted: str, what: str, other: str) -> Iterator[Reason]:
    """Yield what one job alone may not exceed: waiting never helps."""
    yield Reason(
        f"{code}Max{counted}PerJob",
        f"It asks for more {what} than the {owner} allows in one job",
        Wait.VAIN,
        f"{AGAIN}with less{other}",
    )
    yield Reason(
        f"{code}Max{counted}PerNode",
        f"It asks for more {what} on a node than the {owner} allows",
        Wait.VAIN,
        f"{AGAIN}with less on each node{other}",
    )
    yield Reason(
        f"{code}Max{counted}MinutesPerJob",
        f"It asks for more {what} for so long than the {owner} allows in one job",
        Wait.VAIN,
        f"{AGAIN}with less, or with less time{other}",
    )


def _of_all(code: str, owner: str, counted: str, what: str) -> Iterator[Reason]:
    """Yield what all jobs together may not exceed."""
    yield Reason(f"{code}Grp{counted}", f"The {owner}'s limit of {what} is used up", Wait.LIMIT)
    yield Reason(
        f"{code}Grp{counted}Minutes",
        f"The {owner}'s budget of compute time is used up",
        Wait.LIMIT,
        BUDGET,
    )
    yield Reason(
        f"{code}Grp{counted}RunMinutes",
        f"The {owner}'s jobs that run have reserved all the compute time that they may",
        Wait.LIMIT,
        RESERVES,
    )
