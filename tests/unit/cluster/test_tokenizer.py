"""Putting the tokenizer files in place, under this machine's shell and over real HTTP."""

from __future__ import annotations

import http.server
import shutil
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from typing_extensions import override

from bot.cluster.tokenizer import NotPlaced, Placed, Trouble, place_tokenizer
from tests.unit.cluster.local import LocalShell

VOCAB, MERGES = '{"a": 0}\n', "#version: 0.2\na b\n"


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    @override
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A folder with both files."""
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "gpt2-vocab.json").write_text(VOCAB)
    (folder / "gpt2-merges.txt").write_text(MERGES)
    return folder


@pytest.fixture
def url(source: Path) -> Iterator[str]:
    """The same over HTTP."""
    handler = partial(Quiet, directory=str(source))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def shell(tmp_path: Path) -> LocalShell:
    """A login node; its home is the only root."""
    (tmp_path / "home").mkdir()
    return LocalShell(tmp_path / "home")


async def place(shell: LocalShell, source: str, cache: str = "") -> Placed | NotPlaced:
    """Put the files into a cache below the home."""
    cache = cache or f"{shell.home}/cache"
    return await shell.run(place_tokenizer(cache, source, (str(shell.home),)))


def only(shell: LocalShell, programs: Path, **more: str) -> None:
    """Leave nothing in PATH but the plain tools and these."""
    programs.mkdir()
    plain = {name: shutil.which(name) for name in ("mkdir", "mv", "rm", "stat", "head", "tail")}
    for name, real in {**plain, "readlink": shutil.which("readlink"), **more}.items():
        (programs / name).write_text(f'#!/bin/sh\nexec {real} "$@"\n')
        (programs / name).chmod(0o755)
    shell.env["PATH"] = str(programs)


def files(shell: LocalShell) -> dict[str, str]:
    """What lies in the cache."""
    folder = shell.home / "cache" / "torch" / "megatron"
    return {path.name: path.read_text() for path in sorted(folder.iterdir())}


PLACED = {"megatron-gpt-345m_merges": MERGES, "megatron-gpt-345m_vocab": VOCAB}


@pytest.mark.parametrize("tool", ["curl", "wget", "python3"])
async def test_downloads_with_what_the_login_node_has(
    shell: LocalShell, url: str, tmp_path: Path, tool: str
) -> None:
    """curl, wget or python3."""
    real = sys.executable if tool == "python3" else shutil.which(tool)
    if real is None:
        pytest.skip(f"{tool} is not installed")
    only(shell, tmp_path / "programs", **{tool: real})
    found = await place(shell, url)
    folder = f"{shell.home}/cache/torch/megatron"
    assert found == Placed(folder, (len(VOCAB), len(MERGES)), 2)
    assert files(shell) == PLACED


async def test_copies_from_a_folder(shell: LocalShell, source: Path) -> None:
    """Where the cluster has no way out."""
    found = await place(shell, f"{source}/")
    assert isinstance(found, Placed)
    assert files(shell) == PLACED


async def test_what_is_there_stays(shell: LocalShell, source: Path) -> None:
    """A second time nothing is fetched, even when the source is gone."""
    await place(shell, str(source))
    shutil.rmtree(source)
    found = await place(shell, str(source))
    assert isinstance(found, Placed)
    assert found.fetched == 0


@pytest.mark.parametrize("broken", ["", '{"a": ', "<html>"])
async def test_what_is_broken_is_replaced(shell: LocalShell, source: Path, broken: str) -> None:
    """An empty or cut vocabulary, left by a download that failed."""
    folder = shell.home / "cache" / "torch" / "megatron"
    folder.mkdir(parents=True)
    (folder / "megatron-gpt-345m_vocab").write_text(broken)
    found = await place(shell, str(source))
    assert isinstance(found, Placed)
    assert found.fetched == 2
    assert files(shell) == PLACED


async def test_an_error_page_is_no_vocabulary(shell: LocalShell, source: Path) -> None:
    """Nothing is put in place, and nothing is left over."""
    (source / "gpt2-vocab.json").write_text("<html>Sign in</html>")
    found = await place(shell, str(source))
    assert found == NotPlaced(Trouble.CONTENT, f"{source}/gpt2-vocab.json")
    assert files(shell) == {}


async def test_a_source_without_the_file(shell: LocalShell, url: str, source: Path) -> None:
    """The address that failed is named."""
    (source / "gpt2-merges.txt").unlink()
    found = await place(shell, url)
    assert isinstance(found, NotPlaced)
    assert found.why is Trouble.SOURCE
    assert f"{url}/gpt2-merges.txt" in found.detail
    assert list(files(shell)) == ["megatron-gpt-345m_vocab"]


async def test_a_source_that_is_neither_address_nor_folder(shell: LocalShell) -> None:
    """Other schemes are not for us."""
    found = await place(shell, "file:///etc")
    assert isinstance(found, NotPlaced)
    assert found.why is Trouble.SOURCE


async def test_a_cache_outside_the_roots(shell: LocalShell, source: Path, tmp_path: Path) -> None:
    """Also through a link; no folder is made there."""
    (shell.home / "link").symlink_to(tmp_path)
    for cache in (f"{tmp_path}/other", f"{shell.home}/link/other", f"{shell.home}/../other"):
        found = await place(shell, str(source), cache)
        assert found == NotPlaced(Trouble.OUTSIDE, f"{tmp_path}/other")
    assert not (tmp_path / "other").exists()


async def test_a_cache_that_cannot_be_made(shell: LocalShell, source: Path) -> None:
    """A file stands in its place."""
    (shell.home / "cache").write_text("")
    found = await place(shell, str(source))
    assert isinstance(found, NotPlaced)
    assert found.why is Trouble.FOLDER


async def test_a_login_node_without_any_tool(shell: LocalShell, url: str, tmp_path: Path) -> None:
    """It is said which would do."""
    only(shell, tmp_path / "programs")
    found = await place(shell, url)
    assert isinstance(found, NotPlaced)
    assert found.why is Trouble.TOOL


async def test_a_disk_that_is_full(shell: LocalShell, source: Path) -> None:
    """No half file takes the place of a whole one."""
    (source / "gpt2-vocab.json").write_text(VOCAB[:-2] + " " * 100_000 + "}")
    limited = "trap '' XFSZ; ulimit -f 8; exec sh -s"
    shell.shell = ("sh", "-c", limited, "sh")
    found = await place(shell, str(source))
    assert isinstance(found, NotPlaced)
    assert files(shell) == {}
