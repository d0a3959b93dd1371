"""What a rerun changes: options replaced, derived anew, and told in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from bot import variables
from bot.duration import duration
from bot.errors import FieldError, InputRefused
from bot.manual import given, merged
from bot.options import Options, typed_fields
from bot.shapes import Setting
from bot.words import duration as in_words
from bot.workload import Site, Workload

M = TypeVar("M", bound=Options)


def changed(
    workload: Workload[M], options: M, changes: Mapping[str, object], site: Site | None = None
) -> M:
    """Return the options of a rerun; raises InputRefused for what this workload does not have.

    What was derived from a changed option is derived anew, as far as the site knows it.
    """
    _refuse_strangers(workload, changes)
    values = {**options.model_dump(), **changes}
    if EXTRA in changes:
        values[EXTRA] = merged(getattr(options, EXTRA), values[EXTRA])
    if ENV in changes:
        values[ENV] = variables.merged(getattr(options, ENV), values[ENV])
    if SETTINGS in changes:
        given_settings = values.pop(SETTINGS)
        values["args"] = variables.merged(getattr(options, "args", ()), given_settings)
    for leader, follower in workload.follows:
        if leader in changes and follower not in changes and values[follower]:
            left_open = workload.model.model_validate({**values, follower: None})
            derived = getattr(workload.complete(left_open, site or Site()), follower)
            values[follower] = derived or values[follower]
    return workload.model.model_validate(values)


EXTRA = "extra"
"""The field for options that only the launcher knows."""
ENV = "env"
"""The field for variables, each of which replaces the one of its name."""
SETTINGS = "settings"
"""What is changed of the settings that a training is given, each replacing the one of its key."""
_FLAGS = {SETTINGS: "--set"}
"""How a field is typed, where that is not its name."""


def _refuse_strangers(workload: Workload[Any], changes: Mapping[str, object]) -> None:
    """Raise InputRefused for each change of what this workload does not have."""
    has = workload.model.model_fields
    fields = [
        name
        for name in changes
        if name not in has and not (name == SETTINGS and takes_settings(workload))
    ]
    spelt = {
        name: _FLAGS.get(name, f"--{name.replace('_', '-')}") for name in fields if name != EXTRA
    }
    extra = changes[EXTRA] if EXTRA in fields else ()
    if isinstance(extra, tuple):
        spelt |= {one.name: one.name for one in given(extra)}
    if spelt:
        raise InputRefused(
            tuple(
                FieldError(name, f"`{workload.name}` has no `{flag}`, so it cannot be changed")
                for name, flag in spelt.items()
            )
        )


def takes_settings(workload: Workload[Any]) -> bool:
    """Whether its `args` are settings of the training, and not a script's own words."""
    args = workload.model.model_fields.get("args")
    return args is not None and args.annotation == tuple[Setting, ...]


_NAMES = {
    "env": "environment",
    "args": "arguments",
    "mem": "memory",
    "time": "time limit",
    "slurm_type": "cluster type",
    "workdir": "work directory",
    "extra": "other options",
}
"""What people call a field, where its own name does not say it."""
_UNSAID = {
    "time": "the partition's default",
    "partition": "the default one",
    "account": "the default one",
    "qos": "the default one",
    "slurm_type": "by the partition",
}
"""What holds where nothing is asked."""


def difference(before: Options, after: Options) -> str:
    """Say in words what a rerun changed: `partition: general → a3m, nodes: 4 → 2`."""
    old, new = before.model_dump(mode="json"), after.model_dump(mode="json")
    unseen = {name for name, option in typed_fields(type(after)) if option.unseen}
    return ", ".join(
        _change(name, old.get(name), new[name])
        for name in new
        if old.get(name) != new[name] and name not in {"dry_run", *unseen}
    )


def _change(name: str, old: object, new: object) -> str:
    called = _NAMES.get(name, name.replace("_", " "))
    if isinstance(new, bool):
        return called if new else f"not {called}"
    return f"{called}: {_value(name, old)} → {_value(name, new)}"


def _value(name: str, value: object) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value)) or "none"
    if value is None or value == "":
        return _UNSAID.get(name, "none")
    limit = duration(str(value)) if name == "time" else None
    return in_words(limit) if limit is not None else str(value)
