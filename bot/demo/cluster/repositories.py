"""The repositories that set-up clones: the recipes, NeMo-RL with a submodule, and NeMo-Run.

NeMo-Run's holds the very files of the cluster's own environment, and builds its wheel with nothing
but Python. Its dependencies, half a gigabyte, are not downloaded again: the wheel points at that
environment. So `pip install git+https://github.com/NVIDIA/NeMo-Run.git` does all its steps, without
the internet.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from bot.demo.cluster import process

_SITE = Path(__file__).parents[1] / "site"
RECIPES = "vertex-model-garden.googlesource.com/vertex-oss-training"
BRANCH = "release-allowlist-ga"
_RL = "github.com/NVIDIA-NeMo/RL"
_MEGATRON = "github.com/NVIDIA/Megatron-LM"
_NEMO_RUN = "github.com/NVIDIA/NeMo-Run"
_SUBMODULE = "3rdparty/Megatron-LM-workspace/Megatron-LM"
_IGNORED = shutil.ignore_patterns("__pycache__")
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_AUTHOR_NAME": "Site",
    "GIT_AUTHOR_EMAIL": "site@example.com",
    "GIT_COMMITTER_NAME": "Site",
    "GIT_COMMITTER_EMAIL": "site@example.com",
}


async def make(folder: Path, *, python: Path, packages: str) -> None:
    """Make `folder`/HOST/NAME for each, bare.

    `python` is an environment with NeMo-Run on this machine; `packages` is where its packages lie
    for the cluster's accounts.
    """
    work = folder / "work"
    await process.together(
        _recipes(work / "recipes", folder / RECIPES),
        _nemo_rl(work, folder),
        _nemo_run(work / "nemo-run", folder / _NEMO_RUN, python, packages),
    )
    shutil.rmtree(work)


async def clone_recipes(folder: Path, home: Path) -> Path:
    """Clone the recipes the way a person with credentials does; return the checkout."""
    checkout = home / RECIPES.rpartition("/")[2]
    await git(home, "clone", "--quiet", "--branch", BRANCH, str(folder / RECIPES), str(checkout))
    await git(checkout, "remote", "set-url", "origin", f"https://{RECIPES}")
    return checkout


async def _recipes(work: Path, bare: Path) -> None:
    work.mkdir(parents=True)
    (work / "README.md").write_text("The recipes are on the branch release-allowlist-ga.\n")
    await _commit(work, "Say where the recipes are")
    await git(work, "checkout", "--quiet", "-b", BRANCH)
    shutil.copytree(
        _SITE / "home" / "vertex-oss-training", work, dirs_exist_ok=True, ignore=_IGNORED
    )
    await _commit(work, "Training recipes")
    await _publish(work, bare, head="main")


async def _nemo_rl(work: Path, folder: Path) -> None:
    megatron, rl = work / "megatron", work / "rl"
    megatron.mkdir(parents=True)
    (megatron / "README.md").write_text("A stand-in for Megatron-LM.\n")
    commit = await _commit(megatron, "A stand-in")
    await _publish(megatron, folder / _MEGATRON, head="main")
    shutil.copytree(_SITE / "nemo-rl", rl, ignore=_IGNORED)
    url = f"https://{_MEGATRON}.git"
    (rl / ".gitmodules").write_text(
        f'[submodule "{_SUBMODULE}"]\n\tpath = {_SUBMODULE}\n\turl = {url}\n'
    )
    await git(rl, "init", "--quiet", "--initial-branch", "main")
    entry = f"160000,{commit},{_SUBMODULE}"
    await git(rl, "update-index", "--add", "--cacheinfo", entry)
    (rl / _SUBMODULE).mkdir(parents=True)
    await _commit(rl, "NeMo-RL v0.5.0")
    await git(rl, "tag", "v0.5.0")
    (rl / "VERSION").write_text("0.6.0\n")
    await _commit(rl, "NeMo-RL v0.6.0")
    await git(rl, "tag", "v0.6.0")
    await _publish(rl, folder / _RL, head="main")


async def _nemo_run(work: Path, bare: Path, python: Path, packages: str) -> None:
    shutil.copytree(_SITE / "nemo-run", work, ignore=_IGNORED)
    (installed,) = python.glob("lib/python3*/site-packages/nemo_run")
    shutil.copytree(installed, work / "nemo_run", ignore=_IGNORED)
    (metadata,) = installed.parent.glob("nemo_run-*.dist-info")
    for name in ("METADATA", "entry_points.txt"):
        shutil.copy(metadata / name, work / name)
    (work / "packages.pth").write_text(f"{packages}\n")
    await _commit(work, "NeMo-Run")
    await _publish(work, bare, head="main")


async def _commit(work: Path, message: str) -> str:
    if not (work / ".git").exists():
        await git(work, "init", "--quiet", "--initial-branch", "main")
    await git(work, "add", "--all")
    await git(work, "commit", "--quiet", "--message", message)
    return await git(work, "rev-parse", "HEAD")


async def _publish(work: Path, bare: Path, *, head: str) -> None:
    bare.parent.mkdir(parents=True, exist_ok=True)
    await git(work, "clone", "--quiet", "--bare", str(work), str(bare))
    await git(bare, "symbolic-ref", "HEAD", f"refs/heads/{head}")
    await git(bare, "remote", "remove", "origin")


async def git(folder: Path, *words: str) -> str:
    """Run git in a folder, with nobody's settings."""
    argv: Sequence[str] = ("git", "-C", str(folder), *words)
    return (await process.run(argv, environment=ENVIRONMENT)).stdout.strip()
