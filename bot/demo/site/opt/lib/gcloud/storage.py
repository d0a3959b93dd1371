"""`gcloud storage`: lists and copies objects from a local folder of buckets, in pieces."""

from __future__ import annotations

import os
import sys
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import sdk

_PIECE = 256 << 10
_PART = "_.gstmp"
"""gcloud downloads to a file beside the wished one, which it renames at the end."""


def ls(words: Sequence[str], options: Mapping[str, str]) -> int:
    """`storage ls [-l] URL…`."""
    for url in words:
        found = list(_matching(url))
        if not found:
            raise sdk.Failed(f"One or more URLs matched no objects.\n-{url}")
        total = 0
        for name, path in found:
            size = path.stat().st_size if path.is_file() else 0
            total += size
            if path.is_dir():
                print(f"{name}/")
            elif "-l" in options or "--long" in options:
                changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
                print(f"{size:>12}  {changed:%Y-%m-%dT%H:%M:%SZ}  {name}")
            else:
                print(name)
        if "-l" in options or "--long" in options:
            print(f"TOTAL: {len(found)} objects, {total} bytes ({total / (1 << 20):.2f}MiB)")
    return 0


def cp(words: Sequence[str], options: Mapping[str, str]) -> int:
    """`storage cp SRC… DST`, from buckets to files."""
    del options
    if len(words) < 2:  # noqa: PLR2004 - a source and a destination
        raise sdk.Failed("argument [SOURCE ...] DESTINATION: Must be specified.")
    *sources, destination = words
    target = Path(destination)
    for url in sources:
        found = [(name, path) for name, path in _matching(url) if path.is_file()]
        if not found:
            raise sdk.Failed(f"The following URLs matched no objects or files:\n-{url}")
        for name, path in found:
            _copy(name, path, target / path.name if target.is_dir() else target)
    return 0


def _matching(url: str) -> Iterator[tuple[str, Path]]:
    """Names and places of what a URL means; raises what Cloud Storage would say no to."""
    if not url.startswith("gs://"):
        raise sdk.Failed(f"Invalid URL: {url}. Copies from here are from `gs://` alone.")
    account, site = sdk.account(), sdk.site()
    sdk.access_token()  # a credential that was revoked is noticed here
    bucket, _, name = url.removeprefix("gs://").rstrip("/").partition("/")
    if bucket in site["perimeter"]:
        raise sdk.Failed(
            "HTTPError 403: Request is prohibited by organization's policy. "
            f"vpcServiceControlsUniqueIdentifier: {uuid.uuid4().hex}"
        )
    folder = Path(site["buckets"]) / bucket
    if not folder.is_dir():
        raise sdk.Failed(f"gs://{bucket} not found: 404.")
    if f"gs://{bucket}/{name}" in site["forbidden"]:
        raise sdk.Failed(
            f"[{account}] does not have permission to access b instance [{bucket}] (or it "
            f"may not exist): {account} does not have storage.objects.get access to the Google "
            "Cloud Storage object. Permission 'storage.objects.get' denied on resource (or it may "
            "not exist)."
        )
    place = folder / name
    if name and place.is_file():
        yield url, place
    elif place.is_dir():
        for path in sorted(place.iterdir()):
            yield f"{url.rstrip('/')}/{path.name}", path


def _copy(name: str, source: Path, target: Path) -> None:
    rate = float(os.environ.get("SITE_COPY_RATE") or sdk.site()["rate"])  # bytes per second
    whole, done, start = source.stat().st_size, 0, time.monotonic()
    print(f"Copying {name} to file://{target}", file=sys.stderr)
    part = target.with_name(target.name + _PART)
    try:
        with source.open("rb") as reader, part.open("wb") as writer:
            while piece := reader.read(_PIECE):
                writer.write(piece)
                writer.flush()
                done += len(piece)
                _show(done, whole)
                time.sleep(max(0.0, done / rate - (time.monotonic() - start)))
        part.replace(target)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise sdk.Failed(
            f"[Errno {error.errno}] {error.strerror}: '{error.filename or part}'"
        ) from None
    took = max(time.monotonic() - start, 0.001)
    print(f"\n\nAverage throughput: {whole / (1 << 20) / took:.1f}MiB/s", file=sys.stderr)


def _show(done: int, whole: int) -> None:
    if sys.stderr.isatty():
        sizes = f"{done / (1 << 20):.1f}MiB/{whole / (1 << 20):.1f}MiB"
        print(f"\r  Completed files {int(done == whole)}/1 | {sizes}", end="", file=sys.stderr)
    elif done % (1 << 20) == 0:
        print(end=".", file=sys.stderr, flush=True)
