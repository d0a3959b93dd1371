"""A workload: a kind of job that can be launched, and what of the cluster it must know."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Generic, Literal, TypeVar

from pydantic import Field

from bot.cluster_types import cluster_type
from bot.errors import FieldError
from bot.manual import Manual
from bot.model import File, Launch, PartitionState, Resources, Value
from bot.options import Options

M = TypeVar("M", bound=Options)


class Site(Value):
    """What is configured for one cluster, as far as a launch asks; empty where nothing is.

    Paths may begin with `~`, `$HOME` or `$WORK_DIR` until `home` is known.
    """

    home: str = ""
    """The login account's home, as the cluster says; absolute."""
    account: str = ""
    partition: str = ""
    """Where jobs go that name no partition."""
    nemo_dir: str = ""
    """The folder with the recipes' `run.py`."""
    python: str = "python3"
    image: str = ""
    images: str = ""
    """The folder with container images."""
    cache_dir: str = ""
    slurm_type: str = ""
    slurm_types: dict[str, str] = Field(default_factory=dict)
    """The cluster type of each partition."""
    flags: tuple[str, ...] = ()
    """The options that the launcher said it has; empty where it was not asked."""
    nemo_rl_dir: str = ""
    """The folder with NeMo-RL's launcher."""
    nemo_rl_launcher: str = "launch.sh"
    nemo_rl_image: str = ""
    session_expires: timedelta = timedelta(hours=8)
    """How long an interactive job stays that does not say so."""

    def cluster_type(self, partition: str | None) -> str | None:
        """Return the type of a partition, else of the cluster, else the one it is named after."""
        configured = self.slurm_types.get(partition or "") or self.slurm_type
        return configured or cluster_type(partition or "") or None

    def path(self, path: str, base: str = "") -> str:
        """Return the path with its variables replaced, below `base` when it is relative.

        What is not known stays as it was typed.
        """
        if not path:
            return ""
        first, slash, rest = path.partition("/")
        if first in _FOLDERS:
            folder = self._home_of(self.nemo_dir) if first == "$WORK_DIR" else self.home
            return posixpath.normpath(f"{folder}{slash}{rest}") if folder else path
        return posixpath.normpath(posixpath.join(self._home_of(base), path))

    def image_path(self, image: str) -> str:
        """Return where NeMo's image of this name lies: a bare name, in the folder of images."""
        loose = "/" not in image
        return self.path(image, (loose and self.images) or self.nemo_dir)

    def _home_of(self, path: str) -> str:
        """Return the path with the home put in where it is known."""
        first, slash, rest = path.partition("/")
        return f"{self.home}{slash}{rest}" if self.home and first in {"~", "$HOME"} else path


_FOLDERS = {"~", "$HOME", "$WORK_DIR"}


class Need(Value):
    """A path that a launch reads or writes; it must lie below the cluster's roots."""

    field: str
    """The option that names it."""
    path: str
    kind: Literal["file", "folder", "some", "place", "any"]
    """A file or a folder must be there already; `some`: a folder with at least one file that ends
    in `suffix`; a place is made when it is not there. Of any other path only where it lies is
    asked."""
    among: str = ""
    """The folder to look through for what was meant instead."""
    suffix: str = ""
    """How the names of such files end."""
    read: bool = False
    """Whether the text of the file is wanted."""
    hint: str = ""
    """What to do when it is missing."""


Texts = Mapping[str, str]
"""The texts of the needs that are read, by their fields; at most `MOST_TEXT` bytes of each."""
MOST_TEXT = 65_536


class Program(Value):
    """A launcher that can be asked what it takes."""

    folder: str
    file: str
    """Its file below the folder, whose change makes the answer old."""
    argv: tuple[str, ...]
    """The command that makes it say so."""


@dataclass(frozen=True)
class Found:
    """What a launch is fitted to."""

    typed: frozenset[str] = frozenset()
    """The options that a person typed; the others come from the site."""
    texts: Texts = field(default_factory=dict)
    """Empty, as far as the files are not there."""
    manual: Manual = field(default_factory=Manual)
    """What the launcher says it takes; empty where there is no `program` to ask."""


@dataclass(frozen=True)
class Fitted(Generic[M]):
    """Options as the launcher on the cluster takes them, and what is wrong with them."""

    options: M
    errors: tuple[FieldError, ...] = ()
    notes: tuple[str, ...] = ()


def _no_program(_site: Site) -> Program | None:
    return None


def _as_they_are(options: M, _found: Found) -> Fitted[M]:
    return Fitted(options)


def _no_needs(_options: Any, _site: Site) -> tuple[Need, ...]:
    return ()


def _no_notes(_options: Any) -> tuple[str, ...]:
    return ()


def _no_result(_options: Any, _log: str) -> str:
    return ""


def _in_any(options: Any, _partition: PartitionState) -> Any:
    return options


def _no_heading(_options: Any) -> str:
    return ""


def _no_stay(_options: Any) -> timedelta | None:
    return None


def _no_files(_options: Any, _site: Site, _texts: Texts) -> tuple[File, ...]:
    return ()


@dataclass(frozen=True, kw_only=True)
class Workload(Generic[M]):
    """One kind of job: its request model, and pure functions from it to what runs.

    A launch calls them in this order: `title` and `heading` of the typed options, `complete`,
    `needs` and `program` (which are looked at in one round trip), `fit`, `resources`, `stay`,
    `title` and `heading` once more, `files`, `notes`, `within`; when it is accepted, `launch` and
    `stay`, again after a restart; in the end `result`. A rerun begins with `follows` and
    `complete`, another attempt with `resume`.
    """

    name: str
    """The command that asks for it: `nemo run`."""
    summary: str
    model: type[M]
    complete: Callable[[M, Site], M]
    """The options with the site's defaults written in; doing it twice changes nothing."""
    resources: Callable[[M, str], Resources]
    """What completed options ask of the cluster; the batch script's text, where it is known."""
    batch: str = "script"
    """The field of the need that is the batch script."""
    launch: Callable[[M, Site], Launch]
    """What runs on the login node; completes the options itself."""
    title: Callable[[M], str]
    """What people call this run: the experiment's or job's name."""
    heading: Callable[[M], str] = field(default=_no_heading)
    """What its card is headed with; empty where that is the title."""
    needs: Callable[[M, Site], tuple[Need, ...]] = field(default=_no_needs)
    notes: Callable[[M], tuple[str, ...]] = field(default=_no_notes)
    """Sentences worth reading before completed options run."""
    program: Callable[[Site], Program | None] = field(default=_no_program)
    """The launcher that says what it takes, if there is one."""
    fit: Callable[[M, Found], Fitted[M]] = field(default=_as_they_are)
    """Completed options in the terms of the launcher on the cluster."""
    within: Callable[[M, PartitionState], M] = field(default=_in_any)
    """Fitted options fitted to their partition; may raise InputRefused."""
    stay: Callable[[M], timedelta | None] = field(default=_no_stay)
    """How long after its start an interactive job is released; None for any other job."""
    files: Callable[[M, Site, Texts], tuple[File, ...]] = field(default=_no_files)
    """What must be laid down on the cluster.

    May raise InputRefused, for a script that cannot be changed as wished.
    """
    result: Callable[[M, str], str] = field(default=_no_result)
    """What a job that ended well made, as a sentence from the end of its log."""
    resume: Callable[[M, str], M | None] | None = None
    """The options of a run that goes on from the checkpoints in a folder; None where it cannot be
    told to."""
    follows: tuple[tuple[str, str], ...] = ()
    """Pairs of an option and one that is derived from it when it is left out."""
    examples: tuple[str, ...] = ()
