"""The ends of many logs at once, under this machine's shell."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bot.cluster.peek import BYTES, peek
from bot.progress import progress
from tests.unit.cluster.local import LocalShell

BANNER = "=" * 25


@pytest.fixture
def shell(tmp_path: Path) -> LocalShell:
    """A login node; its home is the only root."""
    (tmp_path / "home").mkdir()
    return LocalShell(tmp_path / "home")


def write(shell: LocalShell, name: str, text: str, age: int = 0) -> None:
    path = shell.home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (1_000_000 - age, 1_000_000 - age))


async def ends(shell: LocalShell, *jobs: str) -> dict[str, str]:
    home = str(shell.home)
    asked = [(job, f"{home}/slurm-{job}.out", home) for job in jobs]
    return await shell.run(peek(asked, (home,)))


async def test_what_the_training_writes_tells_more_than_the_batch_script(
    shell: LocalShell,
) -> None:
    """In each launcher's layout; of several attempts the newest."""
    for job in range(1, 6):
        write(shell, f"slurm-{job}.out", "batch\n")
    write(shell, "log-acct.x_1_0.out", "first\n", age=9)
    write(shell, "log-acct.x_1_1.out", "second\n", age=5)
    write(shell, "2/nemo_rl_output.log", "google\n", age=9)
    write(shell, "3-logs/ray-driver.log", "first\n", age=9)
    write(shell, "3-1-logs/ray-driver.log", "second\n", age=5)
    write(shell, "33-logs/ray-driver.log", "another job\n")
    assert await ends(shell, "1", "2", "3", "4", "6") == {
        "1": "second\n",
        "2": "google\n",
        "3": "second\n",
        "4": "batch\n",
        "6": "",
    }


async def test_a_log_speaks_for_its_own_job_alone(shell: LocalShell) -> None:
    """Whatever it holds: what parts our answer is left out of it."""
    write(shell, "slurm-1.out", "step 1\x1e2\x1fstep 99 of 99\n\x1e\n")
    write(shell, "slurm-2.out", "step 2\n")
    assert await ends(shell, "1", "2") == {"1": "step 12step 99 of 99\n\n", "2": "step 2\n"}


async def test_the_epoch_of_a_step_is_found_far_above_it(shell: LocalShell) -> None:
    steps = "".join(
        f"{BANNER} Step {step}/90 {BANNER}\n  • loss: 0.5\n{'x' * 500}\n" for step in range(1, 61)
    )
    log = f"{BANNER} Epoch 1/4 {BANNER}\n{BANNER} Epoch 2/4 {BANNER}\n{steps}"
    assert len(steps) > 2 * BYTES
    write(shell, "7/nemo_rl_output.log", log)
    found = progress((await ends(shell, "7"))["7"])
    assert found is not None
    assert (found.epoch, found.epochs, found.in_epoch) == (2, 4, (60, 90))


async def test_a_log_outside_the_roots_stays_unread(shell: LocalShell, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(f"{BANNER} Step 1/2 {BANNER}\n")
    (shell.home / "8").mkdir()
    (shell.home / "8/nemo_rl_output.log").symlink_to(tmp_path / "secret")
    assert await ends(shell, "8") == {"8": ""}


async def test_a_line_that_is_still_being_written_is_left_for_the_next_look(
    shell: LocalShell,
) -> None:
    """Half a number is another number; a progress bar ends its lines with a carriage return."""
    write(shell, "slurm-1.out", "step 11/120\nstep 12/1")
    write(shell, "slurm-2.out", " 9%|# | 11/120\r10%|# | 12/1")
    write(shell, "slurm-3.out", "step")
    assert await ends(shell, "1", "2", "3") == {
        "1": "step 11/120\n",
        "2": " 9%|# | 11/120\r",
        "3": "",
    }
