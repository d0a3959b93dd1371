"""Programs that people know from a terminal and that cannot be run here: what there is instead."""

from __future__ import annotations

import posixpath

from bot.errors import InputRefused
from bot.grammar.words import refuse

_LOG = ("Files are not read by their names here", "`/slurm logs JOB` shows the end of a job's log")

_INSTEAD: dict[str, tuple[str, str]] = {
    "gcloud": (
        "Signing in with `gcloud` takes a terminal on the login node",
        "`/slurm doctor` shows which account is active there, and whether it reaches the images",
    ),
    "ssh": (
        "Nobody needs to connect: each command here does it by itself",
        "`/slurm clusters` shows how each cluster is reached",
    ),
    "source": (
        "There is no shell here to source a file in",
        "`/nemo-rl shell N` gives all lines for a container on node N",
    ),
    "attach.sh": (
        "Going into an interactive job takes a terminal",
        "Its thread has the line for it; `/nemo-rl exec JOB -- CMD` runs one command inside",
    ),
    "git": (
        "There is no shell here for `git`",
        "`/nemo setup` and `/nemo-rl setup` fetch the recipes and NeMo-RL",
    ),
    "pip": (
        "There is no shell here for `pip`",
        "`/nemo setup` installs NeMo-Run in an environment of its own",
    ),
    "sacct": ("There is no `sacct` here", "`/slurm status JOB` asks accounting too"),
    "tail": _LOG,
    "cat": _LOG,
    "less": _LOG,
    "ls": (
        "There is no shell here for `ls`",
        "`/nemo recipes`, `/nemo image list` and `/slurm checkpoints JOB` show what there is",
    ),
}


def needs_terminal(program: str, words: tuple[str, ...]) -> InputRefused | None:
    """Return the refusal of a program's line, or None of a word that is no such program."""
    known = "pip" if program == "pip3" else program
    known = "source" if known == "." else known
    if known not in _INSTEAD:
        return None
    message, hint = _INSTEAD[known]
    job = posixpath.basename(posixpath.dirname(words[0]))
    if known == "attach.sh" and job.isdigit():
        hint = hint.replace("JOB", job)
    return refuse(message, hint)
