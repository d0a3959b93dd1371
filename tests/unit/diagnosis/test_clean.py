"""Launchers' prefixes, colours and progress bars do not hide a line's words."""

from __future__ import annotations

import pytest

from bot.diagnosis.clean import Line, line, lines


@pytest.mark.parametrize(
    ("raw", "rank", "node"),
    [
        ("boom", "", ""),
        ("  boom  ", "", ""),
        (" 3: boom", "3", ""),
        ("[rank3]: boom", "3", ""),
        ("[default3]:boom", "3", ""),
        ("[Rank 3] boom", "3", ""),
        ("pretrain/0 [default3]:[rank3]: boom", "3", ""),
        ("12: [rank95]: boom", "95", ""),
        ("[1,7]<stderr>:boom", "7", ""),
        ("(Worker pid=3, ip=10.0.0.1) boom", "", ""),
        ("(Policy[rank=3] pid=77) boom", "3", ""),
        ("2026-11-30T10:11:12.123456Z stderr F [rank3]: boom", "3", ""),
        ("[1,mpirank:7,algo-1]<stderr>:boom", "", ""),
        ("[3]: boom", "", ""),
        ("trainer-0  | boom", "", ""),
        ("Nov 02 10:10:10 gn07 python[123]: boom", "", ""),
        ("[2026-11-02 10:10:10] boom", "", ""),
        ("10:10:10.123 boom", "", ""),
        ("gn07.cluster.local: boom", "", "gn07.cluster.local"),
        ("alice-a3m-0: boom", "", "alice-a3m-0"),
        ("val:  46%|###  | 33/71 [22:33<25:58, 41.00s/it][rank3]: boom", "3", ""),
    ],
)
def test_prefixes_go_and_the_rank_and_node_stay(raw: str, rank: str, node: str) -> None:
    """However many launchers stand in a row."""
    clean = line(raw.encode())
    assert (clean.text, clean.bare, clean.rank, clean.node) == (b"boom", b"boom", rank, node)


def test_a_tasks_number_and_a_nodes_own_count_are_told_from_a_rank() -> None:
    """`srun --label` counts tasks, torchrun's `default` begins anew on each node."""
    assert line(b"1: [rank11]: boom") == Line(b"boom", b"boom", "11", "", "1")
    assert line(b"[default3]:boom").local
    assert not line(b"[default3]:[rank11]: boom").local


def test_nccl_says_on_which_node_it_speaks() -> None:
    """The line is quoted whole."""
    raw = b"3: bob-h200-5:826106:827987 [3] NCCL WARN Call to ibv_create_qp failed"
    assert (line(raw).rank, line(raw).node) == ("3", "bob-h200-5")
    assert line(raw).text.startswith(b"bob-h200-5:")
    old = b"bob-h200-5:826106:827987 [4] ibvwrap.c:130 NCCL WARN Call to ibv_create_qp failed"
    assert line(old).node == "bob-h200-5"


@pytest.mark.parametrize(
    "raw", ["slurmstepd-alice-a3m-0: error: x", "srun: error: alice-a3m-0: task 3: Killed"]
)
def test_slurms_own_names_are_no_prefix(raw: str) -> None:
    """They say who speaks."""
    assert line(raw.encode()).text == raw.encode()


def test_carriage_returns_end_a_line_and_can_be_told_from_line_feeds() -> None:
    """So that line numbers stay those of an editor."""
    assert lines(b"a\rb\r\nc\n") == b"a\r\nb\nc\n"


def test_colours_go() -> None:
    """Escape sequences of terminals, links too."""
    assert lines(b"\x1b[1;31mboom\x1b[0m \x1b]8;;http://x\x1b\\y\n") == b"boom y\n"
