"""What is to be mended, as far as a remedy must know: what was asked, and what is possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from bot.model import PartitionState


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What the cluster could give instead; empty where it was not asked."""

    partitions: Sequence[PartitionState] = ()
    accounts: tuple[str, ...] = ()
    """Those that the login account may charge."""
    qos: tuple[str, ...] = ()
    """Those that it may take."""
    time: timedelta | None = None
    """The longest time limit that the QOS allows, where it has one."""
    nodes: int | None = None
    """The most nodes that it gives to a job."""
    memory: int = 0
    """Bytes that the largest node of the partition has."""

    def partition(self, name: str) -> PartitionState | None:
        """Return one of the partitions."""
        return next((one for one in self.partitions if one.name == name), None)


@dataclass(frozen=True, kw_only=True)
class Case:
    """A job that failed, or a launch that was refused."""

    of: str
    """A job's key or a request's id: what a control acts on."""
    workload: str = ""
    """What launched it; empty where that was not done from here."""
    fields: frozenset[str] = frozenset()
    """The options that a rerun can change."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """What was asked, by the names of those options."""
    flags: tuple[str, ...] = ()
    """The options that its launcher has, where it was asked."""
    settings: bool = False
    """Whether its training can be given settings."""
    partition: str = ""
    account: str = ""
    qos: str = ""
    time_limit: timedelta | None = None
    nodes: int = 0
    node_list: str = ""
    memory: int = 0
    """Bytes that it had on each node; 0 where nobody knows."""
    log: bool = False
    """Whether it has a log that can be shown."""
    logs: tuple[str, ...] = ()
    """What its logs are called, the most telling first; empty where nobody asked."""
    resumes: bool = False
    """Whether it can go on from a checkpoint of the job."""
    secrets: frozenset[str] = frozenset()
    """Names of the secrets that its launches are given."""
    admins: bool = False
    """Whether the administrators can be told."""
    limits: Limits = Limits()

    @property
    def job(self) -> str:
        """The Slurm id; empty for what never became a job."""
        return self.of.partition(":")[2]

    @property
    def verb(self) -> str:
        """What running it again is called."""
        return "Rerun" if self.job else "Submit"

    def can_change(self, *names: str) -> bool:
        """Whether a rerun can change all of these options."""
        return self.fields.issuperset(names)

    @property
    def words(self) -> tuple[str, ...]:
        """The words for the program itself."""
        return tuple(self.options.get("args") or self.options.get("extra") or ())
