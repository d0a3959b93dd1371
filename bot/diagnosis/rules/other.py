"""What only says that something failed, and exceptions that fit nothing else."""

from __future__ import annotations

from bot.diagnosis.rule import Action, Rule, Strength

RULES = (
    Rule(
        label="unclassified-exception",
        group="no-cause",
        title="The program stopped with {exception}.",
        remedy="Look at the exception and the deepest frame in your own code.",
        patterns=(
            (
                r"^(?P<exception>(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Failure|Timeout|"
                r"Expired|Fault))(?:: |$)"
            ),
            r"^(?P<exception>(?:[A-Za-z_]\w*\.)+[A-Z]\w+): ",
        ),
        actions=(Action.SHOW_LOG,),
        strength=Strength.EXCEPTION,
        last_resort=True,
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
            r"Force Terminated",
            r"^srun: error: .*tasks? [\d,-]+: (?:Terminated|Killed|Exited|unknown)",
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
            (
                r"^(?:\w+\.)*(?:ConnectionResetError|BrokenPipeError|KeyboardInterrupt|SystemExit|"
                r"EOFError|ConnectionRefusedError|ConnectionAbortedError)\b"
            ),
            r"Connection (?:closed|reset) by (?:remote )?peer",
            r"Traceback \(most recent call last\)",
            r"job exited with code [1-9]",
            r"(?:DistBackendError|DistNetworkError): ",
            r"This is typically caused by a remote worker crashing",
            r"Sending SIG(?:TERM|KILL)",
            r"exited abnormally",
            r"First task exited",
            r"Root Cause \(first observed failure\)",
            r"exitcode *: 1\b",
            r"Batch job submission failed",
        ),
        actions=(Action.FETCH_LOG, Action.SHOW_LOG),
        strength=Strength.CONSEQUENCE,
        quiet=True,
    ),
)
