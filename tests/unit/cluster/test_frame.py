"""Finding an answer between its marks, whatever stands around it."""

from __future__ import annotations

import pytest

from bot.cluster.shell import Frame
from bot.ports import Output

FRAME = Frame("n0nce")
QUIET = b"n0nce\n\nn0nce\n"


@pytest.mark.parametrize(
    ("stdout", "answer"),
    [
        (b"n0nce\nanswer\nn0nce 0\n", "answer"),
        (b"banner\nn0nce\nanswer\nn0nce 0\n", "answer"),
        (b"n0nce\nn0nce 1\nanswer\nn0nce 0\n", "n0nce 1\nanswer"),
    ],
)
def test_the_answer_stands_between_the_marks(stdout: bytes, answer: str) -> None:
    assert FRAME.output(stdout, QUIET) == Output(answer, "", 0)


def test_what_an_orphan_writes_after_the_mark_is_no_part_of_the_status() -> None:
    """The script was killed, and a program that it had started goes on."""
    stdout = b"n0nce\n\nn0nce 137\nSubmitted batch job 128\n"
    assert FRAME.output(stdout, QUIET) == Output("", "", 137)


@pytest.mark.parametrize(
    "stdout", [b"", b"banner\n", b"n0nce\nansw", b"n0nce\nanswer\nn0nce ", b"n0nce\nanswer\nn0nce"]
)
def test_an_answer_that_was_cut_is_none(stdout: bytes) -> None:
    assert FRAME.output(stdout, b"n0nce\n") is None
