"""The remedies: for each what it offers in a case, and what a click changes in the request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.arguments import replaced
from bot.cards import offers
from bot.cards.case import Case
from bot.cards.offers import Offer
from bot.diagnosis import Action, Finding

Options = Mapping[str, Any]
Changes = Callable[[Options, str], Mapping[str, object]]
"""The options of a request, and the value that a button holds → what is changed."""


@dataclass(frozen=True)
class Remedy:
    """One way to carry out an action."""

    of: Action
    action: str
    """The action_id of its button."""
    offer: Callable[[Case, Finding], Iterable[Offer]]
    changes: Changes | None = None
    """What is run again with; None where a click does something else."""


def _same(_options: Options, _value: str) -> dict[str, object]:
    return {}


def _option(name: str) -> Changes:
    """Return what sets an option to the value."""
    return lambda _options, value: {name: value}


def without_nodes(options: Options, value: str) -> dict[str, str]:
    """Return what leaves nodes out, besides those that are left out already."""
    kept = [str(options["exclude"])] if options.get("exclude") else []
    return {"exclude": ",".join(dict.fromkeys([*kept, *value.split(",")]))}


def _gpus(options: Options, value: str) -> dict[str, object]:
    others = {name: None for name in ("gres", "gpus") if name in options}
    return {**others, "gpus_per_node": value}


def _no_waiting(options: Options, _value: str) -> dict[str, object]:
    waits = {"after": (), "dependency": None}
    return {name: nothing for name, nothing in waits.items() if name in options}


def _variable(_options: Options, value: str) -> dict[str, object]:
    return {"env": (value,)}


def _word(options: Options, value: str) -> dict[str, object]:
    """Change one of a script's words, or give a launcher's option or a training's setting anew."""
    how, _, word = value.partition(" ")
    if how in {"extra", "settings"}:
        return {how: (word,)}
    return {"args": replaced(tuple(options.get("args") or ()), int(how), word)}


def _without_wandb(_options: Options, value: str) -> dict[str, object]:
    return {"env": (value,)} if value else {"no_wandb": True}


REMEDIES = (
    Remedy(Action.RERUN_SAME, "rerun_same", offers.rerun, _same),
    Remedy(Action.RESUME, "resume", offers.resume),
    Remedy(Action.RESUME, "rerun_same", offers.anew, _same),
    Remedy(Action.PLACE_TOKENIZER, "place_tokenizer", offers.place_tokenizer),
    Remedy(Action.EXCLUDE_NODE, "exclude_node", offers.exclude_node, without_nodes),
    Remedy(Action.MORE_TIME, "more_time", offers.other_time, _option("time")),
    Remedy(Action.MORE_MEMORY, "more_memory", offers.other_memory, _option("mem")),
    Remedy(Action.RESUBMIT_SIZE, "less_memory", offers.memory_that_fits, _option("mem")),
    Remedy(Action.LESS_GPU_MEMORY, "micro_batch", offers.micro_batch, _word),
    Remedy(Action.LESS_GPU_MEMORY, "gpu_share", offers.gpu_share, _word),
    Remedy(Action.FEWER_WORKERS, "fewer_workers", offers.fewer_workers, _word),
    Remedy(Action.RESUBMIT_GPUS, "set_gpus", offers.gpus, _gpus),
    Remedy(
        Action.RESUBMIT_CONSTRAINT,
        "no_constraint",
        offers.no_constraint,
        lambda _options, _value: {"constraint": None},
    ),
    Remedy(Action.RESUBMIT_DEPENDENCY, "no_dependency", offers.no_dependency, _no_waiting),
    Remedy(
        Action.RESUBMIT_CLEAN_ENV,
        "clean_env",
        offers.clean_env,
        lambda _options, _value: {"clean_env": True},
    ),
    Remedy(Action.RESUBMIT_OFFLINE, "without_wandb", offers.without_wandb, _without_wandb),
    Remedy(Action.RESUBMIT_OFFLINE, "hub_offline", offers.hub_offline, _variable),
    Remedy(Action.RESUBMIT_OPTION, "hub_online", offers.hub_online, _variable),
    Remedy(Action.RESUBMIT_OPTION, "fewer_threads", offers.fewer_threads, _variable),
    Remedy(Action.RESUBMIT_BLOCKING, "blocking", offers.blocking, _variable),
    Remedy(Action.RESUBMIT_OTHER_PORT, "other_port", offers.other_port, _variable),
    Remedy(Action.SET_SECRET, "rerun_with_secret", offers.set_secret),
    Remedy(Action.CHECK_QUEUE, "check_queue", offers.check_queue),
    Remedy(Action.TELL_ADMIN, "tell_admin", offers.tell_admin),
)
"""All of them; what is chosen from a list is in `bot.cards.mend`."""
