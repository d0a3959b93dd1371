"""What a login node is like, as far as the bot rests on it: all of it in one round trip."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bot.cluster import slurm
from bot.errors import CommandFailed
from bot.model import PartitionState
from bot.ports import Output, Query

PROGRAMS = ("sbatch", "squeue", "sinfo", "scontrol", "scancel", "sacct", "flock", "setsid", "sync")
_PATIENCE = 60.0

_CONFIG, _PARTITIONS = slurm.config(), slurm.partitions()


def _script(name: str) -> str:
    return (Path(__file__).parent / "remote" / f"{name}.sh").read_text(encoding="utf-8")


_TOLD = _script("told")
_SURVEY = (
    f"sb_config() {{\n{_CONFIG.script}\n}}\nsb_partitions() {{\n{_PARTITIONS.script}\n}}\n"
    + _TOLD
    + _script("survey")
)
_SERVER = _TOLD + _script("recipes_server")
_CLOUD = _TOLD + _script("cloud")
_HELP = _TOLD + _script("launcher_help")


@dataclass(frozen=True, kw_only=True)
class Places:
    """What is looked at; paths may begin with `~`, and be empty."""

    nemo: str
    """The folder of the recipes' `run.py`."""
    python: str = "python3"
    venv: str = ""
    """An environment whose python is taken instead, once it is there."""
    image: str = ""
    nemo_rl: str = ""
    launcher: str = "launch.sh"
    nemo_rl_image: str = ""
    """Below `nemo_rl` unless it is absolute; empty is any image there."""


@dataclass(frozen=True)
class Told:
    """What one look gave: its words, and whether it worked."""

    text: str
    status: int

    @property
    def worked(self) -> bool:
        """Whether the command ended well."""
        return self.status == 0


@dataclass(frozen=True)
class Survey:
    """The login node, look by look."""

    told: Mapping[str, Told]

    def __getitem__(self, name: str) -> Told:
        """Return one look; one that was not taken did not work."""
        return self.told.get(name, Told("", 1))

    @property
    def host(self) -> str:
        """The login node's own name."""
        return self["host"].text

    @property
    def missing_programs(self) -> tuple[str, ...]:
        """Programs that are not in the PATH."""
        return tuple(name for name in PROGRAMS if not self[f"program-{name}"].worked)

    @property
    def now(self) -> datetime | None:
        """The login node's clock."""
        seconds = self["now"].text
        return datetime.fromtimestamp(int(seconds), UTC) if seconds.isdigit() else None

    @property
    def free_mb(self) -> int | None:
        """MB that are left where the home is."""
        return self.room("room")

    def room(self, name: str) -> int | None:
        """MB that a look at a disk found free."""
        columns = self[name].text.split()
        return int(columns[3]) // 1024 if len(columns) > 3 and columns[3].isdigit() else None  # noqa: PLR2004 (df's fourth column)

    @property
    def kills_processes(self) -> bool:
        """Whether the login node ends what a person leaves running when they log out."""
        on = self["kills"].text.lower() in {"yes", "true", "1", "on"}
        return on and self["lingers"].text != "yes"

    def config(self) -> slurm.SlurmConfig:
        """Return how Slurm is set up; raises CommandFailed when it does not say."""
        return _CONFIG.parse(self._output("config"))

    def partitions(self) -> tuple[PartitionState, ...]:
        """Return the partitions; raises CommandFailed when Slurm does not say."""
        return _PARTITIONS.parse(self._output("partitions"))

    def _output(self, name: str) -> Output:
        told = self[name]
        return Output(told.text, "" if told.worked else told.text, told.status)


def survey(places: Places) -> Query[Survey]:
    """Look at all that lies on the login node. Leaves an empty `~/.sbatchat` behind."""
    return _looks(
        _SURVEY,
        "survey",
        *_PARTITIONS.args,
        places.nemo,
        places.python,
        places.venv,
        places.image,
        places.nemo_rl,
        places.launcher,
        places.nemo_rl_image,
    )


def recipes_server(repository: str, branch: str) -> Query[Survey]:
    """Ask the recipes' git server for the branch, with the account's own credentials: `git`."""
    return _looks(_SERVER, "recipes server", repository, branch)


def cloud(objects: Sequence[str]) -> Query[Survey]:
    """Ask who is logged in at Google Cloud and whether mounted objects can be read.

    Told as `account`, `object-0` and on.
    """
    return _looks(_CLOUD, "cloud", *objects)


def launcher_help(places: Places) -> Query[Survey]:
    """Let `run.py` say its options: `help`; nothing where there is none."""
    return _looks(_HELP, "launcher help", places.nemo, places.python, places.venv)


def merged(*surveys: Survey) -> Survey:
    """Return all that was told."""
    return Survey({name: told for one in surveys for name, told in one.told.items()})


def _looks(script: str, name: str, *args: str) -> Query[Survey]:
    mark = secrets.token_hex(8)

    def parse(output: Output) -> Survey:
        return _read(output, mark)

    return Query(script, parse, (mark, *args), timeout=_PATIENCE, name=name)


def _read(output: Output, mark: str) -> Survey:
    parts = output.stdout.split(f"\n{mark} ")[1:]
    if not parts or parts[-1].strip() != "end":
        raise CommandFailed("The login node did not finish the survey", stderr=output.stderr)
    told: dict[str, Told] = {}
    for part, status in zip(parts[0:-1:2], parts[1::2], strict=True):
        name, _, text = part.partition("\n")
        found = re.match(r"status (\d+)", status)
        told[name] = Told(text.strip("\n"), int(found[1]) if found else 1)
    return Survey(told)
