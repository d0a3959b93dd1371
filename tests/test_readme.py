"""What people read first against what is there: every subcommand, and every setting."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from bot.grammar import Parsed, parse
from bot.grammar.commands import COMMANDS, Command
from bot.settings import Settings

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLE = (ROOT / "sbatchat.example.toml").read_text(encoding="utf-8")
TYPED = re.findall(r"(?m)^\| (`/.*?) \| ", README.replace("\\|", "/"))
"""The left column of the table of commands."""


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_subcommand_is_in_the_readme(command: Command) -> None:
    """In a row of its slash command."""
    cells = [cell for cell in TYPED if f"`/{command.group} " in cell]
    assert any({*command.verb.split()} <= {*re.findall(r"[\w-]+", cell)} for cell in cells)


OWN = {
    "EXPERIMENT": "nemo-demo-run",
    "RECIPE": "pretrain/llama3p1_2b_pt.py",
    "REGISTRY/NAME:TAG": "nvcr.io/nvidia/nemo:25.07",
    "JOB": "75",
}


def typed_in_workflows() -> list[str]:
    """Every command that docs/workflows.md says to type."""
    table = (ROOT / "docs/workflows.md").read_text(encoding="utf-8")
    return re.findall(r"`(/(?:nemo|nemo-rl|slurm) [^`]+)`", table)


@pytest.mark.parametrize("line", typed_in_workflows())
def test_every_command_of_the_workflows_can_be_typed(line: str) -> None:
    """Words in capitals stand for something of the reader's."""
    command, _, text = line.partition(" ")
    for word, own in OWN.items():
        text = text.replace(word, own)
    assert isinstance(parse(command, text), Parsed)


def settings(model: type[BaseModel] = Settings, section: str = "") -> Iterator[str]:
    """Every setting with its section: `clusters.NAME.nemo.dir`."""
    for name, field in model.model_fields.items():
        path = f"{section}.{name}".lstrip(".")
        several = path in {"clusters", "channels"}
        inner = [one for one in (field.annotation, *get_args(field.annotation)) if _is_model(one)]
        if path == "slack":  # comes from the environment alone
            continue
        if inner:
            yield from settings(inner[0], f"{path}.NAME" if several else path)
        else:
            yield path


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def named_in_the_example() -> Iterator[str]:
    """Every setting that it shows, also those that are commented out."""
    section = ""
    for line in EXAMPLE.splitlines():
        if head := re.match(r"\[([\w.]+)\]", line):
            section = re.sub(r"^(clusters|channels)\.\w+", r"\1.NAME", head[1])
        elif name := re.match(r"(?:# )?(\w+) = ", line):
            yield f"{section}.{name[1]}"


def test_the_example_shows_every_setting_and_no_other() -> None:
    """Tables whose names people choose are shown by an example of each."""
    free = ("secrets", "clusters.NAME.secrets", "clusters.NAME.slurm_types")
    shown = {
        next((one for one in free if f"{name}.".startswith(f"{one}.")), name)
        for name in named_in_the_example()
    }
    assert shown == set(settings())
