"""One entry of the catalogue: how a failure shows, what it is called, what helps."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum

from bot.diagnosis.facts import Facts


class Strength(IntEnum):
    """How near a sign is to the cause; within one episode the strongest sign wins."""

    NOISE = 0
    """Looks like an error and is none: the line is not looked at further."""
    ECHO = 5
    """Another program's end heard from here: says nothing by itself."""
    OPENING = 7
    """Begins what another line tells, as the head of a traceback does; that may be cut off."""
    CONSEQUENCE = 10
    """Says that something failed, never what."""
    CANCEL = 20
    SIGNAL = 30
    """A bare signal or exit code."""
    TIMEOUT = 40
    """A collective or a meeting that somebody did not come to."""
    NETWORK = 50
    FAULT = 60
    """A crash inside a kernel, whose place the text does not tell."""
    EXCEPTION = 70
    """An exception of the user's own program."""
    CAUSE = 80
    """A message that names what is wrong."""
    PRECISE = 85
    """A message that says more than the others which the same fault prints before it."""
    KILLED = 90
    """The kernel's or Slurm's word that memory ran out."""
    HARDWARE = 100
    SCHEDULER = 110
    """Slurm says why it ended the job."""


class Action(StrEnum):
    """What can be offered as a button."""

    RESUBMIT_PARTITION = "resubmit_partition"
    RESUBMIT_ACCOUNT = "resubmit_account"
    RESUBMIT_QOS = "resubmit_qos"
    RESUBMIT_GPUS = "resubmit_gpus"
    RESUBMIT_SIZE = "resubmit_size"
    RESUBMIT_CONSTRAINT = "resubmit_constraint"
    RESUBMIT_DEPENDENCY = "resubmit_dependency"
    RESUBMIT_CLEAN_ENV = "resubmit_clean_env"
    RESUBMIT_IMAGE = "resubmit_image"
    RESUBMIT_MOUNTS = "resubmit_mounts"
    RESUBMIT_OPTION = "resubmit_option"
    RESUBMIT_OFFLINE = "resubmit_offline"
    RESUBMIT_OTHER_PORT = "resubmit_other_port"
    RESUBMIT_BLOCKING = "resubmit_blocking"
    MORE_TIME = "more_time"
    MORE_MEMORY = "more_memory"
    LESS_GPU_MEMORY = "less_gpu_memory"
    FEWER_WORKERS = "fewer_workers"
    RERUN_SAME = "rerun_same"
    RESUME = "resume"
    EXCLUDE_NODE = "exclude_node"
    RELEASE = "release"
    PLACE_TOKENIZER = "place_tokenizer"
    SET_SECRET = "set_secret"  # noqa: S105 - the name of a button
    CHECK_QUEUE = "check_queue"
    SHOW_LOG = "show_log"
    FETCH_LOG = "fetch_log"
    TELL_ADMIN = "tell_admin"


class Mark(StrEnum):
    """What shows how a run went on; a rule says which of them prove that it was got over."""

    STEP = "step"
    """A step of training; two of them count, since ranks die at different times."""
    ALIVE = "alive"
    """A sign of life other than a step; two of them count."""
    SAVED = "saved"
    """A checkpoint is whole."""
    DONE = "done"
    """The program said that it ended in order."""
    SUBMITTED = "submitted"
    RETRIED = "retried"
    IGNORED = "ignored"
    """The traceback that follows is printed and forgotten."""
    RESTART = "restart"
    """A new attempt: nothing before it counts."""


COMPARED = frozenset({"rank", "pg", "seq", "op", "size"})
"""What a collective's line tells: rank, process group, number, operation, elements."""
WENT_ON = frozenset({Mark.STEP, Mark.ALIVE, Mark.SAVED, Mark.DONE})


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One way to fail. Patterns are RE2, tried on lines freed of colours and prefixes.

    `title` and `remedy` may use the patterns' named groups, and `path` and `port` that a line
    names anyhow; a part in brackets that names an
    absent group is left out: `The partition[ {partition}] does not exist.`
    """

    label: str
    group: str
    title: str
    remedy: str = ""
    patterns: tuple[str, ...] = ()
    """`^` and `$` only at the ends; groups named in the title, no others (`(?:…)`)."""
    lines: tuple[str, ...] = ()
    """Lines that programs print and that it must name: the tests hold it to them."""
    actions: tuple[Action, ...] = ()
    again: tuple[Action, ...] = ()
    """The actions instead, when this request's chain failed in this way before …"""
    remedy_again: str = ""
    """… and the remedy, where it differs."""
    wants: str = ""
    """The secret that would have helped, such as `HF_TOKEN`."""
    title_without: str = ""
    """The title where the bot has no such secret to give."""
    remedy_without: str = ""
    transient: bool = False
    """Whether a plain rerun plausibly helps."""

    strength: Strength = Strength.CAUSE
    within: str = ""
    """The patterns count only in a Python traceback with such a frame (RE2), and then before
    those of other rules, since they know more."""
    first: bool = False
    """Counts little once something else has failed before it."""
    quiet: bool = False
    """Counts also on a line that its program calls a warning."""
    last_resort: bool = False
    """Gives way to any other rule that knows the same line, whatever traceback it wants."""
    going: bool = False
    """Counts also for a job that runs on or ended well, as a loss that is NaN does."""
    healed: frozenset[Mark] = WENT_ON
    """The marks after a sign that prove that the run got over it."""
    compared: bool = False
    """The ranks' lines are compared: who stands out is told, and comes first. The patterns' groups
    are `COMPARED`; the title may use `lagging`, `diverged`, `silent` and `operation`."""

    decided: Callable[[Facts], bool] | None = None
    """Scheduler facts that name this failure whatever the text says."""
    presumed: Callable[[Facts, bool], bool] | None = None
    """Facts, and whether the logs are silent, that name it when the text names nothing."""

    def words(self, template: str, groups: Mapping[str, str]) -> str:
        """Fill a template from the named groups of the matching line."""

        def fill(part: str) -> str:
            names = _NAME.findall(part)
            if not all(groups.get(name) for name in names):
                return ""
            return _NAME.sub(lambda name: groups[name.group(1)], part)

        kept = _OPTIONAL.sub(lambda part: fill(part.group(1)), template)
        return _NAME.sub(lambda name: groups.get(name.group(1)) or "?", kept)


_NAME = re.compile(r"\{(\w+)\}")
_OPTIONAL = re.compile(r"\[([^\[\]]*\{\w+\}[^\[\]]*)\]")
