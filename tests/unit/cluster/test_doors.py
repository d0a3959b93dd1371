"""The way into interactive jobs: the script runs under a shell of this machine."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.cluster.doors import Door, doors, telling
from bot.job import Job, Observation, State
from tests.unit.cluster.local import LocalShell

BEGAN = datetime.now(UTC)


def a_job(folder: Path, number: str = "75", started: datetime = BEGAN) -> Job:
    """A running job that was submitted from this folder."""
    seen = Observation(
        id=number, state=State.RUNNING, raw="RUNNING", workdir=str(folder), started=started
    )
    return Job(cluster="alice", id=number, request="r1", seen=seen, created=BEGAN)


async def look(home: Path, *jobs: Job, root: Path | None = None) -> dict[str, Door]:
    """Ask once."""
    return await LocalShell(home).run(doors(jobs, [str(root or home)]))


def write(path: Path, text: str, ago: timedelta = timedelta()) -> Path:
    """Lay down a file as old as wished."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    at = (BEGAN - ago).timestamp()
    os.utime(path, (at, at))
    return path


@pytest.mark.parametrize("name", ["75/attach.sh", "75-attach.sh"])
async def test_the_script_is_found_in_both_layouts(tmp_path: Path, name: str) -> None:
    """In the job's own folder, or beside it."""
    script = write(tmp_path / name, "exec srun --pty bash\n")
    assert (await look(tmp_path, a_job(tmp_path)))["75"].attach == str(script)


async def test_a_script_that_is_still_being_written_does_not_count(tmp_path: Path) -> None:
    """Empty, or cut in the middle of an `if`."""
    script = write(tmp_path / "75/attach.sh", "")
    assert (await look(tmp_path, a_job(tmp_path)))["75"].attach == ""
    write(script, "if true; then\n")
    assert (await look(tmp_path, a_job(tmp_path)))["75"].attach == ""
    write(script, "if true; then\nexec srun bash\nfi\n")
    assert (await look(tmp_path, a_job(tmp_path)))["75"].attach == str(script)


async def test_what_an_earlier_attempt_left_does_not_count(tmp_path: Path) -> None:
    """Neither its script nor its log lines."""
    write(tmp_path / "75/attach.sh", "true\n", ago=timedelta(minutes=5))
    write(tmp_path / "75/nemo_rl_output.log", "All workers connected!\n", ago=timedelta(minutes=5))
    assert (await look(tmp_path, a_job(tmp_path)))["75"] == Door("", "")


async def test_a_script_outside_the_roots_does_not_count(tmp_path: Path) -> None:
    """Nor one that a link leads to."""
    (tmp_path / "home").mkdir()
    outside = write(tmp_path / "elsewhere/attach.sh", "true\n")
    (tmp_path / "home/75").mkdir()
    (tmp_path / "home/75/attach.sh").symlink_to(outside)
    job = a_job(tmp_path / "home")
    assert (await look(tmp_path / "home", job, root=tmp_path / "home"))["75"].attach == ""


async def test_a_script_that_everybody_may_write_to_does_not_count(tmp_path: Path) -> None:
    """Who wrote it is not known; one that is shared with a group is fine."""
    script = write(tmp_path / "75/attach.sh", "true\n")
    script.chmod(0o666)
    assert (await look(tmp_path, a_job(tmp_path)))["75"].attach == ""
    script.chmod(0o664)
    assert (await look(tmp_path, a_job(tmp_path)))["75"].attach == str(script)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
async def test_a_script_of_somebody_else_does_not_count(tmp_path: Path) -> None:
    """In a folder that is shared, anybody can lay down a file of this name."""
    script = write(tmp_path / "75/attach.sh", "true\n")
    os.chown(script, 65534, 65534)
    assert (await look(tmp_path, a_job(tmp_path)))["75"].attach == ""


async def test_several_jobs_are_looked_for_in_one_round_trip(tmp_path: Path) -> None:
    """Each with its own script and its own line; odd names hurt nobody."""
    odd = tmp_path / "it's odd; $(touch x)"
    write(odd / "75/nemo_rl_output.log", "[INFO][now] Number of actors online: 8/16\nnoise\n")
    write(tmp_path / "76-attach.sh", "true\n")
    found = await look(tmp_path, a_job(odd), a_job(tmp_path, "76"), a_job(tmp_path, "77"))
    assert found["75"] == Door("", "Number of actors online: 8/16")
    assert found["76"].attach.endswith("/76-attach.sh")
    assert found["77"] == Door("", "")
    assert not (tmp_path / "x").exists()


async def test_control_characters_in_a_log_do_not_break_the_answer(tmp_path: Path) -> None:
    """A log is hostile input."""
    write(tmp_path / "75/nemo_rl_output.log", "a\x1eb\x1fc Number of actors online: 1/2\n")
    assert "Number of actors online: 1/2" in (await look(tmp_path, a_job(tmp_path)))["75"].told


@pytest.mark.parametrize(
    ("logs", "told"),
    [
        ([], ""),
        (["[INFO][Mon Nov 30] Number of actors online: 1/2\n\n"], "Number of actors online: 1/2"),
        (
            ["[NRL_PHASE][2026-11-30T21:00:00+00:00][+3s] Ray head GCS up (STARTED_RAY_HEAD)\n"],
            "Ray head GCS up (STARTED_RAY_HEAD)",
        ),
        (
            ["All workers connected!\n[ERROR] Background srun 'ray-worker-1' died (pid=7).\n"],
            "[ERROR] Background srun 'ray-worker-1' died (pid=7).",
        ),
        (["pulling\n", "Number of actors online: 3/4\n"], "Number of actors online: 3/4"),
        (["pulling the image\n", "nothing telling\n"], "pulling the image"),
        (["x" * 500], "x" * 159 + "…"),
    ],
)
def test_the_newest_telling_line_is_shown(logs: list[str], told: str) -> None:
    """Without its stamps; the last line where none tells."""
    assert telling(logs) == told
