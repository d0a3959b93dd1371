"""What people type → a validated request, a wish for help, or every reason why it is neither."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.errors import InputRefused
from bot.grammar.commands import BY_NAME, COMMANDS, GROUPS, LATER, Command
from bot.grammar.inside import Shell
from bot.grammar.pasted import Pasted, unwrap
from bot.grammar.programs import Spelling, spelling
from bot.grammar.reading import read
from bot.grammar.usage import Help, help_card, usage
from bot.grammar.words import LONGEST, normalise, refuse
from bot.options import Options
from bot.shape import shown
from bot.suggest import did_you_mean, suggest
from bot.words import listed
from bot.workloads.batch_script import Submit
from bot.workloads.nemo import NemoRun
from bot.workloads.nemo_rl.launcher import RlJob
from bot.workloads.nemo_rl.run import ALGORITHMS

__all__ = ["Help", "Parsed", "did_you_mean", "help_card", "parse", "suggest", "usage"]

_HELP = {"help", "-h", "--help", "-help", "?"}
_MENTION = re.compile(r"\s*(?:<@[A-Z0-9]+(?:\|[^>]*)?>\s*)+")
_GROUP = re.compile(r"(?i)/?(nemo-rl|nemo|slurm)(?:\s+|$)")
_BEGUN = re.compile(
    r"(?i)(?:run|interactive|shell|submit|setup|image (?:pull|build))\s+"
    r"(?=(?:export|cd|python[0-9.]*|sbatch|git|pip3?|gcloud|cp|enroot|nemorlinteractive)\s|[A-Z_]+=)"
)


@dataclass(frozen=True)
class Parsed:
    """A command that can be carried out."""

    subcommand: str
    """`nemo run`, `slurm logs`."""
    options: Options
    notes: tuple[str, ...] = ()
    """Sentences on what of the text was not taken as it stands."""

    @property
    def cluster(self) -> str:
        """The cluster that was named, or empty."""
        return self.options.cluster or ""


def parse(command: str, text: str) -> Parsed | Help:
    """Read a slash command's text, or a mention's when `command` is empty.

    Raises InputRefused, and nothing else, whatever the text.
    """
    group = command.strip().removeprefix("/").lower()
    if len(text) > LONGEST:
        raise refuse(
            f"The command has {len(text):,} characters; at most {LONGEST:,} are read",
            "Put long arguments into the script or a file on the cluster",
        )
    if group and group not in {*GROUPS, *LATER}:
        slashed = [f"/{name}" for name in GROUPS]
        near = did_you_mean(command.strip(), slashed)
        there = f"There is {listed([f'`{name}`' for name in slashed])}"
        raise refuse(f"There is no command {shown(command.strip())}", near or there)
    meant = normalise(text if group else _MENTION.sub("", text, count=1))
    named = _GROUP.match(meant)
    if named:
        group, meant = named[1].lower(), meant[named.end() :]
    pasted = _unwrapped(group, meant)
    words = pasted.words
    if not words or words[0].lower() in _HELP:
        return _help(group, words[1:])
    spelled = spelling(words, group)
    if spelled is None:
        if len(words) > 1 and words[1].lower() in _HELP and _second_words(group, words[0]):
            return _help(group, words[:1])
        found = _find(group, words)
        spelled = Spelling(found.name, words[found.words :])
    group, *verb = spelled.name.split()
    return _read(_find(group, verb), spelled, pasted)


def _unwrapped(group: str, meant: str) -> Pasted:
    """Take off what stands around a pasted command, and a `run` of ours typed before it."""
    if begun := _BEGUN.match(meant):
        inner = unwrap(meant[begun.end() :])
        if inner.words and spelling(inner.words, group):
            return inner
    return unwrap(meant)


def _help(group: str, topic: Sequence[str]) -> Help:
    """Help on what follows `help`, as far as there is such a thing."""
    group = group if group in GROUPS else ""
    asked = " ".join(topic).lower().replace("/", "")
    if not asked or asked in GROUPS:
        return Help(asked or group)
    for name in (asked, *(f"{one} {asked}" for one in (group, "slurm", "nemo"))):
        if name in BY_NAME or any(command.name.startswith(f"{name} ") for command in COMMANDS):
            return Help(name)
    return Help(group, unknown=asked[:60])


def _find(group: str, words: Sequence[str]) -> Command:
    """Return the subcommand; raises InputRefused with what was meant or what comes later."""
    where, typed = group or "slurm", words[0]
    verb = typed.lower()
    pair = " ".join(word.lower() for word in words[:2])
    for meant in (pair, verb):
        if found := BY_NAME.get(f"{where} {meant}"):
            return found
        # In a mention the slash command may be left out where the verb belongs to one alone.
        own = [command for command in COMMANDS if command.verb == meant and not group]
        if len(own) == 1:
            return own[0]
    if group and group not in GROUPS and group in LATER:
        raise refuse(
            f"`/{group}` comes later; it is not built yet",
            "A batch script on the cluster can be launched with `/slurm submit`",
        )
    if later := {pair, verb} & {*LATER.get(where, ())}:
        raise refuse(f"`/{where} {later.pop()}` comes later; it is not built yet", _there_is(group))
    if seconds := _second_words(where, verb):
        raise _no_second_word(f"/{where} {verb}", words[1:2], seconds)
    raise refuse(f"{shown(typed)} is not a command{_of(group)}", _meant(group, typed))


def _second_words(group: str, verb: str) -> list[str]:
    """Return what can follow the first of two words: `list`, `pull` after `image`."""
    begin = f"{group or 'slurm'} {verb.lower()} "
    names = [command.name for command in COMMANDS if command.name.startswith(begin)]
    return [name.removeprefix(begin) for name in names]


def _no_second_word(whole: str, typed: Sequence[str], seconds: Sequence[str]) -> InputRefused:
    there_is = f"There is {', '.join(f'`{whole} {word}`' for word in seconds)}"
    if not typed or typed[0].startswith("-"):
        return refuse(f"`{whole}` needs one more word", there_is)
    near = suggest(typed[0], seconds, 1)
    hint = f"Did you mean `{whole} {near[0]}`?" if near else there_is
    return refuse(f"{shown(typed[0])} is not possible after `{whole}`", hint)


def _of(group: str) -> str:
    return f" of `/{group}`" if group else ""


def _there_is(group: str) -> str:
    if not group:
        return "Type `help` for all there is"
    verbs = [c.verb for c in COMMANDS if c.group == group]
    return f"There is {', '.join(f'`{verb}`' for verb in [*verbs, 'help'])}"


def _meant(group: str, typed: str) -> str:
    """Guess at the subcommand that was left out or misspelt."""
    verb = typed.lower()
    if typed.endswith(".py"):
        return f"Did you mean `/nemo run {typed[:100]}`?"
    if group == "nemo-rl" and (typed.endswith(".sh") or verb in ALGORITHMS):
        return f"Did you mean `/nemo-rl run {typed[:100]}`?"
    if typed.endswith((".sh", ".sbatch", ".slurm")):
        return f"Did you mean `/slurm submit {typed[:100]}`?"
    if re.fullmatch(r"[0-9]+(?:[_+][0-9]+)?", typed):
        return f"Did you mean `/slurm status {typed[:24]}`?"
    own = [c.verb for c in COMMANDS if not group or c.group == group]
    every = [c.verb for c in COMMANDS]
    exact = [verb] if verb in every else []
    near = exact or suggest(typed, own, 2) or suggest(typed, every, 2)
    # A verb that this slash command has is meant here; another may belong to several.
    names = [
        f"`/{c.name}`"
        for guess in near
        for c in COMMANDS
        if c.verb == guess and (guess not in own or not group or c.group == group)
    ]
    if names:
        return f"Did you mean {listed(names, 'or')}?"
    return _there_is(group)


def _read(command: Command, spelled: Spelling, pasted: Pasted) -> Parsed | Help:
    before = spelled.words[: spelled.words.index("--")] if "--" in spelled.words else spelled.words
    if [word.lower() for word in before] == ["help"] or {"-h", "--help"} & set(before):
        return Help(command.name)
    folder = posixpath.join(pasted.folder, spelled.folder).rstrip("/") or pasted.folder
    if command.model is NemoRun:
        workdir = {"workdir": pasted.home} if pasted.home else {}
        run = read(command, spelled.words, defaults=workdir)
        return Parsed(command.name, run, _nemo_notes(run, folder, pasted.home))
    typed = {"cluster_type": pasted.cluster_type} if pasted.cluster_type else {}
    if issubclass(command.model, RlJob):
        return Parsed(command.name, read(command, spelled.words, defaults=typed), _rl_notes(folder))
    if command.model is Shell:
        return Parsed(command.name, read(command, spelled.words, defaults=typed))
    if command.model is Submit:
        chdir = {"chdir": folder} if folder else {}
        submit = read(command, spelled.words, defaults=chdir, script_last=spelled.script_last)
        return Parsed(command.name, submit, _submit_notes(submit, spelled))
    return Parsed(command.name, read(command, spelled.words))


def _nemo_notes(run: Options, folder: str, home: str) -> tuple[str, ...]:
    """Say which parts of a pasted line have no meaning here."""
    workdir = run.workdir if isinstance(run, NemoRun) and run.workdir else _RECIPES
    notes = []
    if home and _plain(home) not in {workdir, _RECIPES}:
        notes.append("NEMORUN_HOME is the work directory here, whatever the pasted line says.")
    if folder and _plain(folder) not in {workdir, _RECIPES}:
        notes.append(
            f"`cd {folder[:100]}` was left out: run.py runs in the recipes' configured folder."
        )
    return tuple(notes)


def _rl_notes(folder: str) -> tuple[str, ...]:
    """Say that a folder other than NeMo-RL's has no meaning here."""
    if not folder or posixpath.basename(_plain(folder)) in {"", ".", "nemo_rl"}:
        return ()
    return (f"`{folder[:100]}` was left out: the launcher runs in NeMo-RL's configured folder.",)


_RECIPES = "$WORK_DIR"


def _plain(folder: str) -> str:
    return folder.replace("${", "$").replace("}", "").rstrip("/")


def _submit_notes(submit: Options, spelled: Spelling) -> tuple[str, ...]:
    args = submit.args if isinstance(submit, Submit) else ()
    if spelled.script_last and args and args[0].startswith("-"):
        return ("As with sbatch, what stands behind the script goes to the script.",)
    return ()
