"""What lies on the cluster: homes with recipes and jobs, the tokenizer's files."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from bot.demo.cluster import images, repositories

_SITE = Path(__file__).parents[1] / "site"


async def furnish(home: Path, programs: Sequence[Path], recipes: Path) -> None:
    """Make the home of one account: recipes as a git checkout, images, batch scripts.

    *programs* are the folders that login shells find programs in, NeMo-Run's environment first;
    *recipes* holds the repositories.
    """
    cloned = shutil.ignore_patterns("__pycache__", "vertex-oss-training")
    shutil.copytree(_SITE / "home", home, ignore=cloned)
    (home / ".profile").write_text(f"PATH={':'.join(map(str, programs))}:$PATH\n")
    (home / ".cache").mkdir()
    checkout = await repositories.clone_recipes(recipes, home)
    for image, name in (
        (home / "images" / "nemo-20250721.sqsh", images.NEMO),
        (checkout / "nemo" / "nemo-demo.sqsh", images.NEMO),
        (checkout / "nemo_rl" / "nemo_rl-h20260302.sqsh", images.NEMO_RL),
    ):
        image.parent.mkdir(exist_ok=True)
        image.write_bytes(images.image(name))


def share(folder: Path) -> None:
    """Put what all accounts read into the shared folder, whatever the checkout's own modes."""
    shutil.copytree(_SITE / "shared", folder)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
