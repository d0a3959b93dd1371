"""One linear pass that finds each telling line and its number."""

from __future__ import annotations

import time

import pytest

from bot.diagnosis import Source, diagnose

OOM = b"[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"


def _at(*chunks: bytes) -> tuple[str, list[int]]:
    finding = diagnose([Source("o", chunks)])
    return finding.label, [evidence.line_no for evidence in finding.evidence]


def test_lines_are_counted_as_an_editor_counts() -> None:
    """A carriage return redraws a line and does not end it."""
    bar = b"\r 46%|##  | 1/9 [00:01<00:02,  1.0s/it]" * 50
    assert _at(b"one\r\ntwo\n" + bar + b"\n" + OOM) == ("cuda-oom", [4])


@pytest.mark.parametrize("size", [1, 7, 64, 4096])
def test_it_does_not_matter_where_chunks_are_cut(size: int) -> None:
    """Not even in the middle of a word or of a line end."""
    text = b"one\r\ntwo\rthree\n" * 20 + OOM + b"bye\n"
    chunks = [text[at : at + size] for at in range(0, len(text), size)]
    assert _at(*chunks) == ("cuda-oom", [41])


def test_an_error_glued_to_a_progress_bar_is_seen() -> None:
    """And quoted without the bar."""
    glued = b"val: 46%|#  | 33/71 [22:33<25:58, 41.00s/it]" + OOM
    finding = diagnose([Source("o", [glued])])
    assert finding.evidence[0].line.startswith("torch.OutOfMemoryError")


def test_a_log_without_line_ends_is_read_to_its_end() -> None:
    """In pieces."""
    assert _at(b"x" * 3_000_000 + b" " + OOM)[0] == "cuda-oom"


def test_bytes_that_are_no_text_do_no_harm() -> None:
    """Binary data, broken UTF-8, zero bytes."""
    assert _at(bytes(range(256)) * 40 + b"\n\xff\xfe " + OOM)[0] == "cuda-oom"


def test_the_lines_of_a_thousand_ranks_are_quoted_once() -> None:
    """They say the same."""
    text = b"".join(OOM.replace(b"rank3", b"rank%d" % rank) for rank in range(1000))
    label, numbers = _at(text)
    assert (label, numbers) == ("cuda-oom", [1])


@pytest.mark.parametrize(
    "bait",
    [b"a" * 200, b"NCCL WARN Call to ibv_x ", b"((((", b"Error: " * 30, b"1/1 [1<1, " * 20, b"\r"],
)
def test_time_grows_with_the_log_and_not_faster(bait: bytes) -> None:
    """Eight times the text takes about eight times as long, whatever it says."""

    def seconds(times: int) -> float:
        text = bait * (times * 400_000 // len(bait))
        begin = time.process_time()
        diagnose([Source("o", [text])])
        return time.process_time() - begin

    seconds(1)
    small, large = min(seconds(1) for _ in range(3)), seconds(8)
    assert large < 40 * small + 0.1
