"""The recipes on the cluster, and the commit they are at."""

from __future__ import annotations

from dataclasses import dataclass

from bot.errors import CommandFailed
from bot.ports import Output, Query

KINDS = ("pretrain", "cpt", "sft", "finetune")

_RECIPES = r"""
cd -- "$1" || exit
shift
git rev-parse HEAD 2>/dev/null || echo
for kind; do
  if [ -d "$kind" ]; then find "$kind" -name '*.py' ! -name '__init__.py' -type f; fi
done | sort
"""


@dataclass(frozen=True)
class Recipes:
    """What `run.py` can launch, as paths below its folder."""

    commit: str
    """Empty where the folder is no git checkout."""
    paths: tuple[str, ...]


def recipes(nemo_dir: str) -> Query[Recipes]:
    """Ask for the recipes below the folder of `run.py`."""
    return Query(_RECIPES, _recipes, (nemo_dir, *KINDS), name="recipes")


def _recipes(output: Output) -> Recipes:
    if output.status != 0:
        raise CommandFailed("the folder of the recipes cannot be entered", stderr=output.stderr)
    commit, *paths = output.stdout.rstrip("\n").split("\n")
    return Recipes(commit=commit.strip(), paths=tuple(filter(None, paths)))
