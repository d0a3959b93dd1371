"""One way for a job to fail, and what a diagnosis of it must say."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from textwrap import dedent
from typing import Literal

from bot.demo.cluster import EmbeddedCluster

Meddle = Callable[[EmbeddedCluster, str], Awaitable[None]]
"""Something that is done to a job by its id, once it runs."""

STEPS = """\
for step in $(seq 1 8); do
  echo "[default0]:Training epoch 0, iteration $step/1000 | lr: 3e-05 | global_step: $step | reduced_train_loss: 9.$step"
  sleep 0.2
done
"""
"""Some lines of training, for the shell."""


@dataclass(frozen=True)
class Play:
    """A job or command that fails, or does not."""

    name: str
    label: str
    truth: str
    """What was really done, for people; a remedy may be guessed from it."""
    script: str = ""
    """A batch script, its first line left out; or a line for the shell of the login node."""
    options: tuple[str, ...] = ()
    proof: tuple[str, ...] = ()
    """Parts of the lines that state the cause."""
    also: tuple[str, ...] = ()
    """Other labels that fit."""
    kind: Literal["job", "submit", "pending"] = "job"
    meddle: Meddle | None = None
    transient: bool = False
    files: tuple[tuple[str, str], ...] = ()
    """Names and contents of files that lie beside it."""
    last: bool = False
    """It takes something away from the others: played alone, in the end."""


def python(
    name: str,
    label: str,
    truth: str,
    program: str,
    *proof: str,
    before: str = "",
    also: tuple[str, ...] = (),
    transient: bool = False,
) -> Play:
    """Return the play of a Python program, in a job of one node."""
    return Play(
        name,
        label,
        truth,
        f"{before}\npython3 -u train.py",
        ("--time=5",),
        proof,
        also,
        files=(("train.py", dedent(program)),),
        transient=transient,
    )
