"""Why a job waits or ended, in plain words."""

from __future__ import annotations

import re

from bot.cluster.slurm.limits import limits
from bot.cluster.slurm.reason import AGAIN, Reason, Wait

RELEASE = "Then it can be released with its button, or on the cluster: `scontrol release {job}`."
OPERATOR = "Ask an administrator of the cluster, or cancel it and launch it again elsewhere."

REASONS = (
    Reason("Resources", "Not enough nodes are free"),
    Reason("Priority", "Other jobs are ahead in the queue"),
    Reason("BeginTime", "Its earliest start time has not come yet"),
    Reason("Dependency", "It waits for another job"),
    Reason(
        "DependencyNeverSatisfied",
        "The job it depends on did not end as required",
        Wait.VAIN,
        AGAIN + "once the job that it needs has ended well.",
    ),
    Reason(
        "JobHeldUser",
        "It is held by its owner",
        Wait.VAIN,
        "Release it with its button, or on the cluster: `scontrol release {job}`.",
    ),
    Reason(
        "JobHeldAdmin",
        "It is held by an administrator",
        Wait.VAIN,
        "Only an administrator of the cluster can release it.",
    ),
    Reason(
        "JobHoldMaxRequeue",
        "It is held after too many requeues",
        Wait.VAIN,
        "See in its logs why its attempts failed. " + RELEASE,
    ),
    Reason(
        "launch failed requeued held",
        "It could not be launched on its nodes and is now held",
        Wait.VAIN,
        "Ask an administrator of the cluster to look at the nodes. " + RELEASE,
    ),
    Reason(
        "ReqNodeNotAvail, Reserved for maintenance",
        "Its nodes are reserved for maintenance",
        Wait.LIMIT,
        "It starts after the maintenance. With a time limit that ends before that, it could start "
        "now.",
    ),
    Reason(
        "ReqNodeNotAvail", "A node it needs is down, drained or reserved", Wait.BLOCKED, OPERATOR
    ),
    Reason(
        "Nodes required for job are DOWN, DRAINED or reserved",
        "The nodes it needs are down, drained or reserved for others",
        Wait.BLOCKED,
        OPERATOR,
    ),
    Reason("NodeDown", "One of its nodes went down"),
    Reason("PartitionDown", "The partition is down", Wait.BLOCKED, OPERATOR),
    Reason(
        "PartitionInactive", "The partition is inactive and starts no jobs", Wait.BLOCKED, OPERATOR
    ),
    Reason(
        "PartitionNodeLimit",
        "It asks for more nodes than the partition allows",
        Wait.VAIN,
        AGAIN + "with fewer nodes, or on another partition.",
    ),
    Reason(
        "PartitionTimeLimit",
        "It asks for more time than the partition allows",
        Wait.VAIN,
        AGAIN + "with less time, or on another partition.",
    ),
    Reason(
        "PartitionConfig",
        "The partition can never give what it asks for",
        Wait.VAIN,
        AGAIN + "with less, or on another partition.",
    ),
    Reason(
        "AccountNotAllowed",
        "Its account may not use this partition",
        Wait.VAIN,
        AGAIN + "on another partition, or with another account.",
    ),
    Reason("QOSNotAllowed", "Its QOS may not be used here", Wait.VAIN, AGAIN + "with another QOS."),
    Reason(
        "InvalidAccount", "Its account does not exist", Wait.VAIN, AGAIN + "with another account."
    ),
    Reason("InvalidQOS", "Its QOS does not exist", Wait.VAIN, AGAIN + "with another QOS."),
    *limits(),
    Reason("AssocGrpJobsLimit", "The account's limit of running jobs is reached", Wait.LIMIT),
    Reason("AssocMaxJobsLimit", "The user's limit of running jobs is reached", Wait.LIMIT),
    Reason(
        "AssocMaxWallDurationPerJobLimit",
        "It asks for more time than the account allows",
        Wait.VAIN,
        AGAIN + "with less time.",
    ),
    Reason("AssocGrp", "A limit of the account is reached", Wait.LIMIT),
    Reason("AssocMax", "A limit of the account is reached", Wait.LIMIT),
    Reason("Association", "A limit of the account is reached", Wait.LIMIT),
    Reason(
        "QOSMaxWallDurationPerJobLimit",
        "It asks for more time than the QOS allows",
        Wait.VAIN,
        AGAIN + "with less time, or with another QOS.",
    ),
    Reason(
        "QOSMaxJobsPerUser", "The user's limit of running jobs in this QOS is reached", Wait.LIMIT
    ),
    Reason(
        "MaxJobsPerAccount",
        "The account's limit of running jobs in this QOS is reached",
        Wait.LIMIT,
    ),
    Reason(
        "MaxMemPerLimit",
        "It asks for more memory than a core or a node may have",
        Wait.VAIN,
        AGAIN + "with less memory.",
    ),
    Reason("QOSGrp", "A limit of the QOS is reached", Wait.LIMIT),
    Reason("QOSMax", "A limit of the QOS is reached", Wait.LIMIT),
    Reason("QOSResourceLimit", "A limit of the QOS is reached", Wait.LIMIT),
    Reason("QOSJobLimit", "The QOS's limit of jobs is reached", Wait.LIMIT),
    Reason("QOSUsageThreshold", "The QOS's usage threshold is passed", Wait.LIMIT),
    Reason("JobArrayTaskLimit", "As many tasks of the array run as it allows itself"),
    Reason("Licenses", "It waits for a licence"),
    Reason("Reservation", "Its reservation has not begun yet"),
    Reason(
        "ReservationDeleted",
        "Its reservation was deleted",
        Wait.VAIN,
        AGAIN + "without the reservation.",
    ),
    Reason("FedJobLock", "The federation has not decided yet where it runs"),
    Reason("Prolog", "Its nodes are being prepared"),
    Reason("Cleaning", "Its former run is being cleaned up"),
    Reason(
        "BadConstraints",
        "No node can give what it asks for",
        Wait.VAIN,
        AGAIN + "with what the nodes have: `/slurm partitions`.",
    ),
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

_HELD = ("JobHeldUser", "JobHoldMaxRequeue", "launch failed requeued held")
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


def wait(reason: str) -> Wait:
    """Return what must happen before the job starts."""
    known = _find(reason)
    return known.wait if known else Wait.TURN


def hopeless(reason: str) -> bool:
    """Whether the job will never start unless somebody acts on it."""
    return wait(reason) is Wait.VAIN


def helps(reason: str, job: str) -> str:
    """Return what can be done about a reason, in sentences; empty where there is only to wait."""
    known = _find(reason)
    return known.helps.format(job=job) if known else ""


def alone_in_words(reason: str) -> str:
    """Return what a limit of one user means where nothing else of that user runs.

    A sentence without its full stop; empty for any other reason.
    """
    known = _find(reason)
    return known.alone if known else ""


def held(reason: str) -> bool:
    """Whether the job waits until its owner releases it."""
    return reason.replace("_", " ").startswith(_HELD)


def _find(reason: str) -> Reason | None:
    # scontrol writes the same reasons with underscores for blanks.
    spoken = reason.replace("_", " ")
    return next((known for known in _BY_LENGTH if spoken.startswith(known.code)), None)
