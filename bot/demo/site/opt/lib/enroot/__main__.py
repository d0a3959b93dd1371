"""`enroot import`: fetch a Docker image from its registry, write it as one squashfs-like file."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path

import image
import squash
from image import Failed

_USAGE = "Usage: enroot import [options] [--] [URI]\n\n Options:\n   -o, --output   Output file"
_REFERENCE = re.compile(
    r"docker://(?:(?P<user>[\w.!~*'();:&=+$,/?-]+)@)?(?:(?P<host>[^#]+)#)?"
    r"(?P<name>[a-z0-9/._-]+)(?::(?P<tag>[A-Za-z0-9._:-]+))?"
)
_HUB = "registry-1.docker.io"


def main(words: list[str]) -> int:
    """Do it, or say why not as enroot does."""
    if words[:1] == ["version"]:
        print("3.4.1")
        return 0
    output, uri = _arguments(words)
    if words[:1] != ["import"] or not uri:
        print(_USAGE, file=sys.stderr)
        return 1
    try:
        _import(uri, output)
    except Failed as error:
        if str(error):
            print(f"[ERROR] {error}", file=sys.stderr)
        return 1
    return 0


def _arguments(words: list[str]) -> tuple[str, str]:
    output, uri, rest = "", "", words[1:]
    while rest:
        part = rest.pop(0)
        if part in {"-o", "--output"}:
            output = rest.pop(0) if rest else ""
        elif part != "--":
            uri = part
    return output, uri


def _import(uri: str, output: str) -> None:
    found = _REFERENCE.fullmatch(uri)
    if found is None:
        raise Failed(f"Invalid image reference: {uri}")
    host, name, reference = found["host"] or "", found["name"], found["tag"] or "latest"
    user = found["user"] or ""
    folder, _, below = name.partition("/")
    # Without `#` a registry is recognised only when there are credentials for it.
    if not host and not user and below and (user := image.user_of(folder)):
        host, name = folder, below
    host, user = host or _HUB, user or image.user_of(host)
    if host == _HUB and "/" not in name:
        name = f"library/{name}"
    target = Path(output or f"{name.replace('/', '+')}+{reference}.sqsh")
    if target.exists():
        raise Failed(f"File already exists: {target.absolute()}")
    if not os.access(target.absolute().parent, os.W_OK):
        raise Failed(f"No such file or directory: {target.absolute().parent}")
    with tempfile.TemporaryDirectory(
        prefix="enroot.", dir=os.environ.get("ENROOT_TEMP_PATH")
    ) as work:
        layers = image.fetch(host, user, f"{name}:{reference}", Path(work))
        squash.write(layers, target.absolute())


sys.exit(main(sys.argv[1:]))
