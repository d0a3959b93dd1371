"""Words that people know from a terminal or a button and that do nothing here: what does."""

from __future__ import annotations

import posixpath
import re

from bot.errors import InputRefused
from bot.grammar.words import refuse

_LOG = ("Files are not read by their names here", "`/slurm logs JOB` shows the end of a job's log")
_ATTACH = (
    "Going into an interactive job takes a terminal",
    "Its thread has the line for it; `/nemo-rl exec JOB -- CMD` runs one command inside",
)
_NUMBER = re.compile("[0-9]+")

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
    "attach.sh": _ATTACH,
    "attach": _ATTACH,
    "release": (
        "Releasing an interactive job is ending it",
        "`/slurm cancel JOB` does, as does the button of its message",
    ),
    "extend": (
        "An interactive job is extended by the button of its message",
        "It is there while Slurm's own time limit leaves room",
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
    named = [posixpath.basename(posixpath.dirname(words[0])), *words[1:2]]
    job = next((word for word in named if _NUMBER.fullmatch(word)), "JOB")
    return refuse(message, hint.replace("JOB", job))
