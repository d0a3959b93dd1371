"""A command inside a job: the scripts run under a shell of this machine, with an attach.sh."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from bot.cluster.inside_job import BYTES, Ran, run_inside
from bot.errors import ClusterUnreachable
from bot.ports import Query
from tests.unit.cluster.local import LocalShell

ATTACH = 'echo "in $PWD"; exec bash -c "$COMMAND"\n'


@pytest.fixture
def attach(tmp_path: Path) -> str:
    """A script that does without Slurm what the real one does with it."""
    script = tmp_path / "rl" / "75" / "attach.sh"
    script.parent.mkdir(parents=True)
    script.write_text(ATTACH)
    return str(script)


async def ask(home: Path, attach: str, command: str, act: str = "a1", seconds: int = 5) -> Ran:
    """Run it."""
    return await LocalShell(home).run(run_inside(act, attach, command, seconds))


async def test_output_and_status_come_back(tmp_path: Path, attach: str) -> None:
    """Both streams, in the folder above the job's own."""
    ran = await ask(tmp_path, attach, "echo out; echo err >&2; exit 3")
    assert ran == Ran(3, f"in {tmp_path}/rl\nout\nerr\n")


@pytest.mark.parametrize(
    "word", ["$(touch pwned)", "'; touch pwned; '", '"`touch pwned`"', "a\\b $HOME 'x'", "-n"]
)
async def test_a_command_is_one_value_whatever_it_holds(
    tmp_path: Path, attach: str, word: str
) -> None:
    """It reaches the script in the environment, as written; no shell of ours reads it."""
    Path(attach).write_text('printf "%s" "$COMMAND"')
    assert await ask(tmp_path, attach, word) == Ran(0, word)
    assert not list(tmp_path.rglob("pwned"))


async def test_what_a_command_makes_has_the_modes_that_people_are_used_to(
    tmp_path: Path, attach: str
) -> None:
    """Only what is kept of its output is the login account's own."""
    await ask(tmp_path, attach, "umask 022; echo >shared; umask >mask")
    assert (tmp_path / "rl" / "shared").stat().st_mode & 0o777 == 0o644
    login = await LocalShell(tmp_path).run(Query("umask", lambda output: output.stdout))
    await ask(tmp_path, attach, "umask >mask", act="a2")
    assert (tmp_path / "rl" / "mask").read_text().strip() == login.strip()
    (kept, _) = sorted((tmp_path / ".sbatchat" / "inside").iterdir())
    assert (kept / "out").stat().st_mode & 0o777 == 0o600


async def test_asking_twice_runs_it_once(tmp_path: Path, attach: str) -> None:
    """At the same time and afterwards: the same act has the same answer."""
    command = "sleep 0.5; date +%N >>ran; cat ran"
    one, other = await asyncio.gather(*(ask(tmp_path, attach, command) for _ in range(2)))
    assert one == other == await ask(tmp_path, attach, command)
    assert len((tmp_path / "rl" / "ran").read_text().splitlines()) == 1
    assert (await ask(tmp_path, attach, command, act="a2")) != one


async def test_a_cut_connection_changes_nothing(tmp_path: Path, attach: str) -> None:
    """The command goes on; whoever asks again gets its answer."""
    shell = LocalShell(tmp_path, ("timeout", "-s", "KILL", "0.3", "/bin/sh"))
    with pytest.raises(ClusterUnreachable):
        await shell.run(run_inside("a1", attach, "sleep 1; echo done >>ran; cat ran", 5))
    assert (await ask(tmp_path, attach, "sleep 1; echo done >>ran; cat ran")).status == 0
    assert (tmp_path / "rl" / "ran").read_text() == "done\n"


async def test_its_time_ends_it_and_all_it_started(tmp_path: Path, attach: str) -> None:
    """What it wrote until then is shown."""
    began = time.monotonic()
    beat = "(trap '' TERM; while :; do echo >>beat; sleep 0.05; done)"
    ran = await ask(tmp_path, attach, f"echo begun; {beat} & {beat}", seconds=1)
    assert (ran.status, ran.late) == (None, True)
    assert ran.output.startswith(f"in {tmp_path}/rl\nbegun\n")
    assert time.monotonic() - began < 10
    size = (tmp_path / "rl" / "beat").stat().st_size
    await asyncio.sleep(0.5)
    assert (tmp_path / "rl" / "beat").stat().st_size == size


async def test_endless_output_is_bounded(tmp_path: Path, attach: str) -> None:
    """Only the end is kept, and no disk is filled."""
    ran = await ask(tmp_path, attach, "yes | head -c 3000000; echo last")
    assert ran.status == 0
    assert len(ran.output) == BYTES
    assert ran.output.endswith("last\n")


async def test_a_script_that_is_gone_is_an_answer(tmp_path: Path, attach: str) -> None:
    """The job has ended and its folder was removed."""
    Path(attach).unlink()
    ran = await ask(tmp_path, attach, "true")
    assert ran.status == 127
    assert "No such file" in ran.output
