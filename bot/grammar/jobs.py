"""What is asked of jobs: a list, their state, their logs, an end, another go."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BeforeValidator, Field, field_validator, model_validator

from bot.cluster_types import ClusterType
from bot.options import (
    AccountOption,
    AfterOption,
    CacheDirOption,
    DataDirOption,
    DryRunOption,
    EnvOption,
    ExcludeOption,
    ImageOption,
    JobWord,
    LogDirOption,
    Options,
    PartitionOption,
    QosOption,
    RetriesOption,
    TimeOption,
    flag,
    others,
    word,
)
from bot.shape import one_of, refused, shown
from bot.shapes import (
    Attempt,
    Count,
    Duration,
    Features,
    Foreign,
    Gpus,
    Gres,
    Index,
    Lines,
    Memory,
    Nodes,
    Pattern,
    Setting,
    Switch,
)

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
    settings: Annotated[
        tuple[Setting, ...],
        flag(
            "--set",
            metavar="KEY=VALUE",
            help="a setting of a NeMo-RL job's training, if its launcher takes any; may be"
            " repeated",
        ),
    ] = ()
    mem: Annotated[
        Memory | None, flag("--mem", metavar="SIZE", help="a script's memory of each node")
    ] = None
    cpus_per_task: Annotated[
        Count | None, flag("-c", "--cpus-per-task", metavar="N", help="a script's cores per task")
    ] = None
    ntasks_per_node: Annotated[
        Count | None, flag("--ntasks-per-node", metavar="N", help="a script's tasks on each node")
    ] = None
    gpus_per_node: Annotated[
        Gpus | None, flag("--gpus-per-node", metavar="N", help="a script's GPUs on each node")
    ] = None
    gres: Annotated[
        Gres | None, flag("--gres", metavar="GRES", help="a script's generic resources")
    ] = None
    constraint: Annotated[
        Features | None,
        flag("-C", "--constraint", metavar="FEATURES", help="features of a script's nodes"),
    ] = None
    clean_env: Annotated[
        Switch,
        flag("--clean-env", help="a script without the login node's environment"),
    ] = False
    env: EnvOption = ()
    image: ImageOption = None
    cache_dir: CacheDirOption = None
    log_dir: LogDirOption = None
    data_dir: DataDirOption = None
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
