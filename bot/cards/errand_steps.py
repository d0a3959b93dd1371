"""What the steps of errands are called, and how each is told."""

from __future__ import annotations

from dataclasses import dataclass

from bot.errand import Errand, Step, StepState
from bot.words import count, storage


@dataclass(frozen=True)
class Saying:
    """How a step is told: while it runs, when it is done, when nothing was to do.

    `{said}` is what the script said of it, `{fact}` the fact of the step's name.
    """

    doing: str
    done: str
    there: str = ""


SAYINGS: dict[str, Saying] = {
    "source": Saying("Looking for it", "Found {said}"),
    "present": Saying("Looking at what is there", "", "{said} is there already, and whole"),
    "room": Saying("Looking for room", "{size} free on the disk"),
    "copy": Saying("Copying", "Copied {size}"),
    "check": Saying("Checking it", "Its size is right and it is a whole squashfs image"),
    "place": Saying("Putting it in place", "In place: {said}"),
    "python": Saying("Looking for Python", "Python {said}"),
    "venv": Saying("Making a virtual environment", "Virtual environment {said}"),
    "nemo-run": Saying("Installing NeMo-Run", "NeMo-Run {said}; its command answers"),
    "recipes": Saying("Fetching the recipes", "Recipes at {fact}", "Recipes at {fact}"),
    "launcher": Saying("Trying run.py", "run.py --help works"),
    "launch-script": Saying("Looking for the launcher", "Launcher {said}"),
    "nemo-rl": Saying("Fetching NeMo-RL", "NeMo-RL at {fact}", "NeMo-RL at {fact}"),
    "submodules": Saying("Fetching submodules", "{n} checked out, none missing"),
}

_PRESENT = {
    "none": "Nothing is there yet",
    "part": "A half-written copy of {size} is replaced",
    "truncated": "A half-written image is there ({size}); it is replaced once the new one is whole",
    "squashfs": "What is there is no image ({size}); it is replaced once the new one is whole",
    "other": "Another image is there ({size}); it is kept until the new one is whole",
}

_KEPT = {
    "dirty": "left as it is: {n} not committed",
    "elsewhere": "left as it is, since it is at {detail}",
    "alone": "left as it is, since it has no remote `origin`",
    "own": "left as it is, since its branch {detail} has commits of its own",
}


def step_words(errand: Errand, step: Step) -> str:
    """Return a step in words."""
    saying = SAYINGS.get(step.name, Saying(step.name, step.name))
    if step.state in {StepState.RUNNING, StepState.FAILED}:
        return saying.doing
    if step.name == "present" and step.state is StepState.DONE:
        kind, _, size = step.said.partition(" ")
        return _PRESENT.get(kind, kind).format(size=_size(size))
    template = saying.done
    if step.state is StepState.THERE:
        template = saying.there or f"{saying.done}, already there"
    fact = dict(errand.facts).get(step.name, "")
    number = int(step.said) if step.said.strip().isdigit() else 0
    words = template.format(
        said=step.said.strip(),
        fact=fact,
        size=_size(step.said),
        n=count(number, "submodule"),
    )
    if step.state is StepState.THERE and step.name in {"recipes", "nemo-rl"}:
        words += ", up to date"
    if step.state is StepState.KEPT:
        changed = int(step.detail) if step.detail.isdigit() else 0
        why = _KEPT.get(step.said, "left as it is")
        words += "; " + why.format(detail=step.detail, n=count(changed, "changed file"))
    return words


def _size(text: str) -> str:
    return storage(int(text)) if text.strip().isdigit() else text
