"""The recipes on the cluster, and what their checkout is at."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from dataclasses import dataclass

from bot.errors import CommandFailed
from bot.ports import Output, Query

KINDS = ("pretrain", "cpt", "sft", "finetune", "peft")
"""The names of the folders that hold recipes."""

FIELD, GROUP = "\x1f", "\x1d"

# $1: the folder of run.py.
_RECIPES = r"""
cd -- "$1" || exit
commit=$(git rev-parse HEAD 2>/dev/null)
branch=$(git symbolic-ref --quiet --short HEAD 2>/dev/null)
changed=0
# The tokens of NeMo-RL belong to the site: they are no change of the recipes.
[ -z "$commit" ] || changed=$(git status --porcelain --untracked-files=no 2>/dev/null |
  grep -cv ' [^ ]*nemo_rl/configs/auth\.sh$')
launcher=no
[ ! -f run.py ] || launcher=yes
printf '%s\037%s\037%s\037%s\035' "$commit" "$branch" "$changed" "$launcher"
find . -maxdepth 4 -name .git -prune -o -name '*.py' ! -name '__init__.py' -type f -print |
  head -n 2000 | sort
"""


@dataclass(frozen=True)
class Recipes:
    """What `run.py` can launch, as paths below its folder."""

    commit: str
    """Empty where the folder is no git checkout that the login account may read."""
    paths: tuple[str, ...]
    branch: str = ""
    """Empty where a commit itself is checked out."""
    changed: int = 0
    """Files of the checkout that were changed by hand."""
    launcher: bool = True
    """Whether `run.py` is there."""

    @property
    def by_kind(self) -> dict[str, tuple[str, ...]]:
        """The recipes of each kind that there are, in the order in which one trains."""
        found = {kind: tuple(p for p in self.paths if kind_of(p) == kind) for kind in KINDS}
        return {kind: paths for kind, paths in found.items() if paths}


def recipes(nemo_dir: str) -> Query[Recipes]:
    """Ask for the recipes below the folder of `run.py`."""
    return Query(_RECIPES, _recipes, (nemo_dir,), name="recipes")


def kind_of(path: str) -> str:
    """Return the kind of recipe that a path below the folder of `run.py` is, or nothing."""
    folders = path.split("/")[:-1]
    return next((folder for folder in folders if folder in KINDS), "")


def only_recipes(paths: Iterable[str]) -> tuple[str, ...]:
    """Return those files that are recipes: neither `run.py` nor what the recipes share."""
    return tuple(
        path for path in paths if kind_of(path) and posixpath.basename(path) != "__init__.py"
    )


def _recipes(output: Output) -> Recipes:
    if output.status != 0:
        raise CommandFailed("the folder of the recipes cannot be entered", stderr=output.stderr)
    head, _, paths = output.stdout.partition(GROUP)
    commit, branch, changed, launcher = head.split(FIELD)
    found = (path.removeprefix("./") for path in paths.splitlines())
    return Recipes(
        commit=commit,
        paths=only_recipes(found),
        branch=branch,
        changed=int(changed),
        launcher=launcher == "yes",
    )
