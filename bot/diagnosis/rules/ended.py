"""Ended by the scheduler, the kernel or a person."""

from __future__ import annotations

from bot.diagnosis.facts import Facts
from bot.diagnosis.rule import Action, Rule, Strength
from bot.diagnosis.signals import ended_by

_GROUP = "ended"
_NO_FOLDER = 53
"""The signal number with which Slurm says that it could not open the output."""
_STEPD = r"\*\*\* (?:JOB|STEP) \S+ .*"


def _requeued_after(facts: Facts, state: str) -> bool:
    """Whether it waits for its next attempt after one that ended so."""
    return facts.state == "PENDING" and facts.past[-1:] == (state,)


RULES = (
    Rule(
        label="slurm-time-limit",
        group=_GROUP,
        title="It reached its time limit.",
        remedy="Resubmit with more --time, or as a chain of jobs, and resume from the last whole "
        "checkpoint.",
        patterns=(
            _STEPD + r"DUE TO TIME LIMIT",
            r"DUE TO TIME LIMIT \*\*\*",
            r"has exceeded its time limit and its allocation has been revoked",
            r"Job killed due hitting max wall clock limit",
        ),
        actions=(Action.MORE_TIME, Action.RESUME),
        strength=Strength.SCHEDULER,
        decided=lambda facts: facts.state == "TIMEOUT",
    ),
    Rule(
        label="slurm-time-limit",
        group=_GROUP,
        title="It reached its time limit, as submitit says.",
        remedy="Resubmit with more --time, and resume from the last whole checkpoint.",
        patterns=(
            r"Caught signal SIG\w+ on \S+: this job is timed-out",
            r"Job not requeued because: timed-out",
            r"UncompletedJobError: .*timed-out",
        ),
        lines=(
            (
                "submitit WARNING (2026-01-12 11:59:02,010) - Caught signal SIGUSR2 on n1: this "
                "job is timed-out."
            ),
            (
                "submitit.core.utils.UncompletedJobError: Job not requeued because: timed-out too "
                "many times."
            ),
        ),
        actions=(Action.MORE_TIME, Action.RESUME),
        quiet=True,
    ),
    Rule(
        label="slurm-preempted",
        group=_GROUP,
        title="The scheduler gave its nodes to a job of higher priority.",
        remedy="Rerun from the last checkpoint, or use a QOS or partition that is not preempted.",
        patterns=(
            _STEPD + r"DUE TO PREEMPTION",
            r"Caught signal SIG\w+ on \S+: this job is preempted",
        ),
        lines=(
            (
                "submitit WARNING (2026-01-12 11:59:02,010) - Caught signal SIGUSR2 on n1: this "
                "job is preempted."
            ),
        ),
        quiet=True,
        actions=(Action.RERUN_SAME, Action.RESUME),
        transient=True,
        strength=Strength.SCHEDULER,
        decided=lambda facts: facts.state == "PREEMPTED" or _requeued_after(facts, "PREEMPTED"),
    ),
    Rule(
        label="slurm-node-fail",
        group=_GROUP,
        title="A node[, {node},] stopped answering.",
        remedy="Resubmit from the last checkpoint without that node.",
        patterns=(
            r"Node failure on (?P<node>[\w.-]+)",
            _STEPD + r"DUE TO NODE FAILURE",
            r"killed due to node failure",
            r"srun: error: Nodes? \S+ (?:are|is) (?:still )?not (?:ready|responding)",
            r"Job killed due node failure",
            r"\*\*\* (?:JOB|STEP) \S+ .*UNCORRECTABLE MEMORY ERROR",
            r"Spank plugin failure, node failed",
            r"Unable to create step for job \S+: Required node not available",
            (
                r"Task launch for \S+ failed on node (?P<node>[\w.-]+): (?:Communication "
                r"connection failure|Socket timed out|Unable to contact|Connection|Transport "
                r"endpoint|Zero Bytes|Message)"
            ),
        ),
        lines=(
            (
                "slurmstepd: error: *** STEP 7.0 ON n1 UNCORRECTABLE MEMORY ERROR AT "
                "2026-01-01T00:00:00 ***"
            ),
            (
                "srun: error: Task launch for StepId=7.0 failed on node n12: Communication "
                "connection failure"
            ),
        ),
        actions=(Action.EXCLUDE_NODE, Action.RESUME),
        transient=True,
        strength=Strength.SCHEDULER,
        decided=lambda facts: (
            facts.state in {"NODE_FAIL", "BOOT_FAIL"} or _requeued_after(facts, "NODE_FAIL")
        ),
    ),
    Rule(
        label="slurm-node-fail",
        group=_GROUP,
        title="Slurm lost the node[ {node}] on which a task ran.",
        remedy="Resubmit from the last checkpoint without that node.",
        patterns=(
            r"io error with slurmstepd on node",
            r"(?:no|not) response from node (?P<node>[\w.-]+)",
        ),
        lines=(
            (
                "srun: error: step_launch_notify_io_failure: aborting, io error with slurmstepd "
                "on node 3"
            ),
        ),
        actions=(Action.EXCLUDE_NODE, Action.RESUME),
        transient=True,
        strength=Strength.FAULT,
        first=True,
    ),
    Rule(
        label="host-oom",
        group=_GROUP,
        title="It used more memory than the job had[, which was {asked}].",
        remedy="Ask for more --mem, or use fewer data-loader workers, less offloading, fewer "
        "rollouts at once.",
        patterns=(
            r"[Dd]etected \d+ oom[_-]kill event",
            r"oom[_-]kill event\(s\)",
            r"Some of your processes may have been killed by the cgroup out-of-memory handler",
            r"[Ee]xceeded (?:job |step )?memory limit",
            r"[Mm]emory cgroup out of memory",
            r"oom-kill:constraint=CONSTRAINT_MEMCG",
            r"^srun: error: .*: Out Of Memory$",
            r"[Jj]ob .*(?:exceeded|exceeds) (?:its )?(?:requested )?memory (?:limit|request)",
        ),
        actions=(Action.MORE_MEMORY, Action.FEWER_WORKERS),
        strength=Strength.KILLED,
        decided=lambda facts: (
            facts.state == "OUT_OF_MEMORY" or (facts.failed and "OUT_OF_MEMORY" in facts.steps)
        ),
    ),
    Rule(
        label="host-oom",
        group=_GROUP,
        title="The memory of the node ran out.",
        remedy="Ask for more --mem (or the whole node), or use fewer data-loader workers, less "
        "offloading, fewer rollouts at once.",
        patterns=(
            r"Out of memory: Killed process",
            r"oom-kill:constraint=",
            r"killed due to (?:the node running low on memory|memory pressure \(OOM\))",
            r"Task was killed due to the node running low on memory",
            r"\bOutOfMemoryError: Task",
            r"exceeds the memory usage threshold",
        ),
        actions=(Action.MORE_MEMORY, Action.FEWER_WORKERS),
        strength=Strength.KILLED,
    ),
    Rule(
        label="host-oom",
        group=_GROUP,
        title="A program was given no more memory by the node.",
        remedy="Ask for more --mem (or the whole node), or load less at once: fewer workers, a "
        "smaller buffer, a file that is mapped.",
        patterns=(
            r"DefaultCPUAllocator: (?:can't allocate memory|not enough memory)",
            r"^(?:[\w.]*\.)?MemoryError\b",
            r"Unable to allocate [\d.]+ [KMGTP]iB for an array",
            r"\[Errno 12\] Cannot allocate memory",
            r"std::bad_alloc",
            r"\b_?ArrayMemoryError: ",
            r"\bArrow(?:OutOf)?MemoryError\b",
            r"\b(?:fork|clone|mmap|malloc)\b.*Cannot allocate memory",
            r"\bcode: 12, kind: OutOfMemory|memory allocation of \d+ bytes failed",
            r"^java\.lang\.OutOfMemoryError: (?:Java|GC|Direct|Meta|Req)",
        ),
        lines=(
            "numpy._core._exceptions._ArrayMemoryError: Unable to allocate 1.19 TiB for an array",
            "/var/spool/slurmd/job7/slurm_script: fork: Cannot allocate memory",
            "memory allocation of 68719476736 bytes failed",
        ),
        actions=(Action.MORE_MEMORY, Action.FEWER_WORKERS),
        strength=Strength.KILLED,
    ),
    Rule(
        label="slurm-cancelled",
        group=_GROUP,
        title="Slurm itself or an administrator cancelled it.",
        remedy="Look at the node (sinfo -R): a failed prolog and a memory kill look like this too.",
        actions=(Action.TELL_ADMIN,),
        presumed=lambda facts, silent: facts.state == "CANCELLED" and facts.cancelled_by == "0",
    ),
    Rule(
        label="slurm-cancelled",
        group=_GROUP,
        title="It was cancelled[ by {who}].",
        remedy="Ask whoever cancelled it before running it again.",
        patterns=(
            r"\*\*\* (?:JOB|STEP) \S+ (?:.* )?CANCELLED AT \S+ (?:(?:ON|on) \S+ )?\*\*\*",
            (
                r"\*\*\* (?:JOB|STEP) \S+ .*CANCELLED AT \S+ DUE (?:TO|to) (?:SIGNAL|SCANCEL|USER|"
                r"ADMIN)"
            ),
            (
                r"\*\*\* (?:JOB|STEP) \S+ (?:ON \S+ )?CANCELLED (?:AT \S+ )?BY (?:(?:UID|USER|uid|"
                r"user)[ =]?)?(?P<who>[\w.-]+)"
            ),
            r"(?:Job allocation|job) \d+ (?:has been )?revoked",
            r"srun: Cancelled pending (?:job )?step",
            r"srun: sending Ctrl-C to ",
            r"srun: forcing job termination",
        ),
        lines=(
            "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-01T00:00:00 BY UID 1001 ***",
            "salloc: Job allocation 4412 has been revoked.",
        ),
        strength=Strength.CANCEL,
        first=True,
        presumed=lambda facts, silent: facts.state == "CANCELLED",
    ),
    Rule(
        label="host-oom-suspected",
        group=_GROUP,
        title="A process was killed (signal 9) and nothing says why; memory is the likeliest "
        "guess.",
        remedy="[It used {used} of the {asked} of memory that it had. ]Look at MaxRSS in sacct and "
        "at the node's kernel log; if it was memory, ask for more.",
        patterns=(
            r"^(?:\S+: line \d+: +)?(?:\d+ )?Killed\b",
            r"is killed by signal: Killed",
            r"pyxis: child \d+ (?:failed with error code: 137|terminated with signal 9)",
            *ended_by(9, "KILL"),
        ),
        lines=(
            (
                "[rank: 3] Child process with PID 170 terminated with code -9. Forcefully "
                "terminating all other processes to avoid zombies"
            ),
            (
                "torch.multiprocessing.spawn.ProcessExitedException: process 3 terminated with "
                "signal SIGKILL"
            ),
            "The exit codes of the workers are {SIGKILL(-9)}",
        ),
        actions=(Action.MORE_MEMORY, Action.FETCH_LOG),
        strength=Strength.SIGNAL,
    ),
    Rule(
        label="host-oom-suspected",
        group=_GROUP,
        title="A task was killed (signal 9) and nothing says why; memory is the likeliest guess.",
        remedy="[It used {used} of the {asked} of memory that it had. ]Look at MaxRSS in sacct and "
        "at the node's kernel log; if it was memory, ask for more.",
        patterns=(r"^srun: error: [\w.-]+: tasks? [\d,-]+: Killed",),
        actions=(Action.MORE_MEMORY, Action.FETCH_LOG),
        strength=Strength.SIGNAL,
        first=True,  # srun kills the others itself
    ),
    Rule(
        label="job-killed-no-log",
        group=_GROUP,
        title="It could not start: the folder of its output or of --chdir is missing on the node.",
        remedy="Make the folder, or correct --output and --chdir, and resubmit.",
        patterns=(r"ExitCode=0:53", r"\|0:53\|"),
        actions=(Action.RESUBMIT_OPTION,),
        decided=lambda facts: facts.signal == _NO_FOLDER,
    ),
    Rule(
        label="job-killed-no-log",
        group=_GROUP,
        title="It was ended by a signal and left no word.",
        remedy="Suspect the node: resubmit without it.",
        patterns=(r"_job_complete: JobId=\d+ WTERMSIG \d+",),
        actions=(Action.EXCLUDE_NODE, Action.TELL_ADMIN),
        transient=True,
        strength=Strength.SIGNAL,
        presumed=lambda facts, silent: facts.failed and silent and bool(facts.signal),
    ),
)
