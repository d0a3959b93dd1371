"""A container image made of a Docker image: a job of one node that runs enroot."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path as LocalPath
from typing import Annotated

from pydantic import AfterValidator

from bot.duration import duration
from bot.image_reference import ImageReference, Reference, image_reference
from bot.model import File, Launch, Resources
from bot.options import (
    AccountOption,
    DryRunOption,
    ExcludeOption,
    Options,
    PartitionOption,
    QosOption,
    TimeOption,
    flag,
    unseen,
    word,
)
from bot.shape import refused, shown
from bot.shapes import Count, Memory, Name, Path
from bot.words import storage
from bot.workload import Need, Site, Texts, Workload

_SCRIPT = LocalPath(__file__).with_name("image_build.sh").read_text(encoding="utf-8")
_FOLDER = "~/.sbatchat/images"
_SUFFIX = ".sqsh"
_WHOLE = re.compile(r"^image build: whole, (?P<bytes>\d+) bytes, (?P<path>/.+)$", re.MULTILINE)
USUAL_TIME = "02:00:00"
"""A large image takes less than an hour."""


def _named(name: str) -> str:
    if name.removesuffix(_SUFFIX).strip(".") and not name.startswith("."):
        return name
    raise refused(f"{shown(name)} is not possible as an image's name", "Such as `nemo-25.07`")


class ImageBuild(Options):
    """One image to make."""

    reference: Annotated[
        Reference, word("REF", help="the Docker image: `REGISTRY/NAME:TAG`, `docker://…`")
    ]
    name: Annotated[
        Annotated[Name, AfterValidator(_named)] | None,
        flag("--name", metavar="NAME", help="what the image file is called"),
    ] = None
    partition: PartitionOption = None
    cpus_per_task: Annotated[
        Count | None,
        flag("-c", "--cpus-per-task", metavar="N", help="cores; half of them pack the image"),
    ] = None
    mem: Annotated[Memory | None, flag("--mem", metavar="SIZE", help="memory of the node")] = None
    account: AccountOption = None
    qos: QosOption = None
    time: TimeOption = None
    exclude: ExcludeOption = None
    dry_run: DryRunOption = False
    target: Annotated[Path | None, unseen()] = None
    """Where the image will lie, once the cluster's folders are known."""


def complete(options: ImageBuild, site: Site) -> ImageBuild:
    """Write in the site's defaults, and the image's absolute path."""
    name = options.name or _reference(options).file
    name = name if name.endswith(_SUFFIX) else f"{name}{_SUFFIX}"
    folder = site.path(site.images or site.nemo_dir)
    return options.model_copy(
        update={
            "name": name,
            "target": site.path(name, folder) if folder.startswith("/") else None,
            "partition": options.partition or site.partition or None,
            "account": options.account or site.account or None,
            "time": options.time or USUAL_TIME,
        }
    )


def _reference(options: ImageBuild) -> ImageReference:
    return image_reference(options.reference)


def resources(options: ImageBuild, _script: str = "") -> Resources:
    """Return what it takes: a part of one node, no GPU."""
    limit = duration(options.time or USUAL_TIME)
    return Resources(partition=options.partition or "", nodes=1, gpus_per_node=0, time=limit)


def launch(options: ImageBuild, site: Site) -> Launch:
    """Return the call of `sbatch`; builds of the same image wait for one another."""
    run = complete(options, site)
    pairs = (
        ("--job-name", f"image-{run.name}"),
        ("--dependency", "singleton"),
        ("--nodes", "1"),
        ("--ntasks", "1"),
        ("--cpus-per-task", run.cpus_per_task),
        ("--mem", run.mem),
        ("--partition", run.partition),
        ("--account", run.account),
        ("--qos", run.qos),
        ("--time", run.time),
        ("--exclude", run.exclude),
        ("--output", site.path(f"{_FOLDER}/slurm-%j.out")),
    )
    flags = (f"{name}={value}" for name, value in pairs if value)
    reference = _reference(run)
    argv = (
        "sbatch",
        *flags,
        _script(site),
        reference.uri,
        run.target or run.name or "",
        reference.registry,
    )
    return Launch(argv=argv, cwd=site.path("~"))


def _script(site: Site) -> str:
    return site.path(f"{_FOLDER}/build.sh")


def files(_options: ImageBuild, site: Site, _texts: Texts) -> tuple[File, ...]:
    """Return the script."""
    return (File(path=_script(site), text=_SCRIPT),)


def needs(options: ImageBuild, site: Site) -> tuple[Need, ...]:
    """Name the place of the image."""
    run = complete(options, site)
    return (Need(field="target", path=run.target, kind="place"),) if run.target else ()


def notes(options: ImageBuild) -> tuple[str, ...]:
    """Say where the image will lie, and whose credentials are used."""
    registry = _reference(options).registry
    return (
        f"The image is {options.target}; one of that name stays until the new one is whole.",
        f"The registry is {registry}; the cluster's own credentials for it are used.",
    )


def result(_options: ImageBuild, log: str) -> str:
    """Say where the image lies and how to use it."""
    made = list(_WHOLE.finditer(log))
    if not made:
        return ""
    path, whole = made[-1]["path"], int(made[-1]["bytes"])
    use = f"/nemo run RECIPE -i {posixpath.basename(path)}"
    return f"`{path}`, {storage(whole)}. Use it with `{use}`."


def _title(options: ImageBuild) -> str:
    return options.name or _reference(options).file


IMAGE_BUILD = Workload(
    name="nemo image build",
    summary="Make a container image of a Docker image, in a job of one node",
    model=ImageBuild,
    complete=complete,
    resources=resources,
    launch=launch,
    title=_title,
    heading=lambda options: f"Build {_title(options)}",
    needs=needs,
    files=files,
    notes=notes,
    result=result,
    examples=(
        "/nemo image build us-docker.pkg.dev/my-project/images/nemo:25.07",
        "/nemo image build nvcr.io/nvidia/nemo:25.07 --name nemo-25.07 -p a3m",
    ),
)
