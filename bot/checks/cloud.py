"""Where prebuilt images come from: Google Cloud's account, and the mounted buckets."""

from __future__ import annotations

import posixpath
from collections.abc import Callable

from bot.check import Check
from bot.cluster.survey import Survey
from bot.cluster_settings import ClusterSettings

REGIONS = ("us", "europe", "asia")
"""Those whose buckets hold images; a region's name begins with one of them."""


def wanted(settings: ClusterSettings) -> bool:
    """Whether images from buckets are configured."""
    return "images" in settings.model_fields_set


def objects(settings: ClusterSettings) -> tuple[str, ...]:
    """Return the mounted objects to look at: NeMo's and NeMo-RL's, in each region that may be."""
    images = settings.images
    regions = [region for region in REGIONS if images.region.startswith(region)] or REGIONS
    buckets = [images.buckets.replace("{region}", region) for region in regions]
    names = [image.replace("{region}", regions[0]) for image in (images.nemo, images.nemo_rl)]
    return tuple(posixpath.join(images.mount, b, name) for b in buckets for name in names)


def _account(name: str, settings: ClusterSettings, seen: Survey) -> tuple[Check, ...]:
    if not wanted(settings):
        return ()
    title, told = f"{name}: gcloud", seen["account"]
    if told.worked and told.text.strip():
        return (Check(title, ok=True, detail=f"{told.text.strip()} is the active account"),)
    if told.worked:
        fix = "Type `gcloud auth login` in a terminal on the login node."
        return (Check(title, ok=False, detail="no account is logged in", fix=fix),)
    mounted = _readable(settings, seen)
    if mounted and "not found" in told.text:
        return (Check(title, ok=True, detail="not installed; images come from the mounted bucket"),)
    said = (told.text.splitlines() or ["no answer"])[-1]
    fix = "Install the Google Cloud CLI on the login node, or name its folder under `path`."
    return (Check(title, ok=False, detail=said, fix=fix),)


def _mount(name: str, settings: ClusterSettings, seen: Survey) -> tuple[Check, ...]:
    if not wanted(settings):
        return ()
    title, readable = f"{name}: buckets", _readable(settings, seen)
    if readable:
        return (Check(title, ok=True, detail=f"{', '.join(readable)} can be read"),)
    fix = (
        f"See that the login node mounts buckets at {settings.images.mount} and that its service "
        f"account may read them, or set clusters.{name}.images; with gcloud images come all the "
        "same."
    )
    where = objects(settings)[0]
    return (Check(title, ok=False, detail=f"{where} cannot be read", fix=fix),)


def _readable(settings: ClusterSettings, seen: Survey) -> list[str]:
    paths = enumerate(objects(settings))
    return [path for number, path in paths if seen[f"object-{number}"].worked]


Look = Callable[[str, ClusterSettings, Survey], tuple[Check, ...]]
CHECKS: tuple[Look, ...] = (_account, _mount)
