"""What every launch through NeMo-RL's `launch.sh` has in common.

Scheduler options stand before the script: behind it they would be the script's own. How the script
spells its options is read from its text on the cluster, since the documentation spells them both
ways.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Annotated, TypeVar

from bot.cluster_types import GPUS_PER_NODE
from bot.directives import directives
from bot.duration import duration
from bot.errors import FieldError
from bot.model import Launch, Resources, Value
from bot.options import (
    AccountOption,
    AfterOption,
    ClusterTypeOption,
    DryRunOption,
    EnvOption,
    ExcludeOption,
    Options,
    PartitionOption,
    QosOption,
    TimeOption,
    flag,
    unseen,
)
from bot.shapes import Name, Nodes
from bot.variables import pairs
from bot.words import listed
from bot.workload import Fitted, Found, Need, Site

LAUNCHER = "launcher"
"""The field of the need that is the launcher's text."""

_OPTIONS = ("cluster_type", "job_script", "interactive")
_COMMENT = re.compile(r"(?m)^[ \t]*#.*$")
_PARSES = re.compile(r"(?m)^\s*--[a-z][\w-]*(?:=\*)?\s*[|)]|\bgetopt\b")
_LONG = re.compile(r"(?<![\w-])--[a-z][\w-]*")


class Habits(Value):
    """How a launcher wants to be called, as its text shows."""

    cluster_type: str = "--cluster_type"
    job_script: str = "--job_script"
    interactive: str = "--interactive"
    singleton: bool = False
    """Whether its header lets one job of a name and user run at a time."""
    takes_args: bool = False
    """Whether what stands behind `--` goes on to the training."""


class RlJob(Options):
    """What both kinds of NeMo-RL job take."""

    nodes: Annotated[Nodes, flag("-N", "-n", "--nodes", metavar="NODES", help="how many nodes")] = 1
    partition: PartitionOption = None
    cluster_type: ClusterTypeOption = None
    job_name: Annotated[
        Name | None, flag("-J", "--job-name", "--name", metavar="NAME", help="the job's name")
    ] = None
    time: TimeOption = None
    account: AccountOption = None
    qos: QosOption = None
    after: AfterOption = ()
    exclude: ExcludeOption = None
    env: EnvOption = ()
    dry_run: DryRunOption = False
    habits: Annotated[Habits, unseen()] = Habits()


J = TypeVar("J", bound=RlJob)


def complete(options: J, site: Site) -> J:
    """Write in the site's partition, its cluster type, and the account."""
    partition = options.partition or site.partition or None
    return options.model_copy(
        update={
            "partition": partition,
            "cluster_type": options.cluster_type or site.cluster_type(partition),
            "account": options.account or site.account or None,
        }
    )


def folder(site: Site) -> str:
    """Return the launcher's folder; the job's own folder is made in it."""
    return site.path(site.nemo_rl_dir)


def resources(options: RlJob, script: str = "") -> Resources:
    """Return what a job takes: whole nodes; the time from the launcher's header if need be."""
    written = directives(script)
    time = options.time or written.get("time", "")
    return Resources(
        partition=options.partition or "",
        nodes=options.nodes,
        gpus_per_node=GPUS_PER_NODE.get(options.cluster_type or ""),
        time=duration(time) if time else None,
        exclude=options.exclude or written.get("exclude", ""),
    )


def launch(options: RlJob, site: Site, own: tuple[str, ...]) -> Launch:
    """Return the documented call of `sbatch`; `own` are the launcher's further words."""
    typed = (options.habits.cluster_type, options.cluster_type) if options.cluster_type else ()
    argv = ("sbatch", *_scheduler_options(options), site.nemo_rl_launcher, *typed, *own)
    place = folder(site)
    return Launch(
        argv=argv,
        cwd=place,
        env=pairs(options.env),
        secrets=True,
        auth=posixpath.join(place, "configs/auth.sh"),
    )


def _scheduler_options(run: RlJob) -> tuple[str, ...]:
    waits = f"afterok:{':'.join(run.after)}" if run.after else None
    if waits and run.habits.singleton:  # an option on the command line replaces the header's
        waits += ",singleton"
    pairs = (
        ("--partition", run.partition),
        ("--account", run.account),
        ("--qos", run.qos),
        ("--time", run.time),
        ("--job-name", run.job_name),
        ("--dependency", waits),
        ("--exclude", run.exclude),
    )
    return ("-N", str(run.nodes), *(f"{name}={value}" for name, value in pairs if value))


def needs(site: Site) -> tuple[Need, ...]:
    """Name what every launch reads: the folder, the launcher and an image."""
    where = folder(site)
    image = Need(
        field="image",
        path=site.path(site.nemo_rl_image, where) or where,
        kind="file" if site.nemo_rl_image else "some",
        among=where,
        suffix=".sqsh",
        hint="`/nemo image pull nemo-rl` copies it there",
    )
    return (
        Need(field="folder", path=where, kind="folder", hint="`/nemo-rl setup` fetches it"),
        Need(
            field=LAUNCHER,
            path=posixpath.join(where, site.nemo_rl_launcher),
            kind="file",
            read=True,
            hint="`/nemo-rl setup` fetches it",
        ),
        image,
    )


def fit(options: J, found: Found, *needed: str) -> Fitted[J]:
    """Return the options fitted to the launcher's text.

    `needed` are names of further options that it must have.
    """
    text = found.texts.get(LAUNCHER, "")
    errors = (*_typeless(options), *lacking(text, "cluster_type", *needed))
    return Fitted(options.model_copy(update={"habits": habits(text)}), errors)


def _typeless(options: RlJob) -> Iterator[FieldError]:
    """Yield an error when nothing tells the cluster type."""
    if options.cluster_type is None:
        types = listed([f"`{name}`" for name in GPUS_PER_NODE], "or")
        problem = f"Which cluster type is partition `{options.partition}`?"
        yield FieldError("cluster_type", problem, f"Add `--cluster_type` {types}")


def habits(text: str) -> Habits:
    """Read a launcher's habits from its text."""
    code = _COMMENT.sub("", text)
    spelled = {name: flag for name in _OPTIONS if (flag := _spelling(code, name))}
    return Habits(
        **spelled,
        singleton="singleton" in directives(text).get("dependency", ""),
        takes_args=re.search(r"(?m)^\s*(?:\*\|)?--\)", code) is not None,
    )


def lacking(text: str, *needed: str) -> tuple[FieldError, ...]:
    """Say which of the options a launcher lacks."""
    code = _COMMENT.sub("", text)
    # Without options of its own it may hand all of them on to another program.
    if not _PARSES.search(code):
        return ()
    return tuple(_lacks(name, code) for name in needed if not _spelling(code, name))


def _lacks(name: str, code: str) -> FieldError:
    there = listed([f"`{flag}`" for flag in dict.fromkeys(_LONG.findall(code))][:8])
    hint = f"It knows {there}" if there else "It names no options"
    return FieldError(name, f"The launcher on the cluster has no option `--{name}`", hint)


def _spelling(code: str, name: str) -> str:
    """Return the option as a launcher's code takes it, `--cluster_type`; empty when it does not."""
    spellings = dict.fromkeys((name, name.replace("_", "-")))
    for pattern in (
        r"--{name}(?:=\*)?[\"']?\s*[|)]",  # a branch of `case`
        r"(?<![\w-]){name}::?(?=[,\s\"'])",  # a word of getopt
        r"(?<![\w-])--{name}(?![\w-])",
    ):
        for spelling in spellings:
            if re.search(pattern.format(name=re.escape(spelling)), code):
                return f"--{spelling}"
    return ""
