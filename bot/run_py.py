"""The recipes' `run.py`: how it may spell an option, and what to do where it lacks one. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from bot.errors import FieldError
from bot.manual import Manual
from bot.suggest import did_you_mean
from bot.words import listed

FILE = "run.py"

SPELLINGS = {
    "executor": ("-e", "--executor"),
    "slurm_type": ("--slurm-type", "--slurm_type", "--cluster-type", "--cluster_type"),
    "partition": ("--partition", "-p"),
    "workdir": ("-d", "--work-dir", "--workdir", "--dir"),
    "image": ("-i", "--image", "--container-image"),
    "recipe": ("-s", "--script", "--recipe"),
    "nodes": ("-n", "--nodes", "--num-nodes", "--num_nodes"),
    "experiment_name": ("--experiment-name", "--experiment_name"),
    "log_dir": ("--log-dir", "--log_dir"),
    "cache_dir": ("--cache-dir", "--cache_dir"),
    "data_dir": ("--data-dir", "--data_dir"),
    "account": ("--account",),
    "time": ("--time",),
    "qos": ("--qos",),
    "exclude": ("--exclude",),
}
"""By the name of our field; the documented spelling stands first."""

TO_SBATCH = ("partition", "account", "time", "qos", "exclude")
"""What sbatch itself takes, where `run.py` lacks it."""
UNDOCUMENTED = ("time", "qos", "exclude")
"""What `run.py` is taken to lack while it was not asked."""
DISPENSABLE = ("slurm_type", "log_dir", "cache_dir", "data_dir", "image", "experiment_name")
"""What may be left out where only the configuration wishes it."""


def spelling(name: str, has: Collection[str]) -> str:
    """Return how this `run.py` spells an option, or nothing; without `has` it was not asked."""
    spellings = SPELLINGS[name]
    if not has:
        return "" if name in UNDOCUMENTED else spellings[0]
    return next((one for one in spellings if one in has), "")


def split(
    values: Mapping[str, str], has: Collection[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words for `run.py`, and those for sbatch."""
    passed: list[str] = []
    left: list[str] = []
    for name in SPELLINGS:
        if name not in values:
            continue
        if spelt := spelling(name, has):
            passed += (spelt, values[name])
        elif name in TO_SBATCH:
            left.append(f"--{name}={values[name]}")
    return tuple(passed), tuple(left)


def lacking(names: Collection[str], manual: Manual) -> tuple[str, ...]:
    """Return those of our options that neither this `run.py` nor sbatch takes."""
    return tuple(
        name
        for name in SPELLINGS
        if name in names and name not in TO_SBATCH and not spelling(name, manual.names)
    )


def lacks(name: str, manual: Manual) -> FieldError:
    """Say that this `run.py` lacks an option, and what it has."""
    spelt = SPELLINGS[name][0]
    longs = [one for one in manual.names if one.startswith("--") and one != "--help"]
    hint = did_you_mean(spelt, longs) or f"It has {listed([f'`{one}`' for one in longs])}"
    return FieldError(name, f"`{FILE}` on this cluster has no option `{spelt}`", hint)


def left_out(name: str) -> str:
    """Say that an option of the configuration is not passed."""
    return f"{FILE} on this cluster has no {SPELLINGS[name][0]}, so it was left out."


def wrong_choice(name: str, value: str | None, manual: Manual) -> Iterable[FieldError]:
    """Yield an error where `run.py` lists what it takes, and this is not among it."""
    flag = next(filter(None, map(manual.flag, SPELLINGS[name])), None)
    if value is None or flag is None or not flag.choices or value in flag.choices:
        return
    there = listed([f"`{choice}`" for choice in flag.choices], "or")
    yield FieldError(name, f"`{FILE}` on this cluster does not take `{value}`", f"It takes {there}")


def without_manual(manual: Manual, extra: tuple[str, ...]) -> tuple[FieldError, ...]:
    """Say why nothing, or none of its own options, can be passed to a `run.py` without a list."""
    if manual.problem == "missing":
        message = f"There is no `{FILE}` in the recipes' folder on the cluster"
        hint = "`/nemo setup` puts the recipes in place"
        return (FieldError("command", message, hint),)
    if manual.problem == "broken":
        said = manual.said.replace("`", "'")
        message = f"`{FILE}` breaks on the cluster before it launches anything: {said}"
        hint = "`/nemo setup` puts recipes and NeMo-Run in place; `/nemo recipes` shows the commit"
        return (FieldError("command", message, hint),)
    if not extra:
        return ()
    name = extra[0].partition("=")[0]
    message = f"`{FILE}` on this cluster does not say which options it has"
    return (FieldError(name, message, "Leave out those that `/nemo run --help` does not list"),)
