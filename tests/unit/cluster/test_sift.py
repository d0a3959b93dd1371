"""What matters of a log of any size is brought from where it lies, under this machine's shell."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import time
from pathlib import Path

import pytest

from bot.cluster.files import NoFile, Why
from bot.cluster.sift import Bounds, Sifted, sift
from bot.diagnosis import Source, diagnose, sought
from tests.unit.cluster.local import LocalShell

OOM = b"[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
STEP = b"Training epoch 0, iteration %d/999 | lr: 1e-4 | reduced_train_loss: 3.1\n"
BAR = b"\r 46%|###  | 33/71 [22:33<25:58, 41.00s/it]"
ALL = Bounds(whole=0)
"""Even the smallest file counts as large."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The only allowed root."""
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture(params=["mawk", "gawk"])
def shell(home: Path, request: pytest.FixtureRequest) -> LocalShell:
    """A login node with one or the other awk."""
    awk = shutil.which(request.param)
    if awk is None:
        pytest.skip(f"there is no {request.param} here")
    (home.parent / "bin").mkdir()
    (home.parent / "bin" / "awk").symlink_to(awk)
    return LocalShell(home, bin_dirs=(str(home.parent / "bin"),))


async def sifted(shell: LocalShell, text: bytes, bounds: Bounds = ALL) -> Sifted:
    """What is brought of a log that counts as large."""
    path = shell.home / "log"
    path.write_bytes(text)
    ask = sift([str(path)], *sought(), (str(shell.home),), bounds)
    (found,) = await shell.run(ask)
    assert isinstance(found, Sifted)
    assert found.size == len(text)
    return found


def line_no(found: Sifted) -> int:
    """The line that proves that the memory of a GPU ran out."""
    picked = [(number, text.encode()) for number, text in found.lines]
    finding = diagnose([Source("log", picked=picked)])
    assert finding.label == "cuda-oom"
    assert finding.evidence[0].line.startswith("torch.OutOfMemoryError: CUDA")
    return finding.evidence[0].line_no


async def test_only_what_matters_comes_with_its_numbers(shell: LocalShell) -> None:
    """However far from the end it stands."""
    found = await sifted(shell, b"hello\r\n" * 5000 + OOM + b"bye\n" * 5000)
    assert found.lines == ((5001, OOM.decode().strip()),)
    assert (found.left_out, found.late, line_no(found)) == (0, False, 5001)


async def test_the_end_of_the_steps_comes_too_in_its_place(shell: LocalShell) -> None:
    """So that what the run got over can be told from what ended it."""
    steps = b"".join(STEP % n for n in range(1000))
    over = await sifted(shell, OOM + steps)
    assert [number for number, _ in over.lines] == [1, *range(938, 1002)]
    picked = [(number, text.encode()) for number, text in over.lines]
    assert diagnose([Source("log", picked=picked)]).healthy
    assert line_no(await sifted(shell, steps + OOM)) == 1001


@pytest.mark.parametrize("after", [b"", b"bye\n", b"\nbye\r\n\n"])
async def test_steps_are_looked_for_at_the_end_first(shell: LocalShell, after: bytes) -> None:
    """Their numbers are true all the same, and where there are few all of the log is searched."""
    steps = b"".join(STEP % n for n in range(1000))
    text = b"hello\r\n" + OOM + steps + after
    whole = await sifted(shell, text)
    assert [number for number, _ in whole.lines] == [2, *range(939, 1003)]
    assert (await sifted(shell, text, Bounds(whole=0, near=6000))).lines == whole.lines
    assert (await sifted(shell, text, Bounds(whole=0, near=500))).lines == whole.lines


@pytest.mark.parametrize("glue", [b"", b"\r", b"\x1b[A\r"])
async def test_an_error_at_the_end_of_an_endless_progress_bar(
    shell: LocalShell, glue: bytes
) -> None:
    """All of it is one line; the error is its last part."""
    found = await sifted(shell, b"one\n" + BAR * 20_000 + glue + OOM + b"bye\n")
    assert len(found.lines) <= 65
    assert line_no(found) == 2


async def test_bars_after_an_error_in_the_same_line_show_that_it_was_got_over(
    shell: LocalShell,
) -> None:
    """The parts of a line keep their order."""
    found = await sifted(shell, BAR * 99 + b"\r" + OOM.strip() + BAR * 99 + b"\n")
    picked = [(number, text.encode()) for number, text in found.lines]
    assert diagnose([Source("log", picked=picked)]).healthy


async def test_an_overlong_line_is_cut_around_what_matters(shell: LocalShell) -> None:
    """Wherever in it that stands."""
    for before in (10, 1990, 3490, 100_001):
        found = await sifted(shell, b"x" * before + b" " + OOM.strip() + b"y" * 100_000 + b"\n")
        assert 0 < sum(len(text) for _, text in found.lines) < 11_000
        picked = [(number, text.encode()) for number, text in found.lines]
        assert diagnose([Source("log", picked=picked)]).label == "cuda-oom"


async def test_lines_of_ten_megabytes(shell: LocalShell) -> None:
    """They cost no more than their length, and count as lines."""
    line = b"x" * 10_000_000
    found = await sifted(shell, line + b"\n" + line + b"\r" + OOM + line + b"\n" + OOM)
    assert line_no(found) == 2
    assert [number for number, _ in found.lines] == [2, 4]


async def test_a_line_longer_than_memory_has_no_number(home: Path) -> None:
    """It is cut where it lies."""
    with (home / "log").open("wb") as log:
        log.seek(450_000_000)
        log.write(b"\r" + OOM)
    (found,) = await LocalShell(home).run(sift([log.name], *sought(), (str(home),)))
    assert isinstance(found, Sifted)
    assert (line_no(found), found.late) == (0, False)


async def test_a_file_that_grows_is_read_as_far_as_it_was(shell: LocalShell) -> None:
    """However fast it grows, there is an end."""
    path = shell.home / "log"
    path.write_bytes(OOM * 2)
    with path.open("ab", buffering=0) as log:
        writing = True

        async def write() -> None:
            while writing:
                log.write(OOM * 100)
                await asyncio.sleep(0)

        async with asyncio.TaskGroup() as group:
            group.create_task(write())
            (found,) = await shell.run(sift([str(path)], *sought(), (str(shell.home),), ALL))
            writing = False
    assert isinstance(found, Sifted)
    assert found.size // len(OOM) <= found.lines[-1][0] < path.stat().st_size // len(OOM)


async def test_the_login_node_has_other_things_to_do(shell: LocalShell) -> None:
    """The search steps back behind them."""
    grep = Path(shell.bin_dirs[0]) / "grep"
    grep.write_text(f'#!/bin/sh\nnice >>"$HOME/nice"\nexec {shutil.which("grep")} "$@"\n')
    grep.chmod(0o700)
    await sifted(shell, OOM)
    assert set((shell.home / "nice").read_text().split()) == {str(min(os.nice(0) + 10, 19))}


async def test_colours_do_not_hide_words(shell: LocalShell) -> None:
    """Not even in the middle of one."""
    red = OOM.replace(b"OutOf", b"\x1b[31mOutOf\x1b[0m").replace(b"out of", b"out\x1b[1;31m of")
    assert line_no(await sifted(shell, b"\x1b[32mok then\x1b[0m\n" + red)) == 2


async def test_bytes_that_are_no_text(shell: LocalShell) -> None:
    """Zero bytes, broken UTF-8."""
    assert line_no(await sifted(shell, b"a\0b\xff\xfe\n\0" + OOM)) == 2


async def test_of_very_many_lines_the_first_and_the_last_of_each_kind_come(
    shell: LocalShell,
) -> None:
    """And how many were left out."""
    flood = b"".join(b"srun: error: node-%d: task %d: Killed\n" % (n, n) for n in range(90_000))
    found = await sifted(shell, flood + OOM + flood)
    numbers = [number for number, _ in found.lines]
    assert numbers[:64] == list(range(1, 65))
    assert 90_001 in numbers
    assert numbers[-2000:] == list(range(180_002 - 2000, 180_002))
    assert found.left_out == 180_001 - len(numbers)


async def test_many_kinds_of_lines_do_not_fill_the_memory(shell: LocalShell) -> None:
    """The answer is bounded, and still has its beginning and its end."""
    noise = [b"x" * (n % 999) + b" out of memory. Tried to allocate %d" % n for n in range(30_000)]
    found = await sifted(shell, OOM + b"\n".join(noise) + b"\n" + OOM)
    assert sum(len(text) for _, text in found.lines) < 7 * 1024 * 1024
    assert found.left_out > 0
    assert [number for number, _ in found.lines][:: len(found.lines) - 1] == [1, 30_002]


async def test_without_time_the_end_is_looked_at(shell: LocalShell) -> None:
    """Its lines have no numbers then, and it is said."""
    found = await sifted(shell, b"a\n" * 1000 + OOM, Bounds(whole=0, seconds=0))
    assert found.late
    assert line_no(found) == 0


async def test_all_files_in_one_question(shell: LocalShell, home: Path) -> None:
    """Small ones come whole; what cannot be read is named."""
    (home / "small").write_bytes(b"a\0\xff\r\nb")
    (home / "large").write_bytes(b"nothing\n" * 100_000)
    (home / "empty").write_bytes(b"")
    (home.parent / "outside").write_bytes(b"secret")
    (home / "link").symlink_to(home.parent / "outside")
    paths = [str(home / name) for name in ("small", "gone", "large", "link", "empty")]
    assert await shell.run(sift(paths, *sought(), (str(home),))) == (
        Sifted(paths[0], 6, "a\0\ufffd\r\nb"),
        NoFile(paths[1], Why.MISSING),
        Sifted(paths[2], 800_000, "nothing\n" * 32_768, whole=False),
        NoFile(paths[3], Why.OUTSIDE),
        Sifted(paths[4], 0),
    )


async def test_what_a_log_says_cannot_part_the_answer(shell: LocalShell) -> None:
    """The sign that parts it is new each time."""
    found = await sifted(shell, b"\n" + b"0" * 16 + b":end:0\n" + OOM)
    assert line_no(found) == 3


async def test_time_grows_with_the_log(home: Path) -> None:
    """200 MB of steps take seconds, with the cause in the middle of them."""
    shell = LocalShell(home)
    step = STEP % 7
    half = step * (100_000_000 // len(step))

    async def seconds(text: bytes) -> float:
        begin = time.monotonic()
        found = await sifted(shell, text)
        assert re.fullmatch(r"torch\.\w+Error.*", diagnosed(found))
        brought = len(found.text) + sum(len(text) for _, text in found.lines)
        assert brought < 300_000
        return time.monotonic() - begin

    def diagnosed(found: Sifted) -> str:
        return next(text for _, text in found.lines if "Memory" in text).partition(": ")[2]

    small = min([await seconds(half[:20_000_000] + OOM) for _ in range(2)])
    large = await seconds(half + OOM + half)
    assert large < 20
    assert large < 30 * small + 1
