"""Rows as Slurm 22.05.8 printed them, with other values where a test says so."""

from __future__ import annotations

DAY = "2026-11-30T"


def squeue(
    job: str,
    state: str = "RUNNING",
    reason: str = "None",
    *,
    node: str = "alice-a3m-0",
    submitted: str = "21:46:48",
    start: str = "21:46:49",
    end: str = "21:56:49",
    name: str = "train",
    dependency: str = "(null)",
) -> str:
    """One record of the bot's own squeue format; times are of one day."""
    values = (
        *(job, state, reason, "alice", "research", "a3m", "normal", "1", node, "N/A", "10:00"),
        *(_at(submitted), _at(start), _at(end), dependency, "/home/alice", name, "sbatchat:r1"),
    )
    return "\x1e" + "".join(f"{value}\x1f" for value in values) + "\n"


def waits(job: str, reason: str = "Resources", **told: str) -> str:
    """A record of a job that waits without a plan."""
    return squeue(job, "PENDING", reason, node="", **{"start": "N/A", "end": "N/A", **told})


def scontrol(
    job: str,
    state: str = "RUNNING",
    reason: str = "None",
    *,
    code: str = "0:0",
    restarts: int = 0,
    ran: str = "00:00:03",
    node: str = "alice-a3m-0",
    submitted: str = "21:46:48",
    start: str = "21:46:49",
    end: str = "21:56:49",
    array: str = "",
    dependency: str = "(null)",
) -> str:
    """One line of `scontrol -o show job`; `array` is such as `3 ArrayTaskId=0`."""
    head = f"ArrayJobId={array} ArrayTaskThrottle=1 " if array else ""
    name = array.replace(" ArrayTaskId=", "_") if array else job
    output = "3_4294967294" if "-" in array else name
    return (
        f"JobId={job} {head}JobName=train UserId=alice(50001) GroupId=research(50001) MCS_label=N/A"
        " Priority=4294901758 Nice=0 Account=research QOS=normal"
        f" JobState={state} Reason={reason} Dependency={dependency} Requeue=1 Restarts={restarts}"
        f" BatchFlag=1 Reboot=0 ExitCode={code} RunTime={ran} TimeLimit=00:10:00 TimeMin=N/A"
        f" SubmitTime={_at(submitted)} EligibleTime={_at(submitted)} AccrueTime=Unknown"
        f" StartTime={_at(start)} EndTime={_at(end)} Deadline=N/A PreemptTime=None SuspendTime=None"
        " SecsPreSuspend=0 Scheduler=Backfill Partition=a3m AllocNode:Sid=localhost:21674"
        f" ReqNodeList=(null) ExcNodeList=(null) NodeList={node} BatchHost={node}"
        " NumNodes=1 NumCPUs=1 NumTasks=1 CPUs/Task=1 ReqB:S:C:T=0:0:*:*"
        " TRES=cpu=1,mem=2000M,node=1,billing=1 Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=*"
        " MinCPUsNode=1 MinMemoryCPU=2000M MinTmpDiskNode=0 Features=(null) DelayBoot=00:00:00"
        " OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null) Command=(null)"
        f" WorkDir=/home/alice Comment=sbatchat:r1 StdErr=/home/alice/slurm-{output}.out"
        f" StdIn=/dev/null StdOut=/home/alice/slurm-{output}.out Power= \n"
    )


def sacct(
    job: str,
    state: str,
    code: str = "0:0",
    *,
    submitted: str = "21:46:48",
    start: str = "21:46:49",
    end: str = "21:46:52",
    ran: int = 3,
    node: str = "alice-a3m-0",
) -> str:
    """One row of the bot's own sacct format."""
    values = (
        *(job, state, code, "0:0", _at(submitted), _at(start), _at(end), str(ran), "1", node),
        *("billing=1,cpu=1,mem=2000M,node=1", "00:10:00", "a3m", "normal", "research", "alice"),
        *("00:00.002", "", "/home/alice", "train", "sbatchat:r1"),
    )
    return "".join(f"{value}\x1f" for value in values) + "\n"


def _at(time: str) -> str:
    return DAY + time if time[:1].isdigit() and "T" not in time else time
