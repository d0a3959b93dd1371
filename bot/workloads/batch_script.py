"""Any batch script that is already on the cluster, submitted with `sbatch`."""

from __future__ import annotations

import posixpath
import re
from typing import Annotated

from bot.directives import directives, gpus_of_gres
from bot.duration import duration
from bot.model import Launch, Resources
from bot.options import (
    AccountOption,
    AfterOption,
    DryRunOption,
    EnvOption,
    ExcludeOption,
    Option,
    Options,
    QosOption,
    RetriesOption,
    TimeOption,
    flag,
    word,
)
from bot.shapes import (
    Array,
    Begin,
    Count,
    Dependency,
    Features,
    Gpus,
    Gres,
    Line,
    Memory,
    Name,
    NodeList,
    Nodes,
    Partitions,
    Path,
    Switch,
)
from bot.variables import pairs
from bot.workload import Need, Site, Workload

_CONVERTER = "enroot-convert.sh"
_CONVERTS = "`/nemo image build` does what this script does in the documentation"
"""Its own script would show a token in its log."""


class Submit(Options):
    """One submission of a script; the fields are those options of sbatch that are safe to pass."""

    script: Annotated[Path, word("SCRIPT", help="the batch script, a file on the cluster")]
    args: Annotated[
        tuple[Line, ...],
        Option((), "the script's own arguments, after `--`", "ARGS", positional=True, rest=True),
    ] = ()
    nodes: Annotated[
        Nodes | None, flag("-N", "--nodes", metavar="NODES", help="how many nodes")
    ] = None
    partition: Annotated[
        Partitions | None,
        flag("-p", "--partition", metavar="PARTITION", help="the partition to wait in"),
    ] = None
    time: TimeOption = None
    account: AccountOption = None
    qos: QosOption = None
    job_name: Annotated[Name | None, flag("-J", "--job-name", metavar="NAME", help="its name")] = (
        None
    )
    gpus_per_node: Annotated[
        Gpus | None, flag("--gpus-per-node", metavar="N", help="GPUs on each node")
    ] = None
    gpus: Annotated[Gpus | None, flag("-G", "--gpus", metavar="N", help="GPUs over all nodes")] = (
        None
    )
    gres: Annotated[
        Gres | None, flag("--gres", metavar="GRES", help="generic resources of each node")
    ] = None
    ntasks: Annotated[Count | None, flag("-n", "--ntasks", metavar="N", help="how many tasks")] = (
        None
    )
    ntasks_per_node: Annotated[
        Count | None, flag("--ntasks-per-node", metavar="N", help="tasks on each node")
    ] = None
    cpus_per_task: Annotated[
        Count | None, flag("-c", "--cpus-per-task", metavar="N", help="cores for each task")
    ] = None
    mem: Annotated[Memory | None, flag("--mem", metavar="SIZE", help="memory of each node")] = None
    exclusive: Annotated[Switch, flag("--exclusive", help="share the nodes with nobody")] = False
    exclude: ExcludeOption = None
    nodelist: Annotated[
        NodeList | None, flag("-w", "--nodelist", metavar="NODES", help="nodes it must have")
    ] = None
    constraint: Annotated[
        Features | None,
        flag("-C", "--constraint", metavar="FEATURES", help="features of the nodes"),
    ] = None
    after: AfterOption = ()
    dependency: Annotated[
        Dependency | None,
        flag("-d", "--dependency", metavar="LIST", help="what it waits for, in Slurm's words"),
    ] = None
    array: Annotated[
        Array | None, flag("-a", "--array", metavar="INDEXES", help="run it once for each index")
    ] = None
    begin: Annotated[
        Begin | None, flag("-b", "--begin", metavar="TIME", help="do not start before")
    ] = None
    hold: Annotated[Switch, flag("-H", "--hold", help="submit it held")] = False
    requeue: Annotated[
        Switch, flag("--requeue", help="let Slurm run it again after a node fails")
    ] = False
    comment: Annotated[Line | None, flag("--comment", metavar="TEXT", help="a comment")] = None
    output: Annotated[
        Path | None, flag("-o", "--output", metavar="FILE", help="where its output goes")
    ] = None
    error: Annotated[
        Path | None, flag("--error", metavar="FILE", help="where its errors go, when apart")
    ] = None
    chdir: Annotated[
        Path | None, flag("-D", "--chdir", metavar="DIR", help="the folder it is submitted from")
    ] = None
    env: EnvOption = ()
    clean_env: Annotated[
        Switch, flag("--clean-env", help="without the variables of the login node's environment")
    ] = False
    retries: RetriesOption = 0
    dry_run: DryRunOption = False


_PASSED = (
    "nodes",
    "partition",
    "time",
    "account",
    "qos",
    "job_name",
    "gpus_per_node",
    "gpus",
    "gres",
    "ntasks",
    "ntasks_per_node",
    "cpus_per_task",
    "mem",
    "exclude",
    "nodelist",
    "constraint",
    "array",
    "begin",
    "comment",
    "output",
    "error",
)


def complete(options: Submit, site: Site) -> Submit:
    """Write in the site's account and the absolute paths; the rest is the script's to say."""
    folder = site.path(options.chdir or site.home, site.home)
    return options.model_copy(
        update={
            "script": site.path(options.script, folder),
            "chdir": folder or None,
            "output": site.path(options.output or "", folder) or None,
            "error": site.path(options.error or "", folder) or None,
            "account": options.account or site.account or None,
        }
    )


_GPUS = {"gpus_per_node", "gpus", "gres"}


def resources(options: Submit, script: str = "") -> Resources:
    """Return what the options ask, else what the script's `#SBATCH` lines ask."""
    typed = {name: str(value) for name, value in options.model_dump().items() if value}
    written = directives(script)
    if _GPUS & typed.keys():
        written = {name: value for name, value in written.items() if name not in _GPUS}
    asked = {**written, **typed}
    nodes = _most(asked.get("nodes", "1"))
    return Resources(
        partition=asked.get("partition", ""),
        nodes=nodes,
        gpus_per_node=_gpus(asked, nodes, known=bool(script)),
        time=duration(asked.get("time", "")),
        exclude=asked.get("exclude", ""),
    )


def _most(nodes: str) -> int:
    """Return the larger end of `2` or `2-4`."""
    numbers = [int(found) for found in re.findall(r"[0-9]+", nodes)]
    return max(1, *numbers) if numbers else 1


def _gpus(asked: dict[str, str], nodes: int, *, known: bool) -> int | None:
    """Return the GPUs of each node; None when only the cluster can tell."""
    if "gpus_per_node" in asked:
        return gpus_of_gres(asked["gpus_per_node"])
    if "gres" in asked:
        return gpus_of_gres(asked["gres"], generic=True)
    if "gpus" in asked:
        return -(-gpus_of_gres(asked["gpus"]) // nodes)
    return 0 if known and "exclusive" not in asked else None


def launch(options: Submit, site: Site) -> Launch:
    """Return the call of `sbatch`."""
    run = complete(options, site)
    asked = run.model_dump(mode="json")
    flags = [
        f"--{name.replace('_', '-')}={asked[name]}" for name in _PASSED if asked[name] is not None
    ]
    flags += [f"--{name}" for name in ("exclusive", "hold", "requeue") if asked[name]]
    if run.clean_env:
        flags.append(f"--export={','.join(name for name, _ in pairs(run.env)) or 'NONE'}")
    waits = [f"afterok:{':'.join(run.after)}"] if run.after else []
    waits += [run.dependency] if run.dependency else []
    if waits:
        flags.append(f"--dependency={','.join(waits)}")
    return Launch(
        argv=("sbatch", *flags, run.script, *run.args), cwd=run.chdir or "", env=pairs(run.env)
    )


def needs(options: Submit, site: Site) -> tuple[Need, ...]:
    """Name the folder and the script."""
    run = complete(options, site)
    script = Need(
        field="script",
        path=run.script,
        kind="file",
        among=posixpath.dirname(run.script),
        suffix=posixpath.splitext(run.script)[1],
        read=True,
        hint=_CONVERTS if posixpath.basename(run.script) == _CONVERTER else "",
    )
    wanted = (
        Need(field="chdir", path=run.chdir or "", kind="folder"),
        script,
        Need(field="output", path=run.output or "", kind="place"),
        Need(field="error", path=run.error or "", kind="place"),
    )
    return tuple(need for need in wanted if need.path)


BATCH_SCRIPT = Workload(
    name="slurm submit",
    summary="Submit a batch script that is on the cluster",
    model=Submit,
    complete=complete,
    resources=resources,
    launch=launch,
    title=lambda options: options.job_name or posixpath.basename(options.script),
    needs=needs,
    examples=(
        "/slurm submit train.sh -N 2 -p a3m --time 4h",
        "/slurm submit ~/jobs/eval.sh --after 75 -- --steps 100",
    ),
)
