"""Container images as the cluster's site hands them out: whole, cut short, and kept from people."""

from __future__ import annotations

import random
import struct
from pathlib import Path

REGIONS = ("us", "europe", "asia")
NEMO = "vmds_nemo_squashfs/nemo-20250721.sqsh"
NEMO_RL = "vmds_nemo_rl_squashfs/nemo_rl-h20260302.sqsh"
TRUNCATED = "vmds_nemo_squashfs/nemo-truncated.sqsh"
FORBIDDEN = "vmds_nemo_squashfs/nemo-internal.sqsh"
PERIMETER = "vmds-containers-restricted"
"""A bucket behind a service perimeter."""
_SIZE = 24 << 20
_SUPERBLOCK = 96


def bucket(region: str) -> str:
    """Return the name of a region's bucket."""
    return f"vmds-containers-{region}"


def forbidden() -> list[str]:
    """Return the objects that exist and may not be read."""
    return [f"gs://{bucket(region)}/{FORBIDDEN}" for region in REGIONS]


def image(seed: str, size: int = _SIZE) -> bytes:
    """Return bytes that begin as a squashfs 4.0 of that size does; this cluster opens no images."""
    head = struct.pack("<4sIIIIHHHHHH", b"hsqs", 1, 1_750_000_000, 131072, 0, 1, 17, 0, 1, 4, 0)
    tables = struct.pack("<8Q", 0, size, *(6 * [size - 1]))
    noise = random.Random(seed).randbytes(size - _SUPERBLOCK)  # noqa: S311 - content, not a secret
    return head + tables + noise


def fill(folder: Path) -> None:
    """Make the buckets; regions share their files. The folder itself cannot be listed."""
    first = folder / bucket(REGIONS[0])
    for name in (NEMO, NEMO_RL):
        _write(first / name, image(name))
    _write(first / TRUNCATED, image(NEMO)[: _SIZE // 3])
    _write(first / FORBIDDEN, image(FORBIDDEN, 1 << 20))
    (first / FORBIDDEN).chmod(0)
    for region in REGIONS[1:]:
        for name in (NEMO, NEMO_RL, TRUNCATED, FORBIDDEN):
            link = folder / bucket(region) / name
            link.parent.mkdir(parents=True, exist_ok=True)
            link.hardlink_to(first / name)
    (folder / PERIMETER).mkdir()
    folder.chmod(0o711)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
