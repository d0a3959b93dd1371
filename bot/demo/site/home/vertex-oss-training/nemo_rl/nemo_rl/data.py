"""The data that the examples train on."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path


def question_answers(path: str) -> list[tuple[str, str]]:
    """Question and answer of each line."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    pairs = [json.loads(line) for line in lines]
    return [(f"{pair['input']} ", pair["output"]) for pair in pairs]


def preferences(path: str) -> list[tuple[str, str, str]]:
    """Question, the answer that people prefer, and an answer to some other question."""
    return [
        (question, right, wrong)
        for (question, right), (_, wrong) in permutations(question_answers(path), 2)
    ]
