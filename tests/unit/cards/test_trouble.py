"""What is wrong with what was typed is said once, in words."""

from __future__ import annotations

import pytest

from bot.card import plain
from bot.cards.inside import pointer
from bot.cards.shell_line import lines
from bot.cards.trouble import refused_input
from bot.cluster.inside_job import Ran
from bot.cluster.slurm import NodeState
from bot.errors import FieldError, InputRefused
from tests.payloads.values import tracked


@pytest.mark.parametrize(
    ("field", "message", "said"),
    [
        ("region", "`mars` is not possible here", "region: mars is not possible here."),
        ("job_script", "There is no job script `x.sh`", "There is no job script x.sh."),
        ("reference", "REF is missing", "REF is missing."),
    ],
)
def test_a_field_is_named_unless_the_words_name_it(field: str, message: str, said: str) -> None:
    """With a blank as well as with a dash."""
    refused = InputRefused((FieldError(field, message),))
    assert plain(refused_input(refused, "/nemo x").lead) == said


@pytest.mark.parametrize(
    ("output", "end"),
    [("hello\n", "shows what it wrote."), (" \n", "ended with status 0 and wrote nothing.")],
)
def test_nobody_is_sent_to_read_nothing(output: str, end: str) -> None:
    """A silent command is told as one."""
    assert plain(pointer(tracked("x"), "true", Ran(0, output), 60).lead).endswith(end)


@pytest.mark.parametrize(
    ("state", "foot"),
    [
        ("idle", "The node is yours until that shell ends."),
        ("allocated", "The node is yours until that shell ends."),
        ("down", "The lines work once the node is back.|Slurm's reason: bad fan"),
    ],
)
def test_the_small_print_below_the_lines_fits_the_node(state: str, foot: str) -> None:
    """A node that cannot be had is nobody's."""
    node = NodeState(
        name="n1",
        partitions=("a3m",),
        state=state,
        flags=(),
        gpus=8,
        gpus_used=0,
        reason="bad fan" if state == "down" else "",
    )
    card = lines(node, "a3m", 1, "hcc-a3m", "/w", "ssh login")
    assert [plain(line) for line in card.foot] == foot.split("|")
