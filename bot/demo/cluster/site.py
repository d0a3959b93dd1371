"""What lies on the cluster: homes with recipes and jobs, the tokenizer's files."""

from __future__ import annotations

import shutil
from pathlib import Path

from bot.demo.cluster import process

_SITE = Path(__file__).parents[1] / "site"
_BRANCH = "release-allowlist-ga"
_NOTE = b"A stand-in for a container image: this cluster has no pyxis, so nobody opens it.\n"
# The head of a squashfs, whose length stands at byte 40, and nothing in it.
_IMAGE = b"hsqs".ljust(40, b"\0") + (96 + len(_NOTE)).to_bytes(8, "little").ljust(56, b"\0") + _NOTE
_COMMIT = {
    "PATH": "/usr/bin:/bin",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_AUTHOR_NAME": "Recipes",
    "GIT_AUTHOR_EMAIL": "recipes@example.com",
    "GIT_COMMITTER_NAME": "Recipes",
    "GIT_COMMITTER_EMAIL": "recipes@example.com",
}


async def furnish(home: Path, python: Path) -> None:
    """Make the home of one account: recipes as a git checkout, images, batch scripts.

    *python* is where the account finds the environment with NeMo-Run.
    """
    shutil.copytree(_SITE / "home", home, ignore=shutil.ignore_patterns("__pycache__"))
    (home / ".profile").write_text(f"PATH={python}/bin:$PATH\n")
    (home / ".cache").mkdir()
    recipes = home / "vertex-oss-training"
    for image in (
        home / "images" / "nemo-20250721.sqsh",
        recipes / "nemo" / "nemo-demo.sqsh",
        recipes / "nemo_rl" / "nemo_rl-h20260302.sqsh",
    ):
        image.parent.mkdir(exist_ok=True)
        image.write_bytes(_IMAGE)
    for command in (
        ("init", "--quiet", "--initial-branch", _BRANCH),
        ("add", "--all"),
        ("commit", "--quiet", "--message", "Training recipes"),
    ):
        await process.run(["git", "-C", str(recipes), *command], environment=_COMMIT)


def share(folder: Path) -> None:
    """Put what all accounts read into the shared folder, whatever the checkout's own modes."""
    shutil.copytree(_SITE / "shared", folder)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
