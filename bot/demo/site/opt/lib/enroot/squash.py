"""One file made of layers: squashfs's superblock, which tells its length, before packed content."""

from __future__ import annotations

import gzip
import struct
import sys
import time
import zlib
from pathlib import Path

from image import Failed, say

_BLOCK = 128 << 10
_PAGE = 4096


def write(layers: list[Path], target: Path) -> None:
    """Write the file; what a full disk left of it stays, as mksquashfs leaves it."""
    say("Extracting image layers...")
    content = b"".join(gzip.decompress(layer.read_bytes()) for layer in layers)
    say("Converting whiteouts...")
    say("Creating squashfs filesystem...")
    print(f"Creating 4.0 filesystem on {target}, block size {_BLOCK}.", file=sys.stderr, flush=True)
    packer = zlib.compressobj(1)
    size = 96
    try:
        with target.open("xb") as file:
            file.write(bytes(96))
            for at in range(0, len(content), _BLOCK):
                size += file.write(packer.compress(content[at : at + _BLOCK]))
                file.flush()
                time.sleep(0.01)  # as long as it takes to see it grow
            size += file.write(packer.flush())
            file.write(bytes(-size % _PAGE))
            file.seek(0)
            file.write(superblock(size))
    except OSError as error:
        print(f"Write failed because {error.strerror}", file=sys.stderr)
        print("FATAL ERROR:Failed to write to output filesystem", file=sys.stderr)
        raise Failed("") from None
    print(
        f"Filesystem size {size / 1024:.2f} Kbytes ({size / (1 << 20):.2f} Mbytes)", file=sys.stderr
    )


def superblock(size: int) -> bytes:
    """The first 96 bytes of a squashfs 4.0 that is `size` bytes long (little-endian)."""
    head = struct.pack("<4sIIIIHHHHHH", b"hsqs", 1, int(time.time()), _BLOCK, 0, 1, 17, 0, 1, 4, 0)
    return head + struct.pack("<8Q", 0, size, *(6 * [size - 1]))
