"""Slurm's commands: for each a pure pair, the question and how to read the answer."""

from __future__ import annotations

from bot.cluster.slurm.dependency import dependency_in_words, singleton
from bot.cluster.slurm.reason import Wait
from bot.cluster.slurm.reasons import (
    alone_in_words,
    held,
    helps,
    hopeless,
    reason_in_words,
    wait,
)
from bot.cluster.slurm.refusals import Blame, Refusal, Subject, refusal
from bot.cluster.slurm.release import free, release
from bot.cluster.slurm.sacct import AccountingOff, Attempt, Step, history, matching
from bot.cluster.slurm.sacctmgr import Association, QosLimit, associations, qos_limits
from bot.cluster.slurm.sbatch import Estimate, start_estimate
from bot.cluster.slurm.scancel import Cancellation, Cancelled, cancel
from bot.cluster.slurm.scontrol import NodeState, SlurmConfig, config, details, nodes
from bot.cluster.slurm.search import (
    Search,
    Sighting,
    find_by_comment,
    find_by_name,
    signature,
    signatures,
)
from bot.cluster.slurm.sinfo import partitions
from bot.cluster.slurm.squeue import holds, jobs, name_of, queue, seen
from bot.cluster.slurm.states import cancelled_by, state
from bot.cluster.slurm.text import duration

__all__ = [
    "AccountingOff",
    "Association",
    "Attempt",
    "Blame",
    "Cancellation",
    "Cancelled",
    "Estimate",
    "NodeState",
    "QosLimit",
    "Refusal",
    "Search",
    "Sighting",
    "SlurmConfig",
    "Step",
    "Subject",
    "Wait",
    "alone_in_words",
    "associations",
    "cancel",
    "cancelled_by",
    "config",
    "dependency_in_words",
    "details",
    "duration",
    "find_by_comment",
    "find_by_name",
    "free",
    "held",
    "helps",
    "history",
    "holds",
    "hopeless",
    "jobs",
    "matching",
    "name_of",
    "nodes",
    "partitions",
    "qos_limits",
    "queue",
    "reason_in_words",
    "refusal",
    "release",
    "seen",
    "signature",
    "signatures",
    "singleton",
    "start_estimate",
    "state",
    "wait",
]
