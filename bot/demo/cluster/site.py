"""What lies on the cluster: homes with recipes and jobs, the tokenizer's files."""

from __future__ import annotations

import shutil
from pathlib import Path

_SITE = Path(__file__).parents[1] / "site"


async def furnish(home: Path) -> None:
    """Make the home of one account."""
    shutil.copytree(_SITE / "home", home)


def share(folder: Path) -> None:
    """Put what all accounts read into the shared folder."""
    shutil.copytree(_SITE / "shared", folder, dirs_exist_ok=True)
