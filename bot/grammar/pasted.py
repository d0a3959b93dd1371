"""Commands as the documentation prints them → our own words."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

from bot.errors import FieldError, InputRefused
from bot.grammar.words import LONGEST, refuse, split
from bot.shape import shown

_PROMPT = re.compile(r"\s*[$%]\s+(?=\S)")
_COMMENT = re.compile(r"\s*#(?=[\s!])[^\n]*(?:\n|$)")
_QUOTABLE = r"""(?:"[^"\n\\]*"|'[^'\n]*'|[^\s"';&\\])*"""
_ASSIGNMENT = re.compile(
    rf"\s*(?:export\s+)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)=(?P<value>{_QUOTABLE})(?:\s*(?:&&|;|\n)|\s+|$)"
)
_SOURCED = re.compile(r"\s*(?:source|\.)\s+\S*bash_utils\.sh\s*(?:&&|;|\n)")
_BROKEN = re.compile(r"\A(gcloud storage cp)\s*\n\s*(?=gs://|/gcs/)")
_FOLDER = re.compile(rf"\s*cd\s+(?P<folder>{_QUOTABLE})\s*(?:&&|;|\n|$)")
_OURS = {"NEMORUN_HOME", "WORK_DIR", "CLUSTER_TYPE"}


_VARIABLE = re.compile(r"\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})")


@dataclass(frozen=True)
class Pasted:
    """A pasted text without what stood before the command."""

    words: tuple[str, ...]
    folder: str = ""
    """Where a `cd` in front of it led."""
    home: str = ""
    """What NEMORUN_HOME was set to."""
    cluster_type: str = ""
    """What CLUSTER_TYPE was set to."""


def unwrap(text: str) -> Pasted:
    """Take prompts, comments, `export NEMORUN_HOME=… &&` and `cd … &&` off; raises InputRefused.

    The documentation prints one copy of an image without the backslash that its line needs.
    """
    known: dict[str, str] = {}
    folder = ""
    while True:
        if found := _PROMPT.match(text) or _COMMENT.match(text) or _SOURCED.match(text):
            text = text[found.end() :]
        elif found := _ASSIGNMENT.match(text):
            known[found["name"]] = _expand(_bare(found["value"]), known)
            text = text[found.end() :]
        elif found := _FOLDER.match(text):
            folder = _expand(_bare(found["folder"]), known)
            text = text[found.end() :]
        else:
            break
    _refuse_others(known)
    words = split(_expand(_BROKEN.sub(r"\1 ", text.strip()), known))
    return Pasted(
        words,
        folder=folder,
        home=known.get("NEMORUN_HOME", ""),
        cluster_type=known.get("CLUSTER_TYPE", ""),
    )


def _bare(value: str) -> str:
    return "".join(shlex.split(value))


def _expand(text: str, known: dict[str, str]) -> str:
    """Replace `$NAME` once; the result is never longer than a command may be."""
    expanded = _VARIABLE.sub(lambda found: known.get(found[1] or found[2], found[0]), text)
    if len(expanded) > LONGEST:
        raise refuse(f"The command is longer than {LONGEST:,} characters", "Name shorter paths")
    return expanded


def _refuse_others(known: dict[str, str]) -> None:
    others = [name for name in known if name not in _OURS]
    if others:
        raise InputRefused(
            tuple(
                FieldError(
                    "environment",
                    f"{shown(name)} cannot be set from here",
                    "Leave it out; `/slurm secrets` shows which tokens launches have. Secrets"
                    " never pass through Slack, so revoke it if it was one",
                )
                for name in others
            )
        )
