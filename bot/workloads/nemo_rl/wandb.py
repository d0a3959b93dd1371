"""A job script with Weights & Biases switched off. Pure."""

from __future__ import annotations

import difflib
import posixpath
import re
from collections.abc import Iterable

from bot.redact import redact

KEY = "logger.wandb_enabled"
OFF = f"{KEY}=False"
MARK = "# sbatchat made this file: a copy of {name} with logger.wandb_enabled=False"
"""The last line of a copy, by which it is known again."""
_MARKED = MARK.partition("{")[0]

_SETTING = re.compile(rf"(\+{{0,2}}{re.escape(KEY)}=)(\"[^\"\n]*\"|'[^'\n]*'|[^\s\"';|&)\\]*)")
_LAUNCH = re.compile(
    r"(?:\buv\s+run|\bpython[0-9.]*|\btorchrun)\b(?:\\\n|[^\n#;|&\\])*?\s(?P<quote>[\"'])?"
    r"(?:[\w./${}~-]*/)?run_\w+\.py(?(quote)(?P=quote))(?=[\s\"'\\]|$)",
    re.MULTILINE,
)


_REFERENCE = re.compile(r"\$\{[^}\n]*\}|\$\([^)\n]*\)|(?<=\w=)(?=\s|$)")
"""A value that is taken from elsewhere, or none at all."""


def copy_of(script: str) -> str:
    """Return where the copy of a job script lies: `algorithms/dpo.no-wandb.sh`."""
    stem, suffix = posixpath.splitext(script)
    return f"{stem}{_COPY}{suffix}"


_COPY = ".no-wandb"


def originals(scripts: Iterable[str]) -> tuple[str, ...]:
    """Return the job scripts that people wrote, without our copies."""
    return tuple(one for one in scripts if not posixpath.splitext(one)[0].endswith(_COPY))


def without_wandb(text: str) -> str:
    """Return a job script's text with W&B off in each launch; the same text when there is none.

    A setting that is there is changed; otherwise it is added behind the training's program.
    """
    return _SETTING.sub(_off, text) if _live(_SETTING, text) else _LAUNCH.sub(_added, text)


def _live(pattern: re.Pattern[str], text: str) -> bool:
    return any(not _commented(found) for found in pattern.finditer(text))


def _off(found: re.Match[str]) -> str:
    return found[0] if _commented(found) else f"{found[1]}False"


def _added(found: re.Match[str]) -> str:
    return found[0] if _commented(found) else f"{found[0]} {OFF}"


def _commented(found: re.Match[str]) -> bool:
    start = found.string.rfind("\n", 0, found.start()) + 1
    return found.string[start : found.start()].lstrip().startswith("#")


def marked(text: str, script: str) -> str:
    """Return a copy's text with the line that says whose it is."""
    end = "" if text.endswith("\n") else "\n"
    return f"{text}{end}{MARK.format(name=posixpath.basename(script))}\n"


def ours(text: str) -> bool:
    """Whether a file is a copy that was made here."""
    return text.rstrip().rpartition("\n")[2].startswith(_MARKED)


def holds_secret(text: str) -> bool:
    """Whether a script holds a secret itself, and not only a name or place of one."""
    named = _REFERENCE.sub("$NAME", text)
    return redact(named, ()) != named


def change(before: str, after: str) -> str:
    """Return the lines that differ, as `- old` and `+ new`."""
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return "\n".join(line for line in lines if line.startswith(("- ", "+ ")))
