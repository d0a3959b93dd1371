"""What the cluster consists of: nodes, ports, accounts."""

from __future__ import annotations

import random
import socket
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

ACCOUNT = "research"
CLUSTER = "alice"
PARTITIONS = ("a3m", "a3u")
NODES = ("alice-a3m-0", "alice-a3m-1", "alice-a3u-0", "alice-a3u-1")
GPUS = 8
BASE_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"

# Below the range from which the kernel lends ports to outgoing connections.
_PORTS = range(20000, 32000)


@dataclass(frozen=True)
class Ports:
    """Where the daemons listen, all on 127.0.0.1."""

    ssh: int
    slurmctld: int
    slurmdbd: int
    database: int
    tokenizer: int
    services: int
    nodes: tuple[int, ...]  # in the order of NODES


@dataclass(frozen=True)
class Account:
    """Somebody who logs in and owns jobs."""

    name: str
    uid: int
    gid: int
    shell: str = "/bin/bash"


@dataclass(frozen=True)
class Users:
    """The system accounts that run the daemons."""

    slurm: str
    munge: str
    database: str
    root: str


@dataclass(frozen=True)
class Plan:
    """All that the configuration files are made from."""

    host: str  # the login node's own name
    ports: Ports
    users: Users
    accounts: tuple[Account, ...]  # the first is whom the bot logs in as
    accounting: bool
    min_job_age: int  # seconds


def free_ports() -> Ports:
    """Choose ports nobody listens on now."""
    found = _free()
    ssh, slurmctld, slurmdbd, database, tokenizer, services, *nodes = (
        next(found) for _ in range(6 + len(NODES))
    )
    return Ports(ssh, slurmctld, slurmdbd, database, tokenizer, services, tuple(nodes))


def _free() -> Iterator[int]:
    # At random, so that two clusters that start together seldom meet.
    for port in random.sample(_PORTS, len(_PORTS)):
        with closing(socket.socket()) as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        yield port
