"""Why a job waits or ended, in plain words."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Reason:
    """One of Slurm's reason codes: what it means, and whether waiting alone will never help."""

    code: str
    """As squeue writes it; matches where the printed reason begins with it."""
    words: str
    hopeless: bool = False


REASONS = (
    Reason("Resources", "waiting for nodes to become free"),
    Reason("Priority", "other jobs are ahead in the queue"),
    Reason("BeginTime", "may not start before a set time (after a requeue, about two minutes)"),
    Reason("Dependency", "waiting for another job"),
    Reason("DependencyNeverSatisfied", "the job it depends on did not end as required", True),
    Reason("JobHeldUser", "held by its owner", True),
    Reason("JobHeldAdmin", "held by an administrator", True),
    Reason("JobHoldMaxRequeue", "held after too many requeues", True),
    Reason("launch failed requeued held", "could not be launched on its nodes, now held", True),
    Reason("ReqNodeNotAvail, Reserved for maintenance", "its nodes are reserved for maintenance"),
    Reason("ReqNodeNotAvail", "a node it needs is down, drained or reserved"),
    Reason(
        "Nodes required for job are DOWN, DRAINED or reserved",
        "the nodes it needs are down, drained or reserved for others",
    ),
    Reason("NodeDown", "a node of the job went down"),
    Reason("PartitionDown", "the partition is down"),
    Reason("PartitionInactive", "the partition takes no jobs to run now"),
    Reason("PartitionNodeLimit", "more nodes than the partition allows", True),
    Reason("PartitionTimeLimit", "more time than the partition allows", True),
    Reason("PartitionConfig", "the partition can never give what it asks for", True),
    Reason("AccountNotAllowed", "the account may not use this partition", True),
    Reason("QOSNotAllowed", "the QOS may not be used here", True),
    Reason("InvalidAccount", "the account does not exist", True),
    Reason("InvalidQOS", "the QOS does not exist", True),
    Reason("AssocGrpNodeLimit", "the account's node limit is in use"),
    Reason("AssocGrpJobsLimit", "the account's limit of running jobs is reached"),
    Reason("AssocGrpGRES", "the account's GPU limit is in use"),
    Reason("AssocMaxJobsLimit", "your limit of running jobs is reached"),
    Reason("AssocMaxWallDurationPerJobLimit", "more time than the account may ask for", True),
    Reason("AssocMaxNodePerJobLimit", "more nodes than the account may ask for", True),
    Reason("AssocMaxGRESPerJob", "more GPUs than the account may ask for", True),
    Reason("AssocGrp", "a limit of the account is reached"),
    Reason("AssocMax", "a limit of the account is reached"),
    Reason("QOSMaxNodePerJobLimit", "more nodes than the QOS allows in one job", True),
    Reason("QOSMaxWallDurationPerJobLimit", "more time than the QOS allows", True),
    Reason("QOSMaxGRESPerJob", "more GPUs than the QOS allows in one job", True),
    Reason("QOSMinGRES", "fewer GPUs than the QOS asks for", True),
    Reason("QOSGrp", "a limit of the QOS is reached"),
    Reason("QOSMax", "a limit of the QOS is reached"),
    Reason("QOSResourceLimit", "a limit of the QOS is reached"),
    Reason("QOSJobLimit", "the QOS's limit of jobs is reached"),
    Reason("QOSUsageThreshold", "the QOS's usage threshold is passed"),
    Reason("JobArrayTaskLimit", "as many tasks of the array run as it allows itself"),
    Reason("Licenses", "waiting for a licence"),
    Reason("Reservation", "waiting for its reservation to begin"),
    Reason("ReservationDeleted", "its reservation was deleted", True),
    Reason("FedJobLock", "the federation has not decided where it runs"),
    Reason("Prolog", "its nodes are being prepared"),
    Reason("Cleaning", "its former run is being cleaned up"),
    Reason("BadConstraints", "no node can give what it asks for", True),
    Reason("DeadLine", "its deadline passed"),
    Reason("Preempted", "a job of higher priority took its nodes"),
    Reason("TimeLimit", "its time limit was reached"),
    Reason("NonZeroExitCode", "its script ended with an error"),
    Reason("JobLaunchFailure", "it could not be launched (output or working folder missing?)"),
    Reason("RaisedSignal", "it was ended by a signal"),
    Reason("OutOfMemory", "it used more memory than it asked for"),
    Reason("SystemFailure", "Slurm, the network or a file system failed"),
    Reason("InactiveLimit", "it was inactive for too long"),
    Reason("BurstBuffer", "the burst buffer is not ready"),
)

_SILENT = {"", "None", "N/A", "(null)"}
_BY_LENGTH = sorted(REASONS, key=lambda reason: -len(reason.code))


def reason_in_words(reason: str) -> str:
    """Return what a reason means; empty when Slurm names none, the code itself when unknown.

    Nodes that Slurm names (`ReqNodeNotAvail, UnavailableNodes:alice-a3m-1`) are kept.
    """
    if reason in _SILENT:
        return ""
    known = _find(reason)
    nodes = re.search(r"UnavailableNodes:(\S+)", reason)
    words = known.words if known else reason
    return f"{words} ({nodes.group(1)})" if nodes else words


def hopeless(reason: str) -> bool:
    """Whether the job will never start unless somebody acts."""
    known = _find(reason)
    return known is not None and known.hopeless


def _find(reason: str) -> Reason | None:
    # scontrol writes the same reasons with underscores for blanks.
    spoken = reason.replace("_", " ")
    return next((known for known in _BY_LENGTH if spoken.startswith(known.code)), None)
