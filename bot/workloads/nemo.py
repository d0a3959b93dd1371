"""NeMo recipes, launched through the recipes' own `run.py`."""

from __future__ import annotations

import posixpath
import re
from datetime import timedelta
from typing import Annotated

from pydantic import Field

from bot import run_py
from bot.cluster_types import GPUS_PER_NODE, ClusterType
from bot.duration import duration
from bot.manual import fit as as_spelt
from bot.manual import given
from bot.model import Launch, Resources
from bot.options import (
    AccountOption,
    AfterOption,
    CacheDirOption,
    DataDirOption,
    DryRunOption,
    EnvOption,
    ExcludeOption,
    ImageOption,
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
from bot.shape import one_of
from bot.shapes import Foreign, Name, Nodes, Path
from bot.variables import pairs
from bot.workload import Fitted, Found, Need, Program, Site, Workload


class NemoRun(Options):
    """One launch of a recipe."""

    recipe: Annotated[
        Path,
        word(
            "RECIPE",
            "-s",
            "--recipe",
            help="the recipe, such as `pretrain/llama3p1_2b_pt.py`",
            also=r".*\.py",
        ),
    ]
    nodes: Annotated[Nodes, flag("-n", "-N", "--nodes", metavar="NODES", help="how many nodes")] = 1
    partition: PartitionOption = None
    slurm_type: Annotated[
        ClusterType | None,
        flag(
            "--slurm-type",
            metavar="TYPE",
            help="the cluster type; by default the one of the partition",
            choices=tuple(GPUS_PER_NODE),
        ),
    ] = None
    image: ImageOption = None
    workdir: Annotated[
        Path | None, flag("-d", "--workdir", "--work-dir", metavar="DIR", help="the work directory")
    ] = None
    experiment_name: Annotated[
        Name | None,
        flag("--experiment-name", metavar="NAME", help="its name; by default the recipe's"),
    ] = None
    log_dir: LogDirOption = None
    cache_dir: CacheDirOption = None
    data_dir: DataDirOption = None
    time: TimeOption = None
    account: AccountOption = None
    qos: QosOption = None
    after: AfterOption = ()
    exclude: ExcludeOption = None
    env: EnvOption = ()
    retries: RetriesOption = 0
    dry_run: DryRunOption = False
    extra: Annotated[
        tuple[Foreign, ...],
        others(
            "--OPTION[=VALUE]",
            help="any other option of `run.py` itself, checked on the cluster; one that looks like "
            "one of these can stand behind ` -- `",
        ),
    ] = ()
    executor: Annotated[
        Annotated[str, one_of("slurm")],
        flag("-e", "--executor", metavar="slurm", help=""),
        Field(exclude=True),
    ] = "slurm"


def complete(options: NemoRun, site: Site) -> NemoRun:
    """Write in the site's defaults; paths become absolute as far as the site is known."""
    workdir = site.path(options.workdir or site.nemo_dir, site.nemo_dir)
    partition = options.partition or site.partition or None
    image = options.image or site.image
    loose_image = image and "/" not in image
    return options.model_copy(
        update={
            "recipe": site.path(options.recipe),
            "partition": partition,
            "slurm_type": options.slurm_type or site.cluster_type(partition),
            "workdir": workdir or None,
            "image": site.path(image, (loose_image and site.images) or workdir) or None,
            "experiment_name": options.experiment_name or _experiment(options.recipe),
            "log_dir": site.path(options.log_dir or "", workdir) or None,
            "cache_dir": site.path(options.cache_dir or site.cache_dir, workdir) or None,
            "data_dir": site.path(options.data_dir or "", workdir) or None,
            "extra": tuple(_placed(word, site) for word in options.extra),
            "account": options.account or site.account or None,
        }
    )


def _placed(word: str, site: Site) -> str:
    """Return a word of run.py's own options with `~`, `$HOME` and `$WORK_DIR` put in."""
    name, equals, value = word.partition("=") if word.startswith("-") else ("", "", word)
    first = value.partition("/")[0].replace("{", "").replace("}", "")
    if first not in {"~", "$HOME", "$WORK_DIR"}:
        return word
    return f"{name}{equals}{site.path(value.replace('{', '').replace('}', ''))}"


def _experiment(recipe: str) -> str:
    stem = posixpath.basename(recipe).removesuffix(".py")
    return re.sub(r"[^A-Za-z0-9._-]", "-", stem).lstrip("-")[:64] or "experiment"


def resources(options: NemoRun, _script: str = "") -> Resources:
    """Return what a recipe takes: whole nodes, whose GPUs the cluster type tells."""
    return Resources(
        partition=options.partition or "",
        nodes=options.nodes,
        gpus_per_node=GPUS_PER_NODE.get(options.slurm_type or ""),
        time=_time(options),
        exclude=options.exclude or "",
    )


def _time(options: NemoRun) -> timedelta | None:
    return duration(options.time) if options.time else None


def launch(options: NemoRun, site: Site) -> Launch:
    """Return the documented command; what `run.py` has no flag for goes to the shim."""
    run = complete(options, site)
    program = program_of(site)
    values = {name: str(value) for name in run_py.SPELLINGS if (value := getattr(run, name))}
    passed, left = run_py.split(values, frozenset(site.flags))
    waits = (f"--dependency=afterok:{':'.join(run.after)}",) if run.after else ()
    return Launch(
        argv=(*program.argv[:-1], *passed, *run.extra),
        cwd=site.path(site.nemo_dir) or run.workdir or "",
        env=(
            ("NEMORUN_HOME", run.workdir or ""),
            ("COLUMNS", "512"),
            ("NO_COLOR", "1"),
            ("TERM", "dumb"),
            *pairs(run.env),
        ),
        sbatch_options=(*left, *waits),
        folders=tuple(path for path in (run.log_dir, run.cache_dir) if path),
        secrets=True,
    )


def program_of(site: Site) -> Program:
    """Return `run.py`, which says for `--help` what it takes."""
    return Program(
        folder=site.path(site.nemo_dir),
        file=run_py.FILE,
        argv=(site.path(site.python), run_py.FILE, "--help"),
    )


def fit(options: NemoRun, found: Found) -> Fitted[NemoRun]:
    """Return what `run.py` takes of the options; what it lacks and nobody typed is left out."""
    manual = found.manual
    if not manual.flags:
        return Fitted(options, run_py.without_manual(manual, options.extra))
    asked = {name for name in run_py.SPELLINGS if getattr(options, name) is not None}
    lacks = run_py.lacking(asked, manual)
    left_out = {
        name: None for name in lacks if name not in found.typed and name in run_py.DISPENSABLE
    }
    extra, problems = as_spelt(options.extra, manual, run_py.FILE)
    errors = [
        *(run_py.lacks(name, manual) for name in lacks if name not in left_out),
        *run_py.wrong_choice("slurm_type", options.slurm_type, manual),
        *problems,
    ]
    kept = options.model_copy(update={"extra": extra, **left_out})
    return Fitted(kept, tuple(errors), tuple(map(run_py.left_out, left_out)))


def needs(options: NemoRun, site: Site) -> tuple[Need, ...]:
    """Name the files and folders that a launch reads."""
    run = complete(options, site)
    folder = site.path(site.nemo_dir) or run.workdir or ""
    wanted = (
        Need(field="workdir", path=run.workdir or "", kind="folder"),
        Need(
            field="recipe",
            path=site.path(run.recipe, folder),
            kind="file",
            among=folder,
            suffix=".py",
        ),
        Need(
            field="image",
            path=run.image or "",
            kind="file",
            among=site.path(site.images) or run.workdir or "",
            suffix=".sqsh",
        ),
        Need(field="data_dir", path=run.data_dir or "", kind="folder"),
        Need(field="log_dir", path=run.log_dir or "", kind="place"),
        Need(field="cache_dir", path=run.cache_dir or "", kind="place"),
        *(
            Need(field=one.name, path=value, kind="any")
            for one in given(run.extra)
            for value in one.values
            if value.startswith("/")
        ),
    )
    return tuple(need for need in wanted if need.path)


def notes(options: NemoRun) -> tuple[str, ...]:
    """Warn of what the recipes' documentation does not cover."""
    if options.slurm_type == "hcc-a3h":
        return ("The NeMo recipes' documentation does not list `hcc-a3h`; NeMo-RL's does.",)
    return ()


NEMO = Workload(
    name="nemo run",
    summary="Launch pre-training, continued pre-training or fine-tuning with a NeMo recipe",
    model=NemoRun,
    complete=complete,
    resources=resources,
    launch=launch,
    title=lambda options: options.experiment_name or _experiment(options.recipe),
    needs=needs,
    notes=notes,
    program=program_of,
    fit=fit,
    follows=(("partition", "slurm_type"),),
    examples=(
        "/nemo run pretrain/llama3p1_2b_pt.py -n 2 -p a3m",
        "/nemo run sft/llama3p1_2b_sft.py -n 4 --time 4h --cache-dir ~/cache",
    ),
)
