"""Are nodes well: a short job that asks each of them for its GPUs, their memory and its disks."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Annotated

from bot.cluster_types import GPUS_PER_NODE
from bot.duration import duration
from bot.model import File, Launch, Resources
from bot.nodelist import node_names
from bot.options import (
    AccountOption,
    DryRunOption,
    Options,
    PartitionOption,
    QosOption,
    TimeOption,
    flag,
    word,
)
from bot.shapes import Gpus, NodeList, Nodes
from bot.words import count
from bot.workload import Site, Texts, Workload

_SCRIPT = (Path(__file__).parent / "health.sh").read_text(encoding="utf-8")
_FOLDER = "~/.sbatchat/health"
_LINE = re.compile(r"^(?:\d+: )?health (?P<node>\S+) (?P<how>ok|bad) (?P<what>.*)$", re.MULTILINE)
USUAL_GPUS = 8
"""GPUs of a node whose cluster type is not known."""


class Health(Options):
    """One look at some nodes."""

    nodelist: Annotated[
        NodeList | None,
        word("NODES", "-w", "--nodelist", help="the nodes, such as `alice-a3m-[0-1]`"),
    ] = None
    partition: PartitionOption = None
    nodes: Annotated[
        Nodes | None,
        flag("-N", "-n", "--nodes", metavar="NODES", help="how many nodes, when none is named"),
    ] = None
    gpus_per_node: Annotated[
        Gpus | None,
        flag("--gpus-per-node", metavar="N", help="GPUs that each should have"),
    ] = None
    account: AccountOption = None
    qos: QosOption = None
    time: TimeOption = None
    dry_run: DryRunOption = False


def complete(options: Health, site: Site) -> Health:
    """Write in the site's defaults; as many nodes as were named, else one."""
    partition = options.partition or site.partition or None
    usual = GPUS_PER_NODE.get(site.cluster_type(partition) or "", USUAL_GPUS)
    named = len(node_names(options.nodelist or ""))
    return options.model_copy(
        update={
            "partition": partition,
            "nodes": max(options.nodes or 1, named),
            "gpus_per_node": options.gpus_per_node or str(usual),
            "account": options.account or site.account or None,
            "time": options.time or "00:10:00",
        }
    )


def resources(options: Health, _script: str = "") -> Resources:
    """Return what the look takes: whole nodes for some minutes."""
    return Resources(
        partition=options.partition or "",
        nodes=options.nodes or 1,
        gpus_per_node=_number(options),
        time=duration(options.time or "") or timedelta(minutes=10),
    )


def _number(options: Health) -> int:
    return int(re.sub(r"\D", "", (options.gpus_per_node or "").rpartition(":")[2]) or 0)


def launch(options: Health, site: Site) -> Launch:
    """Return the call of `sbatch`; the script is laid down beside it."""
    run = complete(options, site)
    pairs = (
        ("--job-name", "health"),
        ("--nodes", str(run.nodes)),
        ("--ntasks-per-node", "1"),
        ("--gpus-per-node", run.gpus_per_node),
        ("--partition", run.partition),
        ("--nodelist", run.nodelist),
        ("--account", run.account),
        ("--qos", run.qos),
        ("--time", run.time),
        ("--output", site.path(f"{_FOLDER}/slurm-%j.out")),
    )
    flags = (f"{name}={value}" for name, value in pairs if value)
    argv = ("sbatch", *flags, _path(site), str(_number(run)))
    return Launch(argv=argv, cwd=site.path("~"))


def _path(site: Site) -> str:
    return site.path(f"{_FOLDER}/health.sh")


def files(_options: Health, site: Site, _texts: Texts) -> tuple[File, ...]:
    """Return the script."""
    return (File(path=_path(site), text=_SCRIPT),)


def result(options: Health, log: str) -> str:
    """Say how each node is; nodes that said nothing are named by their number."""
    seen = {found["node"]: found for found in _LINE.finditer(log)}
    bad = [found for found in seen.values() if found["how"] == "bad"]
    asked = max(options.nodes or 1, len(node_names(options.nodelist or "")))
    well = len(seen) - len(bad)
    words = [f"{well:,} of {count(asked, 'node')} {'is' if well == 1 else 'are'} well."]
    if asked == well == 1:
        words = ["The node is well."]
    if asked > len(seen):
        words.append(f"{count(asked - len(seen), 'node')} said nothing; see the log.")
    words += [f"`{found['node']}` is not: {found['what'].rstrip('.')}." for found in bad]
    if bad:
        names = ",".join(found["node"] for found in bad)
        words.append(f"Tell the administrators, and keep away with `--exclude {names}`.")
    return " ".join(words)


HEALTH = Workload(
    name="slurm health",
    summary="Ask nodes for their GPUs, their memory and their disks, in a short job",
    model=Health,
    complete=complete,
    resources=resources,
    launch=launch,
    title=lambda _options: "health",
    heading=lambda _options: "Health check",
    files=files,
    result=result,
    examples=("/slurm health -p a3m -N 2", "/slurm health alice-a3m-[0-1] -p a3m"),
)
