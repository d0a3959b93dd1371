"""How far training has come, in words."""

from __future__ import annotations

import math

from bot.progress import Progress
from bot.words import duration, figure

BAR = 12
"""Cells of the bar."""
FULL, EMPTY = "▰", "▱"


def in_words(progress: Progress) -> str:
    """Return `▰▰▰▱▱▱ step 12 of 50, loss 3.2, about 2 min 05 s left`.

    A training of several epochs counts its steps anew in each: `epoch 2 of 3, step 12 of 50`.
    """
    words = [_step(progress)]
    if progress.loss is not None:
        loss = "NaN" if math.isnan(progress.loss) else f"{progress.loss:.4g}"
        words.append(f"loss {loss}")
    if progress.reward is not None:
        words.append(f"reward {progress.reward:.4g}")
    if progress.eta is not None and not progress.finished and progress.eta.total_seconds() > 0:
        words.append(f"about {duration(progress.eta)} left")
    elif progress.step_seconds and not progress.finished:
        words.append(f"{figure(progress.step_seconds)} s a step")
    text = ", ".join(words)
    if progress.share is None:
        return text
    full = round(progress.share * BAR)
    return f"{FULL * full}{EMPTY * (BAR - full)}  {text}"


def _step(progress: Progress) -> str:
    if not progress.total:
        return f"step {progress.step:,}"
    here = progress.in_epoch
    if here is None or progress.epochs == 1:
        return f"step {progress.step:,} of {progress.total:,}"
    step, steps = here
    return f"epoch {progress.epoch} of {progress.epochs}, step {step:,} of {steps:,}"


def sentence(words: str) -> str:
    """Return what `in_words` gave as a sentence, without the bar; empty stays empty."""
    text = words.lstrip(f"{FULL}{EMPTY} ")
    return f"{text[:1].upper()}{text[1:]}." if text else ""
