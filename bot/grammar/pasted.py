"""Commands as the documentation prints them → our own words."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass

from bot.errors import FieldError, InputRefused
from bot.grammar.words import LONGEST, refuse, split
from bot.shapes import shown

_PROMPT = re.compile(r"\s*[$%]\s+(?=\S)")
_COMMENT = re.compile(r"\s*#(?=[\s!])[^\n]*(?:\n|$)")
_QUOTABLE = r"""(?:"[^"\n\\]*"|'[^'\n]*'|[^\s"';&\\])*"""
_ASSIGNMENT = re.compile(
    rf"\s*(?:export\s+)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)=(?P<value>{_QUOTABLE})(?:\s*(?:&&|;|\n)|\s+|$)"
)
_FOLDER = re.compile(rf"\s*cd\s+(?P<folder>{_QUOTABLE})\s*(?:&&|;|\n|$)")
_OURS = {"NEMORUN_HOME", "WORK_DIR", "CLUSTER_TYPE"}
_RL_LAUNCHER = "launch.sh"
_SQUEUE_OF_ME = {("--me",), ("-u", "$USER"), ("--user=$USER",), ("--user", "$USER")}


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
    """Take prompts, comments, `export NEMORUN_HOME=… &&` and `cd … &&` off; raises InputRefused."""
    known: dict[str, str] = {}
    folder = ""
    while True:
        if found := _PROMPT.match(text) or _COMMENT.match(text):
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
    words = split(_expand(text.strip(), known))
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
                    "Leave it out; secrets never pass through Slack, so revoke it if it was one",
                )
                for name in others
            )
        )


@dataclass(frozen=True)
class Spelling:
    """A program's command line in terms of our subcommands."""

    name: str
    """The subcommand: `nemo run`."""
    words: tuple[str, ...]
    folder: str = ""
    """The folder that the program's path names."""
    script_last: bool = False
    """Whether everything behind the first plain word belongs to that word."""


def spelling(words: tuple[str, ...], group: str = "") -> Spelling | None:
    """Recognise `python3 run.py …`, `sinfo`, `squeue`, `scancel 75`, `sbatch …`; None for others.

    `group` is the slash command it was typed after, if any.
    """
    program = posixpath.basename(words[0])
    if re.fullmatch(r"python[0-9.]*|bash|sh", program) and words[1:]:
        words, program = words[1:], posixpath.basename(words[1])
    spell = _PROGRAMS.get(program)
    return spell(words, group) if spell else None


def _run_py(words: tuple[str, ...], _group: str) -> Spelling:
    return Spelling("nemo run", words[1:], folder=posixpath.dirname(words[0]))


def _nemo_run(words: tuple[str, ...], _group: str) -> Spelling | None:
    """Read NeMo-Run's own command line, of which `nemo` is the other name."""
    if words[1:2] != ("experiment",) or not words[2:]:
        return None
    return Spelling(f"nemo experiment {words[2].lower()}", words[3:])


def _squeue(words: tuple[str, ...], _group: str) -> Spelling:
    mine = words[1:] in _SQUEUE_OF_ME
    return Spelling("slurm jobs", ("mine",) if mine else ("all", *words[1:]))


def _sbatch(words: tuple[str, ...], group: str) -> Spelling:
    """NeMo-RL's launcher is NeMo-RL's launch, except where it is typed after `/slurm`."""
    launch = None if group == "slurm" else _rl_launch(words[1:], group)
    return launch or Spelling("slurm submit", words[1:], script_last=True)


def _rl_launch(words: tuple[str, ...], _group: str) -> Spelling | None:
    """Read a launch of NeMo-RL, as it follows `sbatch`; None when it is another script's.

    The options before the script and behind it have different names, so they may be mixed.
    """
    at = next((i for i, w in enumerate(words) if posixpath.basename(w) == _RL_LAUNCHER), None)
    if at is None:
        return None
    if any(re.fullmatch(r"-n[0-9]*|--ntasks(?:=.*)?", word) for word in words[:at]):
        raise refuse("`-n` is sbatch's number of tasks; NeMo-RL asks for nodes", "Use `-N NODES`")
    rest = (*words[:at], *words[at + 1 :])
    name = "nemo-rl interactive" if "--interactive" in rest else "nemo-rl run"
    others = tuple(word for word in rest if word != "--interactive")
    return Spelling(name, others, folder=posixpath.dirname(words[at]))


def _copy(words: tuple[str, ...], _group: str) -> Spelling | None:
    """Read `gcloud storage cp SOURCE PLACE` and `cp SOURCE PLACE` as far as they copy an image."""
    source, *place = words[3:] if words[1:3] == ("storage", "cp") else words[1:]
    if not source.endswith(".sqsh") or len(place) > 1:
        return None
    return Spelling("nemo image pull", (source, *(f"--to={to}" for to in place if to != ".")))


def _pip(words: tuple[str, ...], _group: str) -> Spelling | None:
    wanted = words[1:2] == ("install",) and re.search(r"(?i)nemo[-_]run", words[-1])
    return Spelling("nemo setup", ()) if wanted else None


def _git(words: tuple[str, ...], _group: str) -> Spelling | None:
    """Read the documentation's clones: of the recipes, and of NeMo-RL."""
    named = [posixpath.basename(word).removesuffix(".git") for word in words[2:]]
    if words[1:2] != ("clone",):
        return None
    if "RL" in named:
        return Spelling("nemo-rl setup", ())
    return Spelling("nemo setup", ()) if "vertex-oss-training" in named else None


_PROGRAMS: dict[str, Callable[[tuple[str, ...], str], Spelling | None]] = {
    "run.py": _run_py,
    "nemorun": _nemo_run,
    "sinfo": lambda words, _: Spelling("slurm partitions", words[1:]),
    "squeue": _squeue,
    "scancel": lambda words, _: Spelling("slurm cancel", words[1:]),
    "sbatch": _sbatch,
    _RL_LAUNCHER: _rl_launch,
    "cp": lambda words, group: _copy(words, group) if words[1:] else None,
    "gcloud": lambda words, group: _copy(words, group) if words[3:] else None,
    "git": _git,
    "pip": _pip,
    "pip3": _pip,
}
"""How each program's command line is read: its words, and the slash command before them."""
