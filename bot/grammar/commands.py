"""The table of subcommands: what each is called, what it takes, how it is summed up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from bot.cluster_types import ClusterType
from bot.options import (
    AccountOption,
    AfterOption,
    DryRunOption,
    ExcludeOption,
    JobWord,
    Options,
    PartitionOption,
    QosOption,
    RetriesOption,
    TimeOption,
    flag,
    word,
)
from bot.shapes import Lines, Name, Nodes, Path, Pattern, Switch, one_of
from bot.workloads import WORKLOADS


class Recipes(Options):
    """What `run.py` can launch."""

    kind: Annotated[
        Name | None, word("KIND", help="only recipes of this kind, such as `pretrain` or `sft`")
    ] = None


class Partitions(Options):
    """What sinfo shows."""


JOB_KINDS = ("mine", "all", "running", "failed")


class Jobs(Options):
    """A list of jobs."""

    which: Annotated[
        Annotated[str, one_of(*JOB_KINDS)],
        word("WHICH", help="which jobs", choices=JOB_KINDS),
    ] = "mine"


class Status(Options):
    """How one job is."""

    job: JobWord = None


LOG_SOURCES = ("training", "slurm", "launcher")


class Logs(Options):
    """The end of a job's log."""

    job: JobWord = None
    source: Annotated[
        Annotated[str, one_of(*LOG_SOURCES)] | None,
        word(
            "SOURCE",
            help="the training's own log, Slurm's output file, or what the launcher printed",
            choices=LOG_SOURCES,
        ),
    ] = None
    lines: Annotated[Lines, flag("-n", "--lines", metavar="N", help="how many lines")] = 40
    grep: Annotated[
        Pattern | None, flag("--grep", metavar="RE", help="only lines that match this expression")
    ] = None


class Why(Options):
    """Why a job waits or failed."""

    job: JobWord = None


class Cancel(Options):
    """The end of a job, by wish."""

    job: JobWord = None


_NO_CHANGE = {"job", "cluster", "dry_run"}


class Rerun(Options):
    """The same launch again, with changes."""

    job: JobWord = None
    partition: PartitionOption = None
    nodes: Annotated[
        Nodes | None, flag("-n", "-N", "--nodes", metavar="NODES", help="how many nodes")
    ] = None
    time: TimeOption = None
    account: AccountOption = None
    qos: QosOption = None
    exclude: ExcludeOption = None
    slurm_type: Annotated[
        ClusterType | None, flag("--slurm-type", metavar="TYPE", help="a recipe's cluster type")
    ] = None
    cluster_type: Annotated[
        ClusterType | None,
        flag("--cluster-type", metavar="TYPE", help="a NeMo-RL job's cluster type"),
    ] = None
    no_wandb: Annotated[
        Switch, flag("--no-wandb", help="a NeMo-RL job without Weights & Biases")
    ] = False
    image: Annotated[
        Path | None, flag("-i", "--image", metavar="IMAGE", help="the container image")
    ] = None
    cache_dir: Annotated[
        Path | None, flag("--cache-dir", metavar="DIR", help="the folder for downloads")
    ] = None
    log_dir: Annotated[
        Path | None, flag("--log-dir", metavar="DIR", help="the folder for logs")
    ] = None
    data_dir: Annotated[
        Path | None, flag("--data-dir", metavar="DIR", help="the folder with data")
    ] = None
    after: AfterOption = ()
    retries: RetriesOption = 0
    dry_run: DryRunOption = False

    @property
    def changes(self) -> dict[str, object]:
        """The options that were typed, by the name of the field they replace."""
        typed = self.model_dump(exclude_unset=True)
        return {name: value for name, value in typed.items() if name not in _NO_CHANGE}


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


_LAUNCHES = tuple(
    Command(workload.name, workload.summary, workload.model, workload.examples)
    for workload in WORKLOADS.values()
)

COMMANDS: tuple[Command, ...] = (
    *_LAUNCHES,
    Command(
        "nemo recipes",
        "List the recipes on the cluster, and the commit they are at",
        Recipes,
        ("/nemo recipes", "/nemo recipes sft"),
    ),
    Command("slurm partitions", "Show partitions with their free nodes and GPUs", Partitions),
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
    Command("slurm why", "Say why a job waits or why it failed", Why, ("/slurm why 75",)),
    Command("slurm cancel", "Cancel a job", Cancel, ("/slurm cancel 75",)),
    Command(
        "slurm rerun",
        "Submit a job again, with changes if you like",
        Rerun,
        ("/slurm rerun 75", "/slurm rerun 75 -p a3u --time 8h"),
    ),
)

LATER: dict[str, tuple[str, ...]] = {
    "nemo": ("image list", "image pull", "image build", "setup"),
    "nemo-rl": ("interactive", "shell", "exec", "setup"),
    "slurm": (
        "nodes",
        "queue",
        "checkpoints",
        "watch",
        "unwatch",
        "subscribe",
        "subscriptions",
        "settings",
        "schedule",
        "schedules",
        "unschedule",
        "secrets",
        "doctor",
        "clusters",
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
