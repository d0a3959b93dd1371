"""The checkpoints that a job has written, as the known trainers name them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bot.errors import CommandFailed
from bot.ports import Output, Query

_SCRIPT = (Path(__file__).parent / "remote" / "checkpoints.sh").read_text(encoding="utf-8")
_PATIENCE = 90.0
_DEEP = 6
"""Folders below a NeMo experiment in which its checkpoints may lie."""


@dataclass(frozen=True)
class Naming:
    """How a trainer names its checkpoints; the first group is the step."""

    trainer: str
    whole: str
    writing: str = "(?!)"
    """What one is called while it is written."""
    marker: str = ""
    """Ending of a file beside one that is not finished."""


NAMINGS = (
    Naming("NeMo-RL", r"step_(\d+)", writing=r"tmp_step_(\d+)"),
    Naming("Megatron-LM", r"iter_(\d+)"),
    Naming(
        "NeMo",
        r".*\bstep=(\d+)(?!.*(?:\.part|\.tmp|-unfinished)$).*",
        writing=r".*\bstep=(\d+).*(?:\.part|\.tmp)",
        marker="-unfinished",
    ),
)


@dataclass(frozen=True)
class Checkpoint:
    """One checkpoint."""

    path: str
    trainer: str
    step: int
    whole: bool
    written: datetime
    kilobytes: int | None
    """None when adding it up took too long."""

    @property
    def name(self) -> str:
        """The last part of its path."""
        return posixpath.basename(self.path)


@dataclass(frozen=True)
class Found:
    """What lies in a job's folders."""

    folders: tuple[str, ...]
    """Those of the folders looked through that are there."""
    checkpoints: tuple[Checkpoint, ...]
    """The highest step first."""

    @property
    def whole(self) -> tuple[Checkpoint, ...]:
        """Those that can be used."""
        return tuple(one for one in self.checkpoints if one.whole)


def checkpoints(
    job_id: str, workdir: str, stdout: str, log: str, roots: Sequence[str]
) -> Query[Found]:
    """Ask for a job's checkpoints below the roots.

    `log` is what its training writes, where it is known; it may name further folders.
    """
    places = [(posixpath.join(workdir, job_id, "checkpoints"), "1")] if workdir else []
    if "/experiments/" in stdout:
        places.append((posixpath.dirname(stdout), str(_DEEP)))
    args = ["\n".join(roots), workdir, log, *(part for place in places for part in place)]
    return Query(_SCRIPT, _found, tuple(args), timeout=_PATIENCE, name="checkpoints")


def _found(output: Output) -> Found:
    if output.status != 0:
        raise CommandFailed("the checkpoints cannot be listed", stderr=output.stderr)
    folders: list[str] = []
    last: dict[str, int] = {}
    candidates: dict[str, tuple[str, str, str]] = {}
    for record in output.stdout.split("\x1e")[:-1]:
        match record.split("\x1f"):
            case ["F", folder]:
                folders.append(folder)
            case ["L", folder, number]:
                last[folder] = int(number) if number.strip().isdigit() else 0
            case ["C", when, kind, size, path]:
                candidates[path] = (when, kind, size)
            case _:
                pass
    unfinished = {path for path in candidates if path.endswith("-unfinished")}
    read = (_read(path, *figures, last, unfinished) for path, figures in candidates.items())
    known = sorted(filter(None, read), key=lambda one: (one.step, one.written), reverse=True)
    return Found(tuple(dict.fromkeys(folders)), tuple(known))


def _read(  # each is a figure of the record
    path: str,
    when: str,
    kind: str,
    size: str,
    last: Mapping[str, int],
    unfinished: set[str],
) -> Checkpoint | None:
    folder, name = posixpath.split(path)
    for naming in NAMINGS:
        whole = re.fullmatch(naming.whole, name)
        found = whole or re.fullmatch(naming.writing, name)
        if not found or path in unfinished or (naming.trainer == "NeMo-RL" and kind != "d"):
            continue
        step = int(found[1])
        stem = posixpath.splitext(path)[0] if kind == "f" else path
        marked = {f"{stem}{naming.marker}", f"{path}{naming.marker}"} & unfinished
        return Checkpoint(
            path=path,
            trainer=naming.trainer,
            step=step,
            whole=bool(whole) and not marked and step <= last.get(folder, step),
            written=datetime.fromtimestamp(int(when), UTC),
            kilobytes=int(size) if size.isdigit() else None,
        )
    return None
