"""What only says that something failed, and exceptions that fit nothing else."""

from __future__ import annotations

from functools import partial

from bot.diagnosis.rule import Action, Rule, Strength

_NAME = r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*"

_unclassified = partial(
    Rule,
    label="unclassified-exception",
    group="no-cause",
    title="The program stopped with {exception}.",
    remedy="Look at the exception and the deepest frame in your own code.",
    actions=(Action.SHOW_LOG,),
    strength=Strength.EXCEPTION,
    last_resort=True,
)

RULES = (
    _unclassified(
        patterns=(
            rf"^(?P<exception>{_NAME}(?:Error|Exception|Failure|Timeout|Expired|Fault)): ",
            rf"^(?P<exception>{_NAME}(?:Error|Exception|Failure|Timeout|Expired|Fault))$",
            r"^(?P<exception>(?:\w+\.)*Exception): ",
            r"^(?P<exception>Stop(?:Async)?Iteration)$",
            r"^(?P<exception>Stop(?:Async)?Iteration): ",
        ),
    ),
    _unclassified(
        patterns=(r"^(?P<exception>(?:[A-Za-z_]\w*\.)+[A-Z]\w+): ",),
        within=r"File \"[^\"]+\", line \d+|\.py:\d+ in ",
    ),
    # A missing folder is what makes Python try its parent: the error after it is the cause.
    _unclassified(
        patterns=(r"^(?P<exception>FileNotFoundError): ",),
        within=r"\bin (?:mkdir|makedirs)\b",
        last_resort=False,
    ),
    Rule(
        label="unclassified-exception",
        group="no-cause",
        title="{program} does not know the option {option}.",
        remedy="`{program} --help` says what there is: correct the option and submit again.",
        patterns=(
            r"^(?P<program>[\w./-]+): unrecognized option '(?P<option>[^']+)'",
            r"^(?P<program>[\w./-]+): (?:invalid|unknown|illegal) option -- '?(?P<option>\w)",
            r"^(?P<program>[\w./-]+): option '?(?P<option>[^' ]+)'? (?:requires|is ambiguous)",
        ),
        lines=(
            "sbatch: unrecognized option '--gpu-per-nodes=8'",
            "srun: invalid option -- 'z'",
            "sbatch: option '--mem-per' is ambiguous; possibilities: '--mem-per-cpu'",
        ),
        actions=(Action.RESUBMIT_OPTION, Action.SHOW_LOG),
        strength=Strength.EXCEPTION,
    ),
    Rule(
        label="cause-not-in-log",
        group="no-cause",
        title="It failed, but its log does not say why.",
        remedy="Fetch more: the logs of each rank, ray-driver.log, an earlier part.",
        patterns=(r"Traceback \(most recent call last\)", r"^srun: Job step aborted"),
        actions=(Action.FETCH_LOG, Action.TELL_ADMIN, Action.SHOW_LOG),
        strength=Strength.OPENING,
        quiet=True,
    ),
    Rule(
        label="cause-not-in-log",
        group="no-cause",
        title="It failed, but its log does not say why.",
        remedy="Fetch more: the logs of each rank, ray-driver.log, an earlier part.",
        patterns=(
            r"ChildFailedError",
            r"failed \(exitcode: -?\d+\)",
            r"closing signal SIG(?:TERM|INT|KILL)",
            r"Exited with exit code",
            r"Terminating StepId=",
            r"^srun: error: .*tasks? [\d,-]+: (?:Terminated|Killed|Exited|unknown|Illegal|Float)",
            r"CANCELLED AT \S+",
            r"spank: .*(?:rc=-1|failed)",
            r"Failed to invoke spank plugin stack",
            r"terminate called after throwing",
            r"To avoid data inconsistency",
            r"Error executing job with overrides",
            r"EngineDeadError",
            r"Engine core (?:initialization failed|proc .* died)",
            r"^\S*RayTaskError\b",
            r"CalledProcessError",
            r"SignalException",
            r"^(?:\w+\.)*(?:KeyboardInterrupt|SystemExit)\b",
            r"(?:DistBackendError|DistNetworkError): ",
            r"NCCL error: remote process exited",
            (
                r"(?i)\b(?:exit(?:ed|s|ing)?|failed|returned?) (?:with )?(?:an? )?(?:non-?zero )?"
                r"(?:exit |return )?(?:code|status):? ?(?:= ?)?[1-9]\d*\b"
            ),
            r"Primary job +terminated normally, but",
            r"mpirun detected that one or more processes exited with non-zero status",
            r"MPI_ABORT was invoked on rank",
            r"Child process with PID \d+ terminated with code",
            r"Process(?:Raised|Exited)Exception\b",
            r"-- Process \d+ terminated with the following error",
            r"checkpoint\.api\.CheckpointException",
            r"(?i)see (?:the )?(?:root cause|stack ?trace)(?: \w+)* (?:above|below|for)",
            r"(?i)check the stack ?trace above for the root cause",
            r"BrokenProcessPool|TerminatedWorkerError",
            r"One of the subprocesses has abruptly died",
            r"(?:FailedJobError|UncompletedJobError): ",
            r"Some NCCL operations have failed or timed out",
            r"Sending SIG(?:TERM|KILL)",
            r"exited abnormally",
            r"DataLoader worker \(pid.* exited unexpectedly",
            r"exit_?code *[:=] *-?[1-9]\d*\b",
            r"MPI_ERRORS_ARE_FATAL",
            r"^Worker failed \d+/\d+ times",
            r"First task exited",
            r"Root Cause \(first observed failure\)",
            r"exitcode *: 1\b",
            r"Batch job submission failed",
            r"^\++ exit [1-9]\d*$",
            (
                r"pyxis: (?:failed to import|couldn't start|child \d+ failed|failed to create "
                r"container)"
            ),
            r"terminate called without an active exception",
            r"Plugin initialization failed",
        ),
        actions=(Action.FETCH_LOG, Action.TELL_ADMIN, Action.SHOW_LOG),
        strength=Strength.CONSEQUENCE,
        quiet=True,
    ),
)
