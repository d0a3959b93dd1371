"""A job's checkpoints, found under this machine's shell."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.cluster.checkpoints import Found, checkpoints
from tests.unit.cluster.local import LocalShell


@pytest.fixture
def shell(tmp_path: Path) -> LocalShell:
    """A login node; its home is the only root."""
    (tmp_path / "home").mkdir()
    return LocalShell(tmp_path / "home")


def make(shell: LocalShell, *names: str, text: str = "weights") -> None:
    for name in names:
        path = shell.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


async def look(shell: LocalShell, stdout: str = "slurm-75.out", log: str = "") -> Found:
    home = str(shell.home)
    return await shell.run(
        checkpoints("75", home, f"{home}/{stdout}", f"{home}/{log}" if log else "", (home,))
    )


def steps(found: Found) -> list[tuple[int, bool]]:
    return [(one.step, one.whole) for one in found.checkpoints]


async def test_steps_count_as_numbers_and_a_temporary_one_is_not_whole(shell: LocalShell) -> None:
    folders = ("step_9", "step_10", "step_100", "tmp_step_110")
    make(shell, *(f"75/checkpoints/{name}/policy/weights/model.npz" for name in folders))
    make(shell, "75/checkpoints/step_999", "75/checkpoints/step_7.txt")
    found = await look(shell)
    assert steps(found) == [(110, False), (100, True), (10, True), (9, True)]
    assert [one.name for one in found.whole] == ["step_100", "step_10", "step_9"]
    assert found.whole[0].trainer == "NeMo-RL"
    assert found.whole[0].path == f"{shell.home}/75/checkpoints/step_100"
    assert found.whole[0].kilobytes


@pytest.mark.parametrize("name", ["x\x1eC\x1fsoon\x1fd\x1f1\x1fstep_9", "x\nstep_9", "x\x1fstep_9"])
async def test_a_name_that_would_part_the_answer_is_left_out(shell: LocalShell, name: str) -> None:
    """Also one that looks like a record of ours."""
    make(shell, "75/checkpoints/step_1/weights", f"75/checkpoints/{name}/weights")
    make(shell, "75/checkpoints/latest_checkpointed_iteration.txt", text="1\x1eC\x1fx\x1fd")
    assert [one.name for one in (await look(shell)).checkpoints] == ["step_1"]


async def test_an_empty_folder_and_none_at_all_are_told_apart(shell: LocalShell) -> None:
    assert await look(shell) == Found((), ())
    (shell.home / "75/checkpoints").mkdir(parents=True)
    assert await look(shell) == Found((f"{shell.home}/75/checkpoints",), ())


async def test_nemo_runs_experiments_are_looked_through(shell: LocalShell) -> None:
    where = "experiments/x/x_1/x"
    make(shell, f"{where}/log_x/2026/checkpoints/m--val_loss=1.0-step=49-consumed=1/weights/a")
    make(shell, f"{where}/log_x/2026/checkpoints/m--val_loss=0.9-step=99-consumed=2/weights/a")
    make(shell, f"{where}/log_x/2026/checkpoints/m--val_loss=0.9-step=99-consumed=2-unfinished")
    found = await look(shell, f"{where}/sbatch_a-a.x_75.out")
    assert steps(found) == [(99, False), (49, True)]
    assert found.checkpoints[0].trainer == "NeMo"


@pytest.mark.parametrize(
    ("line", "names", "found"),
    [
        (
            (
                "Epoch 0, global step 9: 'val_loss' reached 1, saving model to"
                " '{home}/out/checkpoints/m--val_loss=1.0-epoch=0-step=9.npz' as top 5"
            ),
            ("m--val_loss=1.0-epoch=0-step=9.npz", "m--val_loss=0.5-epoch=0-step=19.part"),
            [(19, False), (9, True)],
        ),
        (
            "📊 Using checkpoint directory: out/checkpoints",
            ("step_3/config.yaml", "tmp_step_6/config.yaml"),
            [(6, False), (3, True)],
        ),
        (
            "  successfully saved checkpoint from iteration 9 to {home}/out/checkpoints [ t 1/1 ]",
            ("iter_0000100/a", "iter_0000200/a"),
            [(200, False), (100, True)],
        ),
    ],
)
async def test_the_log_says_where_else_they_lie(
    shell: LocalShell, line: str, names: tuple[str, ...], found: list[tuple[int, bool]]
) -> None:
    make(shell, *(f"out/checkpoints/{name}" for name in names))
    make(shell, "out/checkpoints/latest_checkpointed_iteration.txt", text="100\n")
    make(shell, "train.log", text=f"begin\n{line.format(home=shell.home)}\nend\n")
    if "iter" not in names[0]:
        (shell.home / "out/checkpoints/latest_checkpointed_iteration.txt").unlink()
    assert steps(await look(shell, log="train.log")) == found


async def test_a_folder_outside_the_roots_stays_unread(shell: LocalShell, tmp_path: Path) -> None:
    (tmp_path / "other/step_1").mkdir(parents=True)
    (shell.home / "75").mkdir()
    (shell.home / "75/checkpoints").symlink_to(tmp_path / "other")
    assert await look(shell) == Found((), ())
