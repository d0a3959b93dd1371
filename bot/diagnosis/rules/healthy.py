"""What shows that a run lives, begins anew, or only sounds as if it failed."""

from __future__ import annotations

from bot.diagnosis.rule import Rule, Strength

PROGRESS = (
    r"Training epoch \d+, iteration \d+/\d+ \|",
    r"iteration +\d+/ *\d+ \| consumed",
    r"={10,} (?:Step|Epoch) \d+/\d+ ={10,}",
    r"^(?:Epoch|Step|Iter\w*)[ :\[]+\d+.*\bloss\b",
    r"\b(?:step|global_step|iter|iteration)[ =:]+\d+.*\bloss\b",
    r"\{'loss': [\d.]+",
    r"\d+/\d+ \[[\d:]+<[\d:]+, .*(?:it/s|s/it)",
    r"successfully saved checkpoint",
    r"Saved checkpoint|saving model to '",
    r"exiting program (?:after|at)",
    r"stopping training early",
    r"`Trainer\.fit` stopped",
    r"\[after training is done\]",
)

RESTARTS = (
    r"will restart worker group",
    r"error: \*\*\* JOB \S+ .*DUE TO JOB REQUEUE",
)

WARNINGS = (
    r"\bWARN(?:ING)?\b",
    r"\b\w*Warning: ",
    r"^\[?(?:NeMo )?W[ \d]",
    r"^\[W\d",
    r"\b(?:INFO|DEBUG)\b",
    r"^\+ ",
)

RULES = (
    Rule(
        label="none",
        group="healthy",
        title="Nothing failed.",
        patterns=(
            r"^\++ ",
            r"number of nan iterations: +0 ",
            r"[Rr]etry(?:ing)? (?:in|after|\d|\()",
            r"attempt \d+/\d+",
            r"entering retry loop",
            r"this is not (?:a failure|an error)",
        ),
        strength=Strength.NOISE,
    ),
)
