"""scontrol: single jobs, nodes, the site's set-up."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.cluster.slurm import NodeState, config, details, nodes
from bot.errors import CommandFailed, SlurmUnreachable
from bot.job import Observation, State
from tests.unit.cluster.slurm.answers import answer

JOB = (
    "JobId=2 JobName=s.sh UserId=alice(50001) GroupId=research(50001) MCS_label=N/A"
    " Priority=4294901758 Nice=0 Account=research QOS=normal JobState=FAILED"
    " Reason=NonZeroExitCode Dependency=(null) Requeue=1 Restarts=1 BatchFlag=1 Reboot=0"
    " ExitCode=137:0 RunTime=00:01:05 TimeLimit=00:05:00 TimeMin=N/A"
    " SubmitTime=2026-11-30T20:30:14 EligibleTime=2026-11-30T20:30:14"
    " AccrueTime=2026-11-30T20:30:14 StartTime=2026-11-30T21:30:14 EndTime=2026-11-30T21:31:19"
    " Deadline=N/A SuspendTime=None SecsPreSuspend=0 LastSchedEval=2026-11-30T20:30:16"
    " Scheduler=Main Partition=a3m AllocNode:Sid=localhost:11277 ReqNodeList=(null)"
    " ExcNodeList=(null) NodeList=alice-a3m-[0-1] BatchHost=alice-a3m-0 NumNodes=2 NumCPUs=2"
    " NumTasks=2 CPUs/Task=1 ReqB:S:C:T=0:0:*:* TRES=cpu=2,mem=4000M,node=2,billing=2,gres/gpu=4"
    " Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=* MinCPUsNode=1 MinMemoryCPU=2000M"
    " MinTmpDiskNode=0 Features=(null) DelayBoot=00:00:00 OverSubscribe=OK Contiguous=0"
    " Licenses=(null) Network=(null) Command=/home/alice/s.sh WorkDir=/home/alice"
    " Comment=my comment  StdErr=/home/alice/slurm-2.out StdIn=/dev/null"
    " StdOut=/home/alice/slurm-2.out Power= TresPerNode=gres:gpu:2 \n"
)


def one(*changes: tuple[str, str]) -> Observation:
    """What is seen of the job with some of its text replaced."""
    text = JOB
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (job,) = answer(details(("2",)), text)
    return job


def test_everything_about_a_job() -> None:
    """The exit code is whole (sacct would print 9:0), and restarts are counted."""
    assert one() == Observation(
        id="2",
        state=State.FAILED,
        raw="FAILED",
        reason="NonZeroExitCode",
        name="s.sh",
        user="alice",
        account="research",
        partition="a3m",
        qos="normal",
        nodes=2,
        node_list="alice-a3m-[0-1]",
        gpus=4,
        time_limit=timedelta(minutes=5),
        submitted=datetime(2026, 11, 30, 20, 30, 14, tzinfo=UTC),
        started=datetime(2026, 11, 30, 21, 30, 14, tzinfo=UTC),
        ended=datetime(2026, 11, 30, 21, 31, 19, tzinfo=UTC),
        elapsed=timedelta(minutes=1, seconds=5),
        exit_code="137:0",
        restarts=1,
        comment="my comment",
        workdir="/home/alice",
        stdout="/home/alice/slurm-2.out",
    )


def test_ids_that_slurm_no_longer_knows_are_left_out() -> None:
    """Gotcha 6: the error of one is not the failure of all, whatever the exit status says."""
    error = "scontrol_print_job error: Invalid job id specified\n"
    assert [job.id for job in answer(details(("1", "2")), JOB, error, 1)] == ["2"]
    assert answer(details(("1",)), "", error, 1) == ()


def test_an_outage_is_not_an_unknown_job() -> None:
    """slurmctld down: nothing is known of any of them."""
    error = "scontrol_print_job error: Unable to contact slurm controller (connect failure)\n"
    with pytest.raises(SlurmUnreachable):
        answer(details(("2",)), "", error, 1)


@pytest.mark.parametrize(
    "name",
    ["two words", "n UserId=evil(0) x", "a\nb", "x JobState=COMPLETED", "a|b", "JobId=7 JobName=y"],
)
def test_any_name_is_only_a_name(name: str) -> None:
    """scontrol quotes nothing: a name must not pass for other fields."""
    job = one(("JobName=s.sh", f"JobName={name}"))
    assert (job.id, job.name, job.user, job.state) == ("2", name, "alice", State.FAILED)


@pytest.mark.parametrize(
    "comment",
    [
        "c JobState=COMPLETED Restarts=9 y",
        "sbatchat:1 StdOut=/etc/passwd",
        "a\nb",
        "x  StdErr=/y z",
    ],
)
def test_any_comment_is_only_a_comment(comment: str) -> None:
    """Nor may a comment."""
    job = one(("Comment=my comment", f"Comment={comment}"))
    assert (job.comment, job.state, job.restarts) == (comment, State.FAILED, 1)
    assert job.stdout == "/home/alice/slurm-2.out"
    assert job.workdir == "/home/alice"


def test_paths_with_blanks() -> None:
    """They are not quoted either."""
    job = one(
        ("/home/alice/slurm-2.out", "/home/a b/x=1 y.out"), ("WorkDir=/home/alice", "WorkDir=/w d")
    )
    assert (job.stdout, job.stderr, job.workdir) == ("/home/a b/x=1 y.out", "", "/w d")


def test_standard_error_in_a_file_of_its_own() -> None:
    """Where it goes to the same file, nothing is said of it."""
    job = one(("StdErr=/home/alice/slurm-2.out", "StdErr=/home/a b/2.err"))
    assert (job.stdout, job.stderr) == ("/home/alice/slurm-2.out", "/home/a b/2.err")


def test_a_job_without_comment_and_output() -> None:
    """An interactive allocation has neither."""
    start = JOB.index(" Comment=")
    job = one((JOB[start:], "\n"))
    assert (job.comment, job.stdout, job.workdir) == ("", "", "/home/alice")


def test_reasons_are_written_with_underscores() -> None:
    """The same reason as squeue's, as squeue writes it."""
    job = one(("Reason=NonZeroExitCode", "Reason=ReqNodeNotAvail,_UnavailableNodes:n1"))
    assert job.reason == "ReqNodeNotAvail, UnavailableNodes:n1"
    assert one(("Reason=NonZeroExitCode", "Reason=None")).reason == ""


def test_a_pending_job() -> None:
    """`NumNodes=2-2`, no nodes, and an EndTime that is only a plan."""
    job = one(
        ("JobState=FAILED", "JobState=PENDING"),
        ("NumNodes=2 ", "NumNodes=2-2 "),
        ("NodeList=alice-a3m-[0-1] BatchHost=alice-a3m-0", "NodeList= SchedNodeList=x"),
    )
    assert (job.nodes, job.node_list, job.ended) == (2, "", None)


def test_array_tasks() -> None:
    """A task has its own number and file; what is not split yet has no file."""
    task = one(("JobId=2 ", "JobId=58 ArrayJobId=45 ArrayTaskId=0 ArrayTaskThrottle=2 "))
    assert (task.id, task.job) == ("45_0", "45")
    rest = one(
        ("JobId=2 ", "JobId=45 ArrayJobId=45 ArrayTaskId=2-5%2 ArrayTaskThrottle=2 "),
        ("slurm-2.out", "slurm-45_4294967294.out"),
    )
    assert (rest.id, rest.stdout) == ("45_[2-5%2]", "")


def test_components_of_a_heterogeneous_job() -> None:
    """The name is followed by the set of ids."""
    job = one(
        ("JobId=2 ", "JobId=49 HetJobId=48 HetJobOffset=1 "),
        ("JobName=s.sh ", "JobName=s.sh HetJobIdSet=48-49 "),
    )
    assert (job.id, job.name) == ("48+1", "s.sh")


def test_several_jobs() -> None:
    """One line each, even when a name breaks the line."""
    text = JOB.replace("s.sh", "a\nb") + JOB.replace("JobId=2 ", "JobId=3 ")
    assert [(job.id, job.name) for job in answer(details(("2", "3")), text)] == [
        ("2", "a\nb"),
        ("3", "s.sh"),
    ]


def test_nodes() -> None:
    """GPUs in use are counted; a drained node has none to give."""
    text = (
        "NodeName=n0 Arch=x86_64 Gres=gpu:8 Partitions=a3m,all State=MIXED"
        " CfgTRES=cpu=64,gres/gpu=8 AllocTRES=cpu=1,gres/gpu=3 CapWatts=n/a\n"
        "NodeName=n1 Gres=gpu:8 Partitions=a3m State=DOWN*+DRAIN CfgTRES=cpu=64,gres/gpu=8"
        " AllocTRES= Reason=Prolog error [root@2026-11-30T20:00:00]\n"
        "NodeName=n2 Gres=gpu:8 Partitions=a3m State=IDLE+DRAIN CfgTRES=gres/gpu=8 AllocTRES=\n"
        "NodeName=n3 Gres=(null) Partitions=cpu State=IDLE+CLOUD+POWERED_DOWN CfgTRES=cpu=2\n"
    )
    found = answer(nodes(), text)
    assert found[0] == NodeState(
        name="n0",
        partitions=("a3m", "all"),
        state="mixed",
        flags=(),
        gpus=8,
        gpus_used=3,
        reason="",
    )
    assert [node.free_gpus for node in found] == [5, 0, 0, 0]
    assert (found[1].state, found[1].flags) == ("down", ("drain", "not_responding"))
    assert found[1].reason == "Prolog error"
    assert found[3].flags == ("cloud", "powered_down")


def test_the_sites_set_up() -> None:
    """What exactly-once and watching rest on."""
    text = (
        "Configuration data as of 2026-11-30T20:30:16\n"
        "AccountingStorageType   = accounting_storage/slurmdbd\n"
        "AccountingStoreFlags    = job_comment,job_env\n"
        "ClusterName             = alice\nEnforcePartLimits       = NO\n"
        "MinJobAge               = 60 sec\nSLURM_VERSION           = 22.05.8\n\n"
        "Slurmctld(primary) at alice-login-0 is UP\n"
    )
    found = answer(config(), text)
    assert (found.version, found.cluster) == ("22.05.8", "alice")
    assert found.min_job_age == timedelta(seconds=60)
    assert (found.accounting, found.keeps_comments) == (True, True)
    assert not found.enforces_part_limits
    off = answer(config(), text.replace("slurmdbd", "none").replace("job_comment,", ""))
    assert (off.accounting, off.keeps_comments) == (False, False)
    with pytest.raises(CommandFailed):
        answer(config(), "nothing of the kind")
