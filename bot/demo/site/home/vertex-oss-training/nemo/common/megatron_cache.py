"""The GPT-2 tokenizer's two files, kept below the cache folder where Megatron looks for them."""

from __future__ import annotations

import os
import shutil
import tempfile
import urllib.request
from contextlib import chdir
from pathlib import Path

from common.log import LOG

_SOURCE = "https://s3.amazonaws.com/models.huggingface.co/bert"
_FILES = {
    "gpt2-vocab.json": "megatron-gpt-345m_vocab",
    "gpt2-merges.txt": "megatron-gpt-345m_merges",
}
_SCRATCH = Path("/dev/shm")  # fast and local to the node; another file system than the cache


def tokenizer_files(cache: Path, *, downloads: Path | None = None) -> tuple[Path, Path]:
    """Vocabulary and merges below *cache*, downloaded when they are missing.

    With *downloads*, what was downloaded before is taken from there. Without, every attempt
    downloads to the node's scratch.
    """
    folder = cache / "torch" / "megatron"
    folder.mkdir(parents=True, exist_ok=True)
    missing = {name: folder / kept for name, kept in _FILES.items() if not (folder / kept).exists()}
    if missing and downloads is not None and all((downloads / name).exists() for name in missing):
        LOG.info("Found %s in %s", ", ".join(missing), downloads)
        _move(missing, downloads)
    elif missing:
        with tempfile.TemporaryDirectory(dir=_SCRATCH) as scratch:
            _download(missing, Path(scratch))
            if downloads is not None:
                shutil.copytree(scratch, downloads, dirs_exist_ok=True)
            _move(missing, Path(scratch))
    vocabulary, merges = (folder / kept for kept in _FILES.values())
    return vocabulary, merges


def _download(missing: dict[str, Path], folder: Path) -> None:
    source = os.environ.get("GPT2_TOKENIZER_URL", _SOURCE)
    for name in missing:
        LOG.info("Downloading %s/%s", source, name)
        url = f"{source}/{name}"
        with urllib.request.urlopen(url) as answer:  # noqa: S310 - the operator chose the source
            (folder / name).write_bytes(answer.read())


def _move(files: dict[str, Path], folder: Path) -> None:
    with chdir(folder):
        for name, kept in files.items():
            Path(name).rename(kept)
