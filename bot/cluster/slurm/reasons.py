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
    """A sentence on the job ("it") without its full stop."""
    hopeless: bool = False


REASONS = (
    Reason("Resources", "Not enough nodes are free"),
    Reason("Priority", "Other jobs are ahead in the queue"),
    Reason("BeginTime", "Its earliest start time has not come yet"),
    Reason("Dependency", "It waits for another job"),
    Reason("DependencyNeverSatisfied", "The job it depends on did not end as required", True),
    Reason("JobHeldUser", "It is held by its owner", True),
    Reason("JobHeldAdmin", "It is held by an administrator", True),
    Reason("JobHoldMaxRequeue", "It is held after too many requeues", True),
    Reason(
        "launch failed requeued held", "It could not be launched on its nodes and is now held", True
    ),
    Reason("ReqNodeNotAvail, Reserved for maintenance", "Its nodes are reserved for maintenance"),
    Reason("ReqNodeNotAvail", "A node it needs is down, drained or reserved"),
    Reason(
        "Nodes required for job are DOWN, DRAINED or reserved",
        "The nodes it needs are down, drained or reserved for others",
    ),
    Reason("NodeDown", "One of its nodes went down"),
    Reason("PartitionDown", "The partition is down"),
    Reason("PartitionInactive", "The partition is inactive and starts no jobs"),
    Reason("PartitionNodeLimit", "It asks for more nodes than the partition allows", True),
    Reason("PartitionTimeLimit", "It asks for more time than the partition allows", True),
    Reason("PartitionConfig", "The partition can never give what it asks for", True),
    Reason("AccountNotAllowed", "Its account may not use this partition", True),
    Reason("QOSNotAllowed", "Its QOS may not be used here", True),
    Reason("InvalidAccount", "Its account does not exist", True),
    Reason("InvalidQOS", "Its QOS does not exist", True),
    Reason("AssocGrpNodeLimit", "The account's node limit is used up"),
    Reason("AssocGrpJobsLimit", "The account's limit of running jobs is reached"),
    Reason("AssocGrpGRES", "The account's GPU limit is used up"),
    Reason("AssocMaxJobsLimit", "The user's limit of running jobs is reached"),
    Reason(
        "AssocMaxWallDurationPerJobLimit", "It asks for more time than the account allows", True
    ),
    Reason("AssocMaxNodePerJobLimit", "It asks for more nodes than the account allows", True),
    Reason("AssocMaxGRESPerJob", "It asks for more GPUs than the account allows", True),
    Reason("AssocGrp", "A limit of the account is reached"),
    Reason("AssocMax", "A limit of the account is reached"),
    Reason("QOSMaxNodePerJobLimit", "It asks for more nodes than the QOS allows in one job", True),
    Reason("QOSMaxWallDurationPerJobLimit", "It asks for more time than the QOS allows", True),
    Reason("QOSMaxGRESPerJob", "It asks for more GPUs than the QOS allows in one job", True),
    Reason("QOSMinGRES", "It asks for fewer GPUs than the QOS requires", True),
    Reason("QOSGrp", "A limit of the QOS is reached"),
    Reason("QOSMax", "A limit of the QOS is reached"),
    Reason("QOSResourceLimit", "A limit of the QOS is reached"),
    Reason("QOSJobLimit", "The QOS's limit of jobs is reached"),
    Reason("QOSUsageThreshold", "The QOS's usage threshold is passed"),
    Reason("JobArrayTaskLimit", "As many tasks of the array run as it allows itself"),
    Reason("Licenses", "It waits for a licence"),
    Reason("Reservation", "Its reservation has not begun yet"),
    Reason("ReservationDeleted", "Its reservation was deleted", True),
    Reason("FedJobLock", "The federation has not decided yet where it runs"),
    Reason("Prolog", "Its nodes are being prepared"),
    Reason("Cleaning", "Its former run is being cleaned up"),
    Reason("BadConstraints", "No node can give what it asks for", True),
    Reason("DeadLine", "Its deadline passed"),
    Reason("Preempted", "A job of higher priority took its nodes"),
    Reason("TimeLimit", "Its time limit was reached"),
    Reason("NonZeroExitCode", "Its script ended with an error"),
    Reason(
        "JobLaunchFailure", "It could not be launched (is its output or working folder missing?)"
    ),
    Reason("RaisedSignal", "It was ended by a signal"),
    Reason("OutOfMemory", "It used more memory than it asked for"),
    Reason("SystemFailure", "Slurm, the network or a file system failed"),
    Reason("InactiveLimit", "It was inactive for too long"),
    Reason("BurstBuffer", "The burst buffer is not ready"),
)

_SILENT = {"", "None", "N/A", "(null)"}
_BY_LENGTH = sorted(REASONS, key=lambda reason: -len(reason.code))


def reason_in_words(reason: str) -> str:
    """Return what a reason means, as a sentence without its full stop.

    Empty when Slurm names none, its own code when that is unknown.
    Nodes that Slurm names (`ReqNodeNotAvail, UnavailableNodes:alice-a3m-1`) are kept.
    """
    if reason in _SILENT:
        return ""
    known = _find(reason)
    if known is None:
        return f"Slurm's reason: {reason}"
    nodes = re.search(r"UnavailableNodes:(\S+)", reason)
    return f"{known.words} ({nodes.group(1)})" if nodes else known.words


def hopeless(reason: str) -> bool:
    """Whether the job will never start unless somebody acts."""
    known = _find(reason)
    return known is not None and known.hopeless


def _find(reason: str) -> Reason | None:
    # scontrol writes the same reasons with underscores for blanks.
    spoken = reason.replace("_", " ")
    return next((known for known in _BY_LENGTH if spoken.startswith(known.code)), None)
