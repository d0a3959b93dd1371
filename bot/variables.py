"""The environment variables that a launch may set, as people type them: `WANDB_MODE=offline`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

from pydantic import BeforeValidator

from bot.shape import refused, shown
from bot.suggest import did_you_mean

NAMES = (
    "CUDA_DEVICE_MAX_CONNECTIONS",
    "CUDA_LAUNCH_BLOCKING",
    "HF_DATASETS_OFFLINE",
    "HF_HUB_DOWNLOAD_TIMEOUT",
    "HF_HUB_OFFLINE",
    "MASTER_PORT",
    "MKL_NUM_THREADS",
    "NCCL_DEBUG",
    "NCCL_DEBUG_SUBSYS",
    "NCCL_IB_DISABLE",
    "NCCL_P2P_DISABLE",
    "NCCL_SOCKET_IFNAME",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "PYTHONFAULTHANDLER",
    "PYTORCH_CUDA_ALLOC_CONF",
    "TOKENIZERS_PARALLELISM",
    "TORCH_DISTRIBUTED_DEBUG",
    "TORCH_NCCL_TRACE_BUFFER_SIZE",
    "TRANSFORMERS_OFFLINE",
    "WANDB_MODE",
)
"""Those that change how a job runs, and can neither name a program nor hold a secret."""
_VALUE = re.compile(r"[A-Za-z0-9_.,:=+-]{1,100}")


def _variable(value: object) -> str:
    name, equals, held = str(value).partition("=")
    if name not in NAMES:
        hint = did_you_mean(name, NAMES) or f"Possible are {', '.join(NAMES)}"
        raise refused(f"{shown(name)} is no variable that can be set from here", hint)
    if not equals or not _VALUE.fullmatch(held):
        raise refused(f"{shown(value)} is not a variable", f"Such as `{name}=1`")
    return f"{name}={held}"


Variable = Annotated[str, BeforeValidator(_variable)]


def pairs(variables: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return the names and values of `A=1`, `B=2`; the last of a name counts."""
    found = dict(one.split("=", 1) for one in variables)
    return tuple(found.items())


def merged(settings: Sequence[str], changes: Sequence[str]) -> tuple[str, ...]:
    """Return settings `KEY=VALUE` with others in the place of those of the same key."""
    new = {_key(one) for one in changes}
    return (*(one for one in settings if _key(one) not in new), *changes)


def _key(setting: str) -> str:
    return setting.partition("=")[0].lstrip("+")
