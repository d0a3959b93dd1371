"""What Slurm's error texts mean: whose fault, worth waiting, may a job exist all the same."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from bot.errors import CommandFailed, SlurmRateLimited, SlurmUnreachable
from bot.ports import Output


class Blame(StrEnum):
    """What a refusal calls for."""

    ASKED_WRONG = "asked wrong"
    """The person can put it right."""
    WAIT = "wait"
    """The same request may pass later."""
    FAULT = "fault"
    """The cluster is at fault."""
    OTHER = "other"
    """A text we do not know, such as a site's own."""


class Subject(StrEnum):
    """The part of the request that Slurm objects to."""

    PARTITION = "partition"
    ACCOUNT = "account"
    QOS = "qos"
    TIME = "time"
    NODES = "nodes"
    GPUS = "gpus"
    MEMORY = "memory"
    DEPENDENCY = "dependency"
    ARRAY = "array"
    RESERVATION = "reservation"
    OPTION = "option"
    SCRIPT = "script"
    LIMIT = "limit"
    NONE = ""


@dataclass(frozen=True)
class Complaint:
    """One of Slurm's error texts."""

    text: str
    blame: Blame
    subject: Subject = Subject.NONE
    may_hide: bool = False
    """The job may have been accepted although this was said."""


_WRONG, _WAIT, _FAULT = Blame.ASKED_WRONG, Blame.WAIT, Blame.FAULT

# The first that occurs in the text wins, so what may hide an acceptance stands first.
COMPLAINTS = (
    Complaint("Socket timed out on send/recv", _FAULT, may_hide=True),
    Complaint("Zero Bytes were transmitted or received", _FAULT, may_hide=True),
    Complaint("Unable to contact slurm controller (connect failure)", _FAULT),
    Complaint("Unable to contact slurm controller", _FAULT, may_hide=True),
    Complaint("Unexpected message received", _FAULT, may_hide=True),
    Complaint("Slurm backup controller in standby mode", _FAULT, may_hide=True),
    Complaint("Transport endpoint is not connected", _FAULT, may_hide=True),
    Complaint("Connection reset by peer", _FAULT, may_hide=True),
    Complaint("I/O error writing script/environment to file", _FAULT, may_hide=True),
    Complaint("Slurm internal error", _FAULT, may_hide=True),
    Complaint("Protocol authentication error", _FAULT, may_hide=True),
    Complaint("Could not establish a configuration source", _FAULT),
    Complaint("Rate limit exceeded", _WAIT),
    Complaint("Required partition not available", _WAIT, Subject.PARTITION),
    Complaint("invalid partition specified", _WRONG, Subject.PARTITION),
    Complaint("Invalid partition name specified", _WRONG, Subject.PARTITION),
    Complaint("No partition specified or system default partition", _WRONG, Subject.PARTITION),
    Complaint("group not permitted to use this partition", _WRONG, Subject.PARTITION),
    Complaint("Invalid account or account/partition", _WRONG, Subject.ACCOUNT),
    Complaint("Invalid qos specification", _WRONG, Subject.QOS),
    Complaint("QOSMaxWallDurationPerJobLimit", _WRONG, Subject.TIME),
    Complaint("QOSMaxNodePerJobLimit", _WRONG, Subject.NODES),
    Complaint("QOSMaxGRESPerJob", _WRONG, Subject.GPUS),
    Complaint("AssocMaxWallDurationPerJobLimit", _WRONG, Subject.TIME),
    Complaint("AssocMaxSubmitJobLimit", _WAIT, Subject.LIMIT),
    Complaint("QOSMaxSubmitJobPerUserLimit", _WAIT, Subject.LIMIT),
    Complaint("Requested time limit is invalid", _WRONG, Subject.TIME),
    Complaint("Invalid --time specification", _WRONG, Subject.TIME),
    Complaint("Invalid time limit specification", _WRONG, Subject.TIME),
    Complaint("Memory specification can not be satisfied", _WRONG, Subject.MEMORY),
    Complaint("Memory required by task is not available", _WRONG, Subject.MEMORY),
    Complaint("Invalid generic resource (gres) specification", _WRONG, Subject.GPUS),
    Complaint("Invalid Trackable RESource (TRES) specification", _WRONG, Subject.GPUS),
    Complaint("More processors requested than permitted", _WRONG, Subject.NODES),
    Complaint("Node count specification invalid", _WRONG, Subject.NODES),
    Complaint("invalid number of nodes", _WRONG, Subject.NODES),
    Complaint("is less than minimum node count", _WRONG, Subject.NODES),
    Complaint("Invalid node name specified", _WRONG, Subject.NODES),
    Complaint("Requested node configuration is not available", _WRONG, Subject.NODES),
    Complaint("Invalid feature specification", _WRONG, Subject.NODES),
    Complaint("Requested reservation is invalid", _WRONG, Subject.RESERVATION),
    Complaint("Access denied to requested reservation", _WRONG, Subject.RESERVATION),
    Complaint("Job dependency problem", _WRONG, Subject.DEPENDENCY),
    Complaint("Invalid job array specification", _WRONG, Subject.ARRAY),
    Complaint("Pathname of a file, directory or other parameter too long", _WRONG),
    Complaint("Access/permission denied", _WRONG),
    Complaint("unrecognized option", _WRONG, Subject.OPTION),
    Complaint("invalid option --", _WRONG, Subject.OPTION),
    Complaint("requires an argument", _WRONG, Subject.OPTION),
    Complaint("Unable to open file", _WRONG, Subject.SCRIPT),
    Complaint("This does not look like a batch script", _WRONG, Subject.SCRIPT),
    Complaint("Batch script is empty", _WRONG, Subject.SCRIPT),
    Complaint("Batch script contains DOS line breaks", _WRONG, Subject.SCRIPT),
    Complaint("Job violates accounting/QOS policy", _WAIT, Subject.LIMIT),
    Complaint("MaxJobCount limit", _WAIT, Subject.LIMIT),
    Complaint("Slurm job queue full", _WAIT, Subject.LIMIT),
    Complaint("Requested nodes are busy", _WAIT, Subject.NODES),
    Complaint("try again later", _WAIT),
)

_NOISE = re.compile(
    r"^(?:sbatch|srun|salloc|scancel|squeue|sinfo|scontrol|sacct): (?:error: |fatal: )?"
)


@dataclass(frozen=True)
class Refusal:
    """Why Slurm said no."""

    blame: Blame
    subject: Subject
    may_hide: bool
    """An acceptance may hide behind it: look for the job before anything else."""
    text: str
    """Slurm's own words: every error line, without the program's name."""


def refusal(stderr: str) -> Refusal:
    """Read what sbatch said when it did not submit, also from inside a launcher's traceback.

    All error lines count: the first names the value, the generic last one only the kind.
    """
    lines = [line.strip() for line in stderr.splitlines()]
    said = [line for line in lines if _NOISE.match(line) or "allocation failure:" in line]
    text = "\n".join(dict.fromkeys(_NOISE.sub("", line) for line in said)) or stderr.strip()
    flat = " ".join(stderr.split())
    known = next((c for c in COMPLAINTS if c.text in flat), None)
    if known is None:
        return Refusal(Blame.OTHER, Subject.NONE, may_hide=False, text=text)
    return Refusal(known.blame, known.subject, may_hide=known.may_hide, text=text)


def checked(output: Output, what: str) -> Output:
    """Return the output of a command that worked; raise what its error text means otherwise."""
    if output.status == 0:
        return output
    raise failure(output, what)


def failure(output: Output, what: str) -> CommandFailed:
    """Return the error for a command that failed: unreachable, rate limited, or just failed."""
    said = refusal(output.stderr)
    text = said.text.splitlines()[-1] if said.text else f"exit status {output.status}"
    kind = CommandFailed
    if "Rate limit exceeded" in output.stderr:
        kind = SlurmRateLimited
    elif said.blame is Blame.FAULT or re.search(_DATABASE_DOWN, output.stderr):
        kind = SlurmUnreachable
    return kind(f"{what}: {text}", status=output.status, stderr=output.stderr)


_DATABASE_DOWN = (
    r"Connection refused|Problem talking to the database|Unknown error 1021"
    r"|slurm_persist_conn_open|Unable to contact|Sending PersistInit msg"
)
