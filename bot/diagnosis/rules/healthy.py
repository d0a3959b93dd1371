"""What shows that a run lives, begins anew, or only sounds as if it failed."""

from __future__ import annotations

from bot.diagnosis.rule import Mark, Rule, Strength

MARKS = {
    Mark.STEP: (
        r"Training epoch \d+, iteration \d+/\d+ \|",
        r"iteration +\d+/ *\d+ \|",
        r"={10,} (?:Step|Epoch) \d+/\d+ ={10,}",
        r"^(?:[Ss]tep|[Ee]poch|[Ii]ter(?:ation)?|[Bb]atch|eval batch)[ :#=\[]+\d+\b",
        r"\b(?:[Ss]tep|global_step|[Ii]ter|[Ii]teration|[Ee]poch)[ =:]+\d+.*[Ll]oss\b",
        r"\{'loss': '?-?[\d.]+",
        r"\[epoch=\d+\]\[batch=\d+",
        r"\[step=\d+/\d+",
        r"\bstep=\d+, skipped=\d+",
        r"\bepoch \d+: +\d+ */ *\d+ loss=",
        r"(?:Epoch|Iter)\((?:train|val)\) +\[",
        r"\b(?:Epoch|Train|Train Epoch): \[?\d+\]? ?\[ *\d+/ *\d+",
        r"\b\d+/\d+ \[=+>?\.*\]",
        r"\d+/\d+ \[[\d:]+<[\d:]+, .*(?:it/s|s/it)",
    ),
    Mark.ALIVE: (
        r"^\[(?:after|before) [^\]]+\] datetime: ",
        r"^(?:▶|✓) ",
        r"^(?:Sanity checking )?(?:Validation|Testing): iteration \d+/\d+",
        r"^> (?:initialized|building|finished|loading) ",
    ),
    Mark.SAVED: (
        r"successfully saved checkpoint",
        r"saving model to '[^']+' as top",
        r"Async checkpoint save for step \d+ .*finalized successfully",
    ),
    Mark.DONE: (
        r"exiting program (?:after|at)",
        r"stopping training early",
        r"`Trainer\.fit` stopped: `max_",
        r"\[after training is done\]",
        (
            r"^(?i)(?:training|evaluation|run|job|all) (?:is |has )?(?:finished|complete|"
            r"completed|done)\b"
        ),
        r"^\++ exit 0$",
        r"job exited with code 0",
        r"^OK(?: \([^)]*\))?$",
        r"^=+ \d+ passed",
    ),
    Mark.SUBMITTED: (r"^Submitted batch job \d+",),
    Mark.RETRIED: (r"[1-9]\d* retries remaining, so the task will be retried",),
    Mark.IGNORED: (r"^Exception ignored in\b", r"^--- Logging error ---$"),
    Mark.RESTART: (
        r"will restart worker group",
        r"^(?:\[WARN\] )?Head node failed \d+/\d+ times, restarting",
        # a script that tries again says so in a line of its own
        (
            r"^(?i)[=*#\[ -]*(?:starting |training )?(?:attempt|restart|try|run) "
            r"?#?[2-9]\d*(?:(?:/| of )\d+)?[ \]=*#:.-]*$"
        ),
        r"error: \*\*\* JOB \S+ .*DUE TO JOB REQUEUE",
    ),
}

WARNINGS = (
    r"\bWARNING\b",
    r"(?:^\W*|[^L\W]\W+)WARN\b",  # but NCCL calls its errors `NCCL WARN`
    r"\b\w*Warning: ",
    r"^\[?(?:NeMo )?W[ \d]",
    r"^\[W\d",
    r"(?:^|[^=\w])(?:INFO|DEBUG)\b",  # but `run with NCCL_DEBUG=INFO` is advice
    r"^\++ ",
    r"(?i)\bretry(?:ing)? ?(?:in \d|after \d|\(|\d+/\d)",
    r"(?i), retrying\b|\bwill retry\b|entering retry loop",
    r"(?i)attempt \d+(?:/| of )\d+",
)

RULES = (
    Rule(
        label="none",
        group="healthy",
        title="Nothing failed.",
        patterns=(
            r"number of nan iterations: +0 .*loss: \d",
            r"this is not (?:a failure|an error)",
            r"^raise \w",
            r"/usr/bin/locale-check: No such file",  # of images that began as Ubuntu
            r"\.{5,} \S+$",  # a dump of arguments
            # a list of what it may have been
            r"[Tt]his could be caused by a segmentation fault",
            r"is already in use, trying port",
        ),
        strength=Strength.NOISE,
    ),
    Rule(
        label="none",
        group="healthy",
        title="Another process ended.",
        patterns=(
            (
                r"^(?:\w+\.)*(?:ConnectionResetError|ConnectionAbortedError|BrokenPipeError|"
                r"EOFError)\b"
            ),
            r"^(?:\w+\.)*ConnectionRefusedError\b",
            r"[Cc]onnection (?:closed|reset) by (?:remote )?peer",
            r"^RuntimeError: \[.*gloo.*(?:Read error|Connection closed)",
            r"^(?:\w+\.)*CancelledError\b",
            r"This is typically caused by a remote worker crashing",
            r"ncclRemoteError|remote process exited",
        ),
        strength=Strength.ECHO,
        quiet=True,
    ),
)
