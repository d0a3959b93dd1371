"""Training lines to step, loss and time left, for the trainers whose lines are known.

Each trainer is one `Shape`; to add one, write the line that counts its steps and name its fields.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import pairwise
from statistics import median, median_low
from typing import Any

import re2

_RECENT = 20
"""Steps whose median time makes the estimate."""


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a run is; None or empty where its log does not say."""

    step: int
    """Steps done, over all epochs."""
    total: int | None = None
    loss: float | None = None
    """NaN where the trainer printed it, or dropped the field because of it."""
    reward: float | None = None
    """What the answers earned on average, in reinforcement learning."""
    step_seconds: float | None = None
    eta: timedelta | None = None
    """Time that the steps left take at the recent pace."""
    checkpoint: str = ""
    """The newest one said to be saved: its path where the log names it, else `step N`."""
    finished: bool = False
    """The trainer itself said that it is done."""
    epoch: int | None = None
    """The epoch of the last step, from 1, where the trainer counts steps anew in each."""
    epochs: int | None = None

    @property
    def share(self) -> float | None:
        """Part that is done, 0 to 1."""
        return min(self.step / self.total, 1.0) if self.total else None

    @property
    def in_epoch(self) -> tuple[int, int] | None:
        """The step and the steps of one epoch, as the trainer counts them itself."""
        if not self.epoch or not self.epochs or not self.total:
            return None
        steps = self.total // self.epochs
        return self.step - (self.epoch - 1) * steps, steps


@dataclass(frozen=True, kw_only=True)
class Look:
    """What the end of a log tells: how far the run is, and how steps follow each other."""

    far: Progress
    pace: float | None
    """Seconds a step, the median of the recent ones that say so."""
    lines: int
    """Step lines in sight."""
    stride: int
    """Steps from one line to the next: a trainer need not print each."""
    diverged: bool
    """The last two losses are no numbers any more (the last, where it is alone)."""
    busy: bool
    """After its last step it said that it saves or evaluates."""

    @property
    def total(self) -> int | None:
        """The last step there will be; None where several epochs may end before their time."""
        return None if self.far.epochs and self.far.epochs > 1 else self.far.total


@dataclass(frozen=True, kw_only=True)
class Shape:
    """How a trainer prints its steps."""

    name: str
    line: str
    """RE2 with two groups: step and total."""
    first: int = 1
    """Number of the first step; with 0 the last one prints as total/total."""
    losses: tuple[str, ...]
    seconds: tuple[tuple[str, float], ...]
    """Fields that hold the time of a step, with their unit in seconds."""
    rewards: tuple[str, ...] = ()
    """Fields that hold the average reward."""
    block: bool = False
    """The fields stand on the lines after, up to the next step."""
    bar: bool = False
    """It is a bar, such as anything may print: lines of another trainer come first."""
    epoch: str = ""
    """RE2 with two groups, epoch and epochs: step numbers begin anew in each."""
    skipped: str = ""
    """Field that counts skipped steps: a loss missing while nothing is skipped is NaN."""


SHAPES = (
    Shape(
        name="NeMo 2",
        line=r"Training epoch \d+, iteration (\d+)/(\d+)",
        first=0,
        losses=("reduced_train_loss",),
        seconds=(("train_step_timing in s", 1.0),),
    ),
    Shape(
        name="Megatron-LM",
        # Its numbers are padded to eight places; NeMo's, of which a line may be cut, are not.
        line=r"\biteration {2,}(\d+)/ *(\d+) \|",
        losses=("lm loss",),
        seconds=(
            ("elapsed time per iteration (ms)", 0.001),
            ("elapsed time per iteration (s)", 1.0),
        ),
        skipped="number of skipped iterations",
    ),
    Shape(
        name="Lightning",
        line=r"\bEpoch \d+: +\d+%\|[^|\n]{0,200}\| *(\d+)/(\d+) \[",
        losses=("reduced_train_loss", "train_loss", "train_loss_step", "loss"),
        seconds=(("s/it", 1.0),),
        block=True,
        bar=True,
    ),
    Shape(
        name="transformers",
        # Bars of other things say what they are: `Map: 12%|`.
        line=r"(?:^|[\r\n]) *\d+%\|[^|\n]{0,200}\| *(\d+)/(\d+) \[",
        losses=("loss",),
        seconds=(("s/it", 1.0),),
        block=True,
        bar=True,
    ),
    Shape(
        name="NeMo-RL",
        line=r"={10,} Step (\d+)/(\d+) ={10,}",
        losses=("Loss", "loss", "Validation loss"),
        rewards=("Avg Reward", "Avg Filtered Reward"),
        seconds=(("Total step time", 1.0),),
        block=True,
        epoch=r"={10,} Epoch (\d+)/(\d+) ={10,}",
    ),
)

_FIELD = re2.compile(
    r"(?:\||•) *([^|:\n]+?) *: *([-+]?(?:\d[\d.]*(?:[eE][-+]?\d+)?|nan|inf))".encode()
)
_PAIR = re2.compile(rb"(?:'(\w+)': '?|[ ,](\w+)=)([-+]?(?:\d[\d.]*(?:[eE][-+]?\d+)?|nan|inf))")
"""`'loss': 1.48` and `loss=1.48`."""
_RATE = re2.compile(rb"(\d+(?:\.\d+)?)(s/it|it/s)")
_FINISHED = re2.compile(
    rb"`Trainer\.fit` stopped: |\[after training is done\]|exiting program at iteration"
    rb"|Max number of (?:steps|epochs) has been reached, stopping training early"
    rb"|'train_runtime':"
)
_BUSY = re2.compile(
    rb"(?i)saving checkpoint|saving model to|scheduled async checkpoint save"
    rb"|\bvalidation: iteration|\bvalidation dataloader|\bevaluating\b"
    rb"|(?:starting|running) (?:validation|evaluation)"
)
_SAVED = tuple(
    re2.compile(pattern)
    for pattern in (
        rb"saving model to '(?P<path>[^'\n]+)'",
        rb"Async checkpoint save for step (?P<step>\d+) .*finalized successfully",
        rb"Global Checkpoint Save : Rank: \d+ : Iteration: (?P<step>\d+)",
        rb"successfully saved checkpoint from iteration +\d+ to (?P<path>\S+)",
        rb"Saving checkpoint for step (?P<step>\d+)",
    )
)


def progress(text: str) -> Progress | None:
    """Return how far the run is by the end of this part of its log, or None without a step."""
    seen = look(text)
    return seen.far if seen else None


def look(text: str) -> Look | None:
    """Return what the end of a log tells of its steps, or None without one."""
    steps = list(readings(text))
    if not steps:
        return None
    raw = text.encode()
    times = [step.step_seconds for step in steps[-_RECENT:] if step.step_seconds is not None]
    pace = median(times) if times else None
    strides = [b.step - a.step for a, b in pairwise(steps) if b.step > a.step]
    losses = [step.loss for step in steps if step.loss is not None][-2:]
    return Look(
        far=_far(steps, raw, pace),
        pace=pace,
        lines=len(steps),
        stride=int(median_low(strides)) if strides else 1,
        diverged=bool(losses) and not any(map(math.isfinite, losses)),
        busy=_BUSY.search(raw[_last_step(raw) :]) is not None,
    )


def _far(steps: Sequence[Progress], raw: bytes, pace: float | None) -> Progress:
    last = steps[-1]
    left = None if last.total is None else max(last.total - last.step, 0)
    return replace(
        last,
        loss=_newest([step.loss for step in steps]),
        reward=_newest([step.reward for step in steps]),
        eta=None if pace is None or left is None else timedelta(seconds=pace * left),
        checkpoint=_checkpoint(raw),
        finished=_FINISHED.search(raw) is not None,
    )


def _last_step(raw: bytes) -> int:
    """Return where the last step line begins."""
    found = (line for shape in SHAPES for line in _compiled(shape.line).finditer(raw))
    starts: list[int] = [line.start() for line in found]
    return max(starts)


def _newest(figures: Sequence[float | None]) -> float | None:
    """Return the last figure that is known: not each step prints one."""
    return next((figure for figure in reversed(figures) if figure is not None), None)


def readings(text: str) -> Iterator[Progress]:
    """Yield each step of a log in order, as the trainer that printed most of them prints it."""
    raw = text.encode()
    found = [(shape, list(_compiled(shape.line).finditer(raw))) for shape in SHAPES]
    shape, lines = max(found, key=lambda pair: (bool(pair[1]) and not pair[0].bar, len(pair[1])))
    epochs = list(_compiled(shape.epoch).finditer(raw)) if shape.epoch else []
    for line, end in zip(lines, _ends(shape, lines, raw), strict=True):
        before = [epoch for epoch in epochs if epoch.start() < line.start()][-1:]
        yield _reading(shape, line, before, _fields(raw[line.end() - 1 : end]))


def _reading(
    shape: Shape, line: Any, epochs: Sequence[Any], fields: Mapping[str, float]
) -> Progress:
    step, total = int(line[1]) + 1 - shape.first, int(line[2]) + 1 - shape.first
    which, of = next(((int(epoch[1]), int(epoch[2])) for epoch in epochs), (None, None))
    if which and of:
        step += (which - 1) * total
        total *= of
    loss = next((fields[key] for key in shape.losses if key in fields), None)
    if loss is None and fields.get(shape.skipped) == 0:
        loss = math.nan
    if loss == 0 and math.isnan(fields.get("grad_norm", 0)):
        loss = math.nan  # transformers leaves what is no number out of the average that it prints
    reward = next((fields[key] for key in shape.rewards if key in fields), None)
    seconds = next((fields[key] * unit for key, unit in shape.seconds if key in fields), None)
    return Progress(
        step=step,
        total=total,
        loss=loss,
        reward=reward,
        step_seconds=seconds,
        epoch=which,
        epochs=of,
    )


def _ends(shape: Shape, lines: Sequence[Any], raw: bytes) -> Iterator[int]:
    """Yield where the fields of each step end."""
    if shape.block:
        yield from (line.start() for line in lines[1:])
        if lines:
            yield len(raw)
        return
    for line in lines:
        end = raw.find(b"\n", line.end())
        yield len(raw) if end < 0 else end


def _fields(raw: bytes) -> dict[str, float]:
    """Return the numbers of `| name: value`, `• name: value`, and those beside a bar."""
    found = {m[1].decode("utf-8", "replace"): float(m[2]) for m in _FIELD.finditer(raw)}
    if not (rates := _RATE.findall(raw)):
        return found
    found |= {(m[1] or m[2]).decode(): float(m[3]) for m in _PAIR.finditer(raw)}
    rate, unit = float(rates[0][0]), rates[0][1]
    if rate:
        found["s/it"] = rate if unit == b"s/it" else 1 / rate
    return found


def _checkpoint(raw: bytes) -> str:
    saves = [save for pattern in _SAVED for save in pattern.finditer(raw)]
    if not saves:
        return ""
    newest = max(saves, key=lambda save: save.start()).groupdict()
    path, step = newest.get(b"path"), newest.get(b"step")
    return path.decode("utf-8", "replace") if path else f"step {(step or b'').decode()}"


def _compiled(pattern: str) -> Any:
    return re2.compile(pattern.encode())
