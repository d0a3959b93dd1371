"""What each kind of errand makes, from what was typed and what is configured."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bot.errand import Errand
from bot.errors import FieldError, InputRefused
from bot.grammar.commands import BY_NAME
from bot.grammar.errands import PREBUILT
from bot.login_node import LoginNode
from bot.model import Act
from bot.options import Options
from bot.ports import Output, Query
from bot.words import listed
from bot.workload import Site


@dataclass(frozen=True)
class Work:
    """What an errand's script makes and is given."""

    target: str
    args: tuple[str, ...]
    title: str
    hint: str


async def plan(
    act: Act, node: LoginNode, kind: str, options: Options, *, errand_id: str, typed: str
) -> Errand:
    """Return the errand that was wished; raises InputRefused for what cannot be."""
    work = await PLANS[kind](node, options)
    return Errand(
        id=errand_id,
        cluster=node.name,
        kind=kind,
        target=work.target,
        args=work.args,
        options=options.model_dump(mode="json", exclude_unset=True),
        typed=typed,
        caller=act.caller,
        created=datetime.now(UTC),
        title=work.title,
        hint=work.hint,
    )


def options_of(errand: Errand) -> Options:
    """Return the options an errand was made of."""
    return BY_NAME[errand.kind].model.model_validate(errand.options)


# Images


async def _pull(node: LoginNode, options: Any) -> Work:
    images, site = node.settings.images, await node.site()
    mount = images.mount.rstrip("/")
    wished, url, mounted = options.image, "", ""
    if wished in PREBUILT:
        region = options.region or await region_of(node)
        place = images.nemo if wished == "nemo" else images.nemo_rl
        inside = f"{images.buckets}/{place}".replace("{region}", region)
        url, mounted = f"gs://{inside}", site.path(f"{mount}/{inside}")
    elif wished.startswith("gs://"):
        url = wished
    elif wished.startswith(f"{site.path(mount)}/"):
        mounted = wished
    else:
        hint = f"A path below `{mount}`, a `gs://…` URL, `nemo` or `nemo-rl`"
        raise InputRefused((FieldError("image", f"`{wished}` is no place images come from", hint),))
    name = posixpath.basename(url or mounted)
    to = _place(site, options.to or "", wished, name)
    roots = await node.roots()
    if not any(to.startswith(f"{root.rstrip('/')}/") for root in roots):
        hint = f"Use a path below {listed([f'`{root}`' for root in roots], 'or')}"
        problem = f"`{to}` lies outside the folders that may be used"
        raise InputRefused((FieldError("to", problem, hint),))
    return Work(
        target=to,
        args=(url, mounted, to, "\n".join(roots)),
        title=f"Pull {posixpath.basename(to)}",
        hint=_use(site, to, wished),
    )


def _place(site: Site, to: str, wished: str, name: str) -> str:
    """Return where an image goes; left open, a prebuilt one goes where launches look for it."""
    folder, taken = site.path(site.images or site.nemo_dir), ""
    if wished == "nemo":
        taken = site.image and site.image_path(site.image)
    elif wished == "nemo-rl":
        folder = site.path(site.nemo_rl_dir)
        taken = site.path(site.nemo_rl_image, folder)
    path = site.path(to, folder) if to else taken or folder
    return path if path.endswith(".sqsh") else posixpath.join(path, name)


def _use(site: Site, to: str, wished: str) -> str:
    folder = site.path(site.nemo_rl_dir)
    place = site.path(site.nemo_rl_image, folder)
    if to == place or (not place and posixpath.dirname(to) == folder):
        return "Jobs of `/nemo-rl run` take it"
    if wished == "nemo-rl":
        return (
            f"Jobs of `/nemo-rl run` take `{place}`"
            if place
            else f"Jobs of `/nemo-rl run` look in `{folder}`"
        )
    if site.image and to == site.image_path(site.image):
        return "`/nemo run RECIPE` takes it when no image is named"
    name = posixpath.basename(to)
    return f"Use it: `/nemo run RECIPE -i {name if site.image_path(name) == to else to}`"


_ZONE = re.compile(r"\b(us|europe|asia)-[a-z]+[0-9]+(?:-[a-z])?\b")


async def region_of(node: LoginNode) -> str:
    """Return the cluster's `us`, `europe` or `asia`; raises InputRefused when nothing says it."""
    settings = node.settings
    if settings.images.region:
        first = settings.images.region.partition("-")[0]
        if first in {"us", "europe", "asia"}:
            return first
    else:
        named = " ".join((settings.host, *settings.proxy_command))
        found = _ZONE.search(named) or _ZONE.search(await node.run(_full_name()))
        if found:
            return found[1]
    raise InputRefused(
        (
            FieldError(
                "region",
                f"It is not known in which region {node.name} is",
                "Add `--region us`, `--region europe` or `--region asia`",
            ),
        )
    )


def _full_name() -> Query[str]:
    """Ask for the login node's whole name, which holds its zone on Google's machines."""

    def parse(output: Output) -> str:
        return output.stdout

    return Query("hostname -f 2>/dev/null || hostname", parse, name="hostname")


# Setting up


async def _nemo(node: LoginNode, _options: Options) -> Work:
    nemo, site = node.settings.nemo, await node.site()
    venv, folder = site.path(nemo.venv), site.path(nemo.dir)
    chosen = site.path(nemo.python)
    maker = "python3" if chosen.startswith(f"{venv}/") else chosen
    made = posixpath.join(venv, "bin", "python")
    hint = "`/nemo run` uses it from now on"
    if not node.settings.own_python and chosen != made:
        hint = (
            f"`/nemo run` uses `{nemo.python}`, as configured. To use what was made here, put "
            f'`python = "{nemo.venv}/bin/python"` under `[clusters.{node.name}.nemo]`'
        )
    packages = "packages" if nemo.system_packages else ""
    checkout = site.path(nemo.checkout)
    args = (maker, venv, nemo.requirement, nemo.repo, nemo.branch, checkout, folder, packages)
    return Work(
        target=checkout,
        args=(*args, *nemo.pip_options),
        title=f"Set up NeMo on {node.name}",
        hint=hint,
    )


async def _nemo_rl(node: LoginNode, options: Any) -> Work:
    nemo, rl, site = node.settings.nemo, node.settings.nemo_rl, await node.site()
    checkout = site.path(nemo.checkout)
    launcher = posixpath.join(site.path(rl.dir), rl.launcher)
    ref, asked = (options.ref, "asked") if options.ref else (rl.ref or "", "")
    rl_checkout = site.path(rl.checkout)
    return Work(
        target=checkout,
        args=(nemo.repo, nemo.branch, checkout, launcher, rl.repo, ref, rl_checkout, asked),
        title=f"Set up NeMo-RL on {node.name}",
        hint="The image it takes: `/nemo image pull nemo-rl`. Then: `/nemo-rl run dpo -N 2`",
    )


PLANS: Mapping[str, Callable[[LoginNode, Any], Awaitable[Work]]] = {
    "nemo image pull": _pull,
    "nemo setup": _nemo,
    "nemo-rl setup": _nemo_rl,
}
"""By the command that wishes it."""
