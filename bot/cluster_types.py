"""Cluster types: what the launchers call the machines of a partition, and their GPUs."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BeforeValidator

from bot.shape import refused, shown

GPUS_PER_NODE = {"hcc-a3m": 8, "hcc-a3u": 8, "hcc-a4": 8, "hcc-a3h": 8}

_SPELLINGS = {
    "a3m": "hcc-a3m",
    "a3mega": "hcc-a3m",
    "a3megagpu8g": "hcc-a3m",
    "a3u": "hcc-a3u",
    "a3ultra": "hcc-a3u",
    "a3ultragpu8g": "hcc-a3u",
    "a4": "hcc-a4",
    "a4high": "hcc-a4",
    "a4highgpu8g": "hcc-a4",
    "a3h": "hcc-a3h",
    "a3high": "hcc-a3h",
    "a3highgpu8g": "hcc-a3h",
}


def cluster_type(text: str) -> str:
    """Return what `a3m`, `A3-Mega` or `hcc_a3m` means, `hcc-a3m`; empty when it is no type."""
    letters = re.sub(r"[^a-z0-9]", "", text.lower()).removeprefix("hcc")
    return _SPELLINGS.get(letters, "")


def _cluster_type(value: object) -> str:
    found = cluster_type(str(value))
    if not found:
        raise refused(
            f"{shown(value)} is not a known cluster type", f"One of {', '.join(GPUS_PER_NODE)}"
        )
    return found


ClusterType = Annotated[str, BeforeValidator(_cluster_type)]
