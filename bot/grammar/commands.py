"""The table of subcommands: what each is called, what it takes, how it is summed up."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated

from pydantic import BeforeValidator, Field, field_validator, model_validator

from bot.cluster_types import GPUS_PER_NODE, ClusterType
from bot.grammar.errands import ImageList, ImagePull, NemoRlSetup, NemoSetup
from bot.options import (
    AccountOption,
    AfterOption,
    DryRunOption,
    ExcludeOption,
    JobWord,
    Option,
    Options,
    PartitionOption,
    QosOption,
    RetriesOption,
    TimeOption,
    flag,
    others,
    word,
)
from bot.shapes import (
    Attempt,
    CommandWords,
    Duration,
    ExperimentRef,
    Foreign,
    Index,
    Lines,
    Name,
    NodeIndex,
    Nodes,
    Path,
    Pattern,
    Switch,
    one_of,
    refused,
    shown,
)
from bot.workloads import WORKLOADS


class Recipes(Options):
    """What `run.py` can launch."""

    kind: Annotated[
        Name | None, word("KIND", help="only recipes of this kind, such as `pretrain` or `sft`")
    ] = None


class Exec(Options):
    """One command inside an interactive job."""

    job: JobWord = None
    cmd: Annotated[
        CommandWords,
        Option(
            (),
            "the command; in quotes where it needs a shell, as in `-- 'nvidia-smi | head'`",
            "CMD",
            positional=True,
            rest=True,
        ),
    ]


class Shell(Options):
    """The lines that lead into a container on one node."""

    node: Annotated[NodeIndex, word("N", help="the node's number, as its name ends with it")]
    partition: PartitionOption = None
    cluster_type: Annotated[
        ClusterType | None,
        flag(
            "--cluster-type",
            metavar="TYPE",
            help="the cluster type; by default the one of the partition",
            choices=tuple(GPUS_PER_NODE),
        ),
    ] = None


ExperimentWord = Annotated[
    ExperimentRef, word("EXPERIMENT", help="an id such as `nemo-demo-run_1796059983`, or a title")
]
IndexWord = Annotated[
    Index | None, word("NUMBER", help="which of its jobs, from 0; by default the first")
]


class ExperimentStatus(Options):
    """How an experiment of NeMo-Run is."""

    experiment: ExperimentWord


class ExperimentLogs(Options):
    """The end of the log of one of its jobs."""

    experiment: ExperimentWord
    index: IndexWord = None
    lines: Annotated[Lines, flag("-n", "--lines", metavar="N", help="how many lines")] = 40
    grep: Annotated[
        Pattern | None, flag("--grep", metavar="RE", help="only lines that match this expression")
    ] = None


class ExperimentCancel(Options):
    """The end of one of its jobs, or of all."""

    experiment: ExperimentWord
    index: Annotated[
        Index | None, word("NUMBER", help="which of its jobs, from 0, where there are several")
    ] = None
    all: Annotated[Switch, flag("--all", help="all its jobs")] = False


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


LOG_SOURCES = ("training", "slurm", "launcher", "driver", "head", "worker")
_WORKER = r"(?:ray[-_])?worker[-_]?([0-9]+)"


def _log_source(value: object) -> str:
    """Return one of the sources; `worker-1`, `worker1` and `ray-worker-1` are `worker-1`."""
    named = str(value).lower()
    if numbered := re.fullmatch(_WORKER, named):
        return f"worker-{numbered[1]}"
    plain = named.removeprefix("ray-").removesuffix(".log")
    if plain not in LOG_SOURCES:
        raise refused(f"{shown(value)} is not possible here", f"One of {', '.join(LOG_SOURCES)}")
    return plain


class Logs(Options):
    """The end of a job's log."""

    job: JobWord = None
    source: Annotated[
        Annotated[str, BeforeValidator(_log_source)] | None,
        word(
            "SOURCE",
            help="the training's own log, Slurm's output file, what the launcher printed, or"
            " NeMo-RL's driver, Ray head or workers (`worker 1`)",
            choices=LOG_SOURCES,
            also=_WORKER,
        ),
    ] = None
    worker: Annotated[
        Index | None, word("N", help="which worker, behind `worker`"), Field(exclude=True)
    ] = None
    lines: Annotated[Lines, flag("-n", "--lines", metavar="N", help="how many lines")] = 40
    grep: Annotated[
        Pattern | None, flag("--grep", metavar="RE", help="only lines that match this expression")
    ] = None
    attempt: Annotated[
        Attempt | None,
        flag(
            "--attempt", metavar="N", help="of a job that was requeued, which run; 1 is the first"
        ),
    ] = None

    @model_validator(mode="before")
    @classmethod
    def _numbered(cls, typed: dict[str, object]) -> dict[str, object]:
        """Join `worker 1` to the one source that it is."""
        number = str(typed.get("worker", ""))
        if str(typed.get("source", "")).lower() != "worker" or not re.fullmatch("[0-9]+", number):
            return typed
        return {**typed, "source": f"worker-{int(number)}", "worker": None}

    @field_validator("worker")
    @classmethod
    def _only_workers_are_numbered(cls, value: int | None) -> int | None:
        if value is not None:
            raise refused(f"`{value}` is one word too many", "A number follows `worker` only")
        return value


class Checkpoints(Options):
    """What a job has saved."""

    job: JobWord = None


class Why(Options):
    """Why a job waits or failed."""

    job: JobWord = None


class Cancel(Options):
    """The end of a job, by wish."""

    job: JobWord = None


class Clusters(Options):
    """How the clusters are."""


class Doctor(Options):
    """What is right on a cluster, and what is not."""


class Secrets(Options):
    """How the tokens for launches are."""


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
    expires: Annotated[
        Duration | None,
        flag("--expires", metavar="TIME", help="how long an interactive job stays"),
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

    extra: Annotated[
        tuple[Foreign, ...],
        others("--OPTION[=VALUE]", help="of a recipe, any other option of its `run.py`"),
    ] = ()

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
        "nemo image list", "List the images on the cluster, and whether they are whole", ImageList
    ),
    Command(
        "nemo image pull",
        "Copy a prebuilt image to the cluster",
        ImagePull,
        ("/nemo image pull nemo", "/nemo image pull nemo-rl --region europe"),
    ),
    Command("nemo setup", "Set up NeMo-Run and the recipes on the login node", NemoSetup),
    Command(
        "nemo-rl setup",
        "Set up the recipes and NeMo-RL on the login node",
        NemoRlSetup,
        ("/nemo-rl setup", "/nemo-rl setup --ref v0.4.0"),
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
    Command("slurm clusters", "Show whether each cluster answers, and what is free", Clusters),
    Command("slurm doctor", "Check all that a cluster needs, and how to mend it", Doctor),
    Command("slurm secrets", "Show whether tokens are in place; never a value", Secrets),
)

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
