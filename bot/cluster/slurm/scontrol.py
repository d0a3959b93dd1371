"""scontrol: everything about single jobs and nodes, and how the site is set up."""

from __future__ import annotations

import re
from datetime import timedelta

from bot.cluster.slurm.refusals import checked, failure, refusal
from bot.cluster.slurm.states import state
from bot.cluster.slurm.text import duration, gpus, moment, number
from bot.errors import CommandFailed
from bot.job import Observation
from bot.model import Value
from bot.ports import Output, Query

# One call for each of a few jobs, one dump for many; unknown ids say so and change nothing.
_DETAILS = r"""
if [ $# -le 16 ]; then
  for id; do scontrol -o show job "$id"; done
  exit 0
fi
scontrol -o show job | awk -v ids="$*" '
  BEGIN { n = split(ids, list, " "); for (i = 1; i <= n; i++) want["=" list[i]] = 1 }
  { for (i = 1; i <= 3; i++) if (match($i, /=/) && (substr($i, RSTART) in want)) { print; next } }'
"""
_CONFIG = "exec scontrol show config"
_NODES = "exec scontrol -o show node"

_HEAD = re.compile(
    r"JobId=(?P<id>\d+) (?:ArrayJobId=(?P<array>\d+) (?:ArrayTaskId=(?P<task>\S+) )?"
    r"(?:ArrayTaskThrottle=\d+ )?)?"
    r"(?:HetJobId=(?P<het>\d+) HetJobOffset=(?P<offset>\d+) )?.*?JobName=(?P<name>.*) "
    r"UserId=(?P<user>\S+)\(\d+\) GroupId=\S+\(\d+\) (?P<rest>.*)",
    re.DOTALL,
)
# Paths and comments are free text and may hold ` KEY=`: each ends where Slurm's next own field is.
_AFTER = r"(?=\s+(?:AdminComment|SystemComment|Comment|StdErr|Power|TresPer\w+|MailUser)=|\s*$)"
_WORKDIR = re.compile(rf" WorkDir=(.*?){_AFTER}", re.DOTALL)
_COMMENT = re.compile(rf" Comment=(?:(.*?)\s+StdErr=(?!.* StdErr=)|(.*?){_AFTER})", re.DOTALL)
_STDOUT = re.compile(rf".* StdOut=(.*?){_AFTER}", re.DOTALL)
_STDERR = re.compile(r".* StdErr=(.*?)\s+StdIn=", re.DOTALL)
_NO_TASK = "4294967294"
"""What stands for the task in the paths of an array that has not been split yet."""
_PAIR = re.compile(r"(?:^|\s)([A-Z][\w/:]*)=(\S*)")


class NodeState(Value):
    """One node, as scontrol shows it."""

    name: str
    partitions: tuple[str, ...]
    state: str
    """Slurm's word in lower case, such as `idle`, `mixed`, `down`."""
    flags: tuple[str, ...]
    """What is added to it: `drain`, `powered_down`, `not_responding`."""
    gpus: int
    gpus_used: int
    reason: str
    memory: int = 0
    """Bytes that jobs may have of it."""

    @property
    def free_gpus(self) -> int:
        """GPUs that a job could take now."""
        usable = self.state in {"idle", "mixed"} and not {"drain", "maintenance"} & set(self.flags)
        return self.gpus - self.gpus_used if usable else 0


class SlurmConfig(Value):
    """What of the site's set-up the bot depends on."""

    version: str
    cluster: str
    min_job_age: timedelta
    """How long squeue and scontrol remember an ended job."""
    accounting: bool
    keeps_comments: bool
    """Whether sacct keeps a job's comment."""
    enforces_part_limits: bool


def details(ids: tuple[str, ...]) -> Query[tuple[Observation, ...]]:
    """Ask scontrol about these jobs; those it no longer knows are left out.

    The sure source for exit codes, restarts and output paths, while Slurm remembers a job.
    """
    return Query(_DETAILS, _details, ids, name="scontrol show job")


def nodes() -> Query[tuple[NodeState, ...]]:
    """Ask for every node."""
    return Query(_NODES, _nodes, name="scontrol show node")


def config() -> Query[SlurmConfig]:
    """Ask how the site is set up."""
    return Query(_CONFIG, _config, name="scontrol show config")


def _details(output: Output) -> tuple[Observation, ...]:
    if "Invalid job id" not in output.stderr and output.stderr.strip():
        said = refusal(output.stderr)
        if not output.stdout.strip() and said.text:
            raise failure(output, "scontrol")
    found = (_HEAD.match(line) for line in re.split(r"\n(?=JobId=)", output.stdout.strip()))
    return tuple(_job(match) for match in found if match)


def _job(match: re.Match[str]) -> Observation:
    rest = match["rest"]
    stdout, stderr = _free(_STDOUT, rest), _free(_STDERR, rest)
    pairs: dict[str, str] = {}
    for key, value in _PAIR.findall(rest):
        pairs.setdefault(key, value)
    now = state(pairs.get("JobState", ""))
    return Observation(
        id=_id(match),
        state=now,
        raw=pairs.get("JobState", ""),
        reason=_told(pairs.get("Reason", "")).replace("_", " "),
        dependency=_told(pairs.get("Dependency", "")),
        name=re.sub(r" HetJobIdSet=\S+$", "", match["name"]),
        user=match["user"],
        account=_told(pairs.get("Account", "")),
        partition=pairs.get("Partition", ""),
        qos=_told(pairs.get("QOS", "")),
        nodes=number(pairs.get("NumNodes", "")),
        node_list=_told(pairs.get("NodeList", "")),
        gpus=gpus(pairs.get("TRES", "")),
        time_limit=duration(pairs.get("TimeLimit", "")),
        submitted=moment(pairs.get("SubmitTime", "")),
        started=moment(pairs.get("StartTime", "")),
        ended=moment(pairs.get("EndTime", "")) if now.ended else None,
        elapsed=duration(pairs.get("RunTime", "")),
        exit_code=pairs.get("ExitCode", ""),
        restarts=number(pairs.get("Restarts", "")),
        comment=_free(_COMMENT, rest),
        workdir=_free(_WORKDIR, rest),
        stdout="" if _NO_TASK in stdout else stdout,
        stderr="" if _NO_TASK in stderr or stderr == stdout else stderr,
    )


def _free(pattern: re.Pattern[str], rest: str) -> str:
    found = pattern.search(rest)
    return _told(next(filter(None, found.groups()), "")) if found else ""


def _id(match: re.Match[str]) -> str:
    if match["array"] and match["task"]:
        task = match["task"]
        return f"{match['array']}_{task}" if task.isdigit() else f"{match['array']}_[{task}]"
    if match["het"]:
        return f"{match['het']}+{match['offset']}"
    return match["id"]


def _nodes(output: Output) -> tuple[NodeState, ...]:
    checked(output, "scontrol")
    return tuple(_node(line) for line in output.stdout.splitlines() if line.startswith("NodeName="))


def _node(line: str) -> NodeState:
    pairs = dict(_PAIR.findall(line))
    word, *flags = pairs.get("State", "unknown").lower().split("+")
    why = re.search(r" Reason=(.*?)(?: \[[^\]]*\])?\s*$", line)
    return NodeState(
        name=pairs["NodeName"],
        partitions=tuple(filter(None, pairs.get("Partitions", "").split(","))),
        state=word.rstrip("*"),
        flags=tuple(flags) + (("not_responding",) if word.endswith("*") else ()),
        gpus=gpus(pairs.get("CfgTRES", "")) or gpus(pairs.get("Gres", "")) or 0,
        gpus_used=gpus(pairs.get("AllocTRES", "")) or 0,
        memory=number(pairs.get("RealMemory", "")) * 2**20,
        reason=why.group(1) if why else "",
    )


def _config(output: Output) -> SlurmConfig:
    checked(output, "scontrol")
    found = dict(re.findall(r"^(\S+)\s+= (.*?)\s*$", output.stdout, re.MULTILINE))
    if "SLURM_VERSION" not in found:
        raise CommandFailed("scontrol shows no configuration", status=0, stderr=output.stderr)
    return SlurmConfig(
        version=found["SLURM_VERSION"],
        cluster=found.get("ClusterName", ""),
        min_job_age=timedelta(seconds=number(found.get("MinJobAge", "300"))),
        accounting=found.get("AccountingStorageType", "").endswith("slurmdbd"),
        keeps_comments="job_comment" in found.get("AccountingStoreFlags", ""),
        enforces_part_limits=found.get("EnforcePartLimits", "NO") not in {"NO", "OFF"},
    )


def _told(value: str) -> str:
    return "" if value in {"N/A", "None", "(null)"} else value
