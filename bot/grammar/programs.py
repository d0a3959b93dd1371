"""Other programs' command lines, as people know them → our own words."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass

from bot.grammar.terminal import needs_terminal
from bot.grammar.words import refuse

_RL_LAUNCHER = "launch.sh"
_SQUEUE_OF_ME = {("--me",), ("-u", "$USER"), ("--user=$USER",), ("--user", "$USER")}
_IMAGE = re.compile(r"(?:gs://|/gcs/)\S+\.sqsh")
_ANYWHERE = {".", "DESTINATION"}
"""How the documentation names a place that is the reader's to choose."""


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

    `group` is the slash command it was typed after, if any. Raises InputRefused for what has no
    place here, with what has.
    """
    if _IMAGE.fullmatch(words[0]):
        return _copied(*words)
    program = posixpath.basename(words[0])
    if re.fullmatch(r"python[0-9.]*|bash|sh", program) and words[1:]:
        words, program = words[1:], posixpath.basename(words[1])
    spell = _PROGRAMS.get(program)
    found = spell(words, group) if spell else None
    if found is None and (refusal := needs_terminal(program, words)):
        raise refusal
    return found


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
    paths = words[3:] if words[1:3] == ("storage", "cp") else words[1:]
    return _copied(*paths) if paths else None


def _copied(source: str, *place: str) -> Spelling | None:
    if not source.endswith(".sqsh") or len(place) > 1:
        return None
    return Spelling("nemo image pull", (source, *(f"--to={to}" for to in {*place} - _ANYWHERE)))


def _enroot(words: tuple[str, ...], _group: str) -> Spelling | None:
    """Read `enroot import -o FILE docker://REF`: here a job does it."""
    sources = [word for word in words[2:] if word.startswith("docker://")]
    if words[1:2] != ("import",) or len(sources) != 1:
        return None
    at = next((i for i, word in enumerate(words) if word in {"-o", "--output"}), None)
    file = posixpath.basename("".join(words[at + 1 : at + 2])) if at else ""
    return Spelling("nemo image build", (*sources, *([f"--name={file}"] if file else [])))


def _shell(words: tuple[str, ...], _group: str) -> Spelling:
    return Spelling("nemo-rl shell", words[1:])


def _scontrol(words: tuple[str, ...], _group: str) -> Spelling | None:
    if words[1:3] == ("show", "job") and len(words) > 3:  # noqa: PLR2004 (the id follows)
        return Spelling("slurm status", words[3:])
    return None


def _pip(words: tuple[str, ...], _group: str) -> Spelling | None:
    wanted = words[1:2] == ("install",) and re.search(r"(?i)nemo[-_]run", words[-1])
    return Spelling("nemo setup", ()) if wanted else None


def _git(words: tuple[str, ...], _group: str) -> Spelling | None:
    """Read the documentation's clones: of the recipes, and of NeMo-RL with its submodules."""
    named = [posixpath.basename(word).removesuffix(".git") for word in words[2:]]
    if words[1:3] == ("submodule", "update"):
        return Spelling("nemo-rl setup", ())
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
    "cp": _copy,
    "gcloud": _copy,
    "enroot": _enroot,
    "nemorlinteractive": _shell,
    "scontrol": _scontrol,
    "git": _git,
    "pip": _pip,
    "pip3": _pip,
}
"""How each program's command line is read: its words, and the slash command before them."""
