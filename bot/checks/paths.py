"""Where a launch would find its image, and how an image that is not whole is told."""

from __future__ import annotations

import posixpath

from bot.check import Check
from bot.cluster.survey import Told
from bot.cluster_settings import ClusterSettings
from bot.words import storage


def image(settings: ClusterSettings) -> str:
    """Return the default image's path, as `/nemo run` would find it; empty without one."""
    nemo = settings.nemo
    if not nemo.image or nemo.image.startswith(("/", "~", "$HOME")):
        return nemo.image
    loose = nemo.images and "/" not in nemo.image
    return posixpath.join(nemo.images if loose else nemo.dir, nemo.image)


def image_check(title: str, path: str, told: Told, pull: str) -> Check:
    """Say whether an image is whole; `pull` is the command that brings it."""
    if told.worked:
        size = int(told.text.split()[0])
        return Check(title, ok=True, detail=f"{path}, whole, {storage(size)}")
    said = told.text.split()[:1]
    detail = {
        "missing": "is not there",
        "part": "is still being copied, or its copy was cut short",
        "closed": "may not be read by the login account",
        "strange": "is no squashfs image",
    }.get(said[0] if said else "missing", "is shorter than its head tells: a copy was cut short")
    return Check(title, ok=False, detail=f"{path} {detail}", fix=f"Bring it with `{pull}`.")
