"""The table of subcommands: what each is called, what it takes, how it is summed up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from bot.grammar.errands import ImageList, ImagePull, NemoRlSetup, NemoSetup
from bot.grammar.experiments import ExperimentCancel, ExperimentLogs, ExperimentStatus
from bot.grammar.inside import Exec, Shell
from bot.grammar.jobs import Cancel, Checkpoints, Jobs, Logs, Rerun, Status, Why
from bot.options import Options, word
from bot.shapes import Name
from bot.workloads import WORKLOADS


class Recipes(Options):
    """What `run.py` can launch."""

    kind: Annotated[
        Name | None, word("KIND", help="only recipes of this kind, such as `pretrain` or `sft`")
    ] = None


class Partitions(Options):
    """What sinfo shows."""


class Clusters(Options):
    """How the clusters are."""


class Doctor(Options):
    """What is right on a cluster, and what is not."""


class Secrets(Options):
    """How the tokens for launches are."""


@dataclass(frozen=True)
class Command:
    """One subcommand."""

    name: str
    """The slash command's name and the subcommand: `slurm logs`."""
    summary: str
    model: type[Options]
    examples: tuple[str, ...] = ()
    later: tuple[tuple[str, str], ...] = ()
    """Options that are known but not built yet, and what to do instead."""

    @property
    def group(self) -> str:
        """The slash command it belongs to, without the slash."""
        return self.name.split()[0]

    @property
    def verb(self) -> str:
        """The subcommand: `logs`, `image list`."""
        return self.name.partition(" ")[2]

    @property
    def words(self) -> int:
        """How many words the subcommand has."""
        return len(self.verb.split())


def _launch(name: str) -> Command:
    workload = WORKLOADS[name]
    return Command(name, workload.summary, workload.model, workload.examples)


COMMANDS: tuple[Command, ...] = (
    _launch("nemo run"),
    Command(
        "nemo recipes",
        "List the recipes on the cluster, and the commit they are at",
        Recipes,
        ("/nemo recipes", "/nemo recipes sft"),
    ),
    Command(
        "nemo experiment status",
        "Show how an experiment of NeMo-Run and its jobs are",
        ExperimentStatus,
        ("/nemo experiment status nemo-demo-run_1796059983672474310",),
    ),
    Command(
        "nemo experiment logs",
        "Show the end of the log of one of its jobs",
        ExperimentLogs,
        ("/nemo experiment logs nemo-demo-run 1 -n 100",),
    ),
    Command(
        "nemo experiment cancel",
        "Cancel one of its jobs, or all",
        ExperimentCancel,
        ("/nemo experiment cancel nemo-demo-run 0", "/nemo experiment cancel nemo-demo-run --all"),
    ),
    Command(
        "nemo image list", "List the images on the cluster, and whether they are whole", ImageList
    ),
    Command(
        "nemo image pull",
        "Copy a prebuilt image to the cluster",
        ImagePull,
        ("/nemo image pull nemo", "/nemo image pull nemo-rl --region europe"),
    ),
    _launch("nemo image build"),
    Command("nemo setup", "Set up NeMo-Run and the recipes on the login node", NemoSetup),
    _launch("nemo-rl run"),
    _launch("nemo-rl interactive"),
    Command(
        "nemo-rl exec",
        "Run one command inside an interactive job (operators)",
        Exec,
        ("/nemo-rl exec 75 -- nvidia-smi", "/nemo-rl exec 75 -- 'ls checkpoints | tail -n 3'"),
    ),
    Command(
        "nemo-rl shell",
        "Check a node, and show the lines that lead into NeMo-RL's container on it",
        Shell,
        ("/nemo-rl shell 1", "/nemo-rl shell 0 -p a3u"),
    ),
    Command(
        "nemo-rl setup",
        "Set up the recipes and NeMo-RL on the login node",
        NemoRlSetup,
        ("/nemo-rl setup", "/nemo-rl setup --ref v0.5.0"),
    ),
    _launch("slurm submit"),
    Command(
        "slurm jobs", "List jobs", Jobs, ("/slurm jobs", "/slurm jobs failed", "/slurm jobs all")
    ),
    Command("slurm status", "Show how a job is", Status, ("/slurm status 75",)),
    Command(
        "slurm logs",
        "Show the end of a job's log",
        Logs,
        ("/slurm logs 75", "/slurm logs 75 slurm -n 100", '/slurm logs 75 --grep "loss|error"'),
        later=(("--follow", "Ask again for newer lines"), ("-f", "Ask again for newer lines")),
    ),
    Command(
        "slurm checkpoints",
        "Show a job's checkpoints, the newest whole one first",
        Checkpoints,
        ("/slurm checkpoints 75",),
    ),
    Command("slurm why", "Say why a job waits or why it failed", Why, ("/slurm why 75",)),
    Command("slurm cancel", "Cancel a job", Cancel, ("/slurm cancel 75",)),
    Command(
        "slurm rerun",
        "Submit a job again, with changes if you like",
        Rerun,
        ("/slurm rerun 75", "/slurm rerun 75 -p a3u --time 8h"),
    ),
    Command("slurm partitions", "Show partitions with their free nodes and GPUs", Partitions),
    _launch("slurm health"),
    Command("slurm clusters", "Show whether each cluster answers, and what is free", Clusters),
    Command("slurm doctor", "Check all that a cluster needs, and how to mend it", Doctor),
    Command("slurm secrets", "Show whether tokens are in place; never a value", Secrets),
)
"""In the order of the help: what is typed daily before what is typed once."""

BY_NAME = {command.name: command for command in COMMANDS}

LATER: dict[str, tuple[str, ...]] = {
    "slurm": (
        "nodes",
        "queue",
        "watch",
        "unwatch",
        "subscribe",
        "subscriptions",
        "settings",
        "schedule",
        "schedules",
        "unschedule",
        "usage",
    ),
}
"""Subcommands that are known but not built yet."""

GROUPS: dict[str, str] = {
    "nemo": "Launch NeMo recipes",
    "nemo-rl": "Align models with NeMo-RL",
    "slurm": "Submit, watch and mend Slurm jobs",
}
"""The slash commands."""
