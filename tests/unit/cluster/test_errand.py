"""Errands on a login node: begun once, seen from anywhere, stopped whole. Real processes."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from bot.cluster.errand import Phase, Sight, look, script_of, start, stop
from bot.errand import Growth, StepState
from bot.errors import CommandFailed
from bot.model import derive
from bot.ports import Output
from tests.unit.cluster.local import LocalShell

SLOW = script_of() + 'step wait\nsleep "$1"\nok "$2"\nfact given "$2"\nsb_finish 0\n'
ODD = 'it\'s $(touch hacked) `id` "x" \\ *'


async def seen(shell: LocalShell, name: str, phase: Phase) -> Sight:
    """Look until it stands so."""
    for _ in range(100):
        sight = (await shell.run(look([name])))[name]
        if sight.phase is phase:
            return sight
        await asyncio.sleep(0.1)
    raise AssertionError(f"{name} is not {phase}")


async def written(path: Path) -> str:
    """Wait for a file, and read it."""
    async with asyncio.timeout(10):
        while not (path.exists() and (text := path.read_text())):
            await asyncio.sleep(0.02)
    return text


@pytest.fixture
def shell(tmp_path: Path) -> LocalShell:
    """A login node."""
    return LocalShell(tmp_path)


def runner(shell: LocalShell, name: str) -> int:
    """The process that runs an errand."""
    return int((shell.home / ".sbatchat/errands" / name / "runner").read_text().split()[3])


def gone(process: int) -> bool:
    """Whether a process has ended, whoever still has to take note of it."""
    stat = Path(f"/proc/{process}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z"


async def test_it_runs_detached_and_says_what_it_did(shell: LocalShell) -> None:
    """Values reach the script as they are, whatever they contain."""
    begun = await shell.run(start("e1", "image", SLOW, ("0.3", ODD)))
    assert begun.phase is Phase.RUNNING
    sight = await seen(shell, "e1", Phase.ENDED)
    assert (sight.status, sight.facts) == (0, (("given", ODD),))
    assert [(step.name, step.state, step.said) for step in sight.steps] == [
        ("wait", StepState.DONE, ODD)
    ]
    assert not (shell.home / "hacked").exists()


async def test_whoever_comes_again_joins(shell: LocalShell) -> None:
    """Also many at the same moment: there is one runner."""
    script = script_of() + 'echo x >>"$1"\nsleep 3\nsb_finish 0\n'
    file = str(shell.home / "ran")
    sights = await asyncio.gather(
        *(shell.run(start("e1", "image", script, (file,))) for _ in range(6))
    )
    assert {sight.phase for sight in sights} == {Phase.RUNNING}
    await seen(shell, "e1", Phase.ENDED)
    await shell.run(start("e1", "image", script, (file,)))
    assert (shell.home / "ran").read_text() == "x\n"


async def test_two_that_make_the_same_thing_come_one_after_the_other(shell: LocalShell) -> None:
    """The second is told who is at work, and begins when that is over."""
    await shell.run(start("e1", "image", SLOW, ("0.6", "a")))
    second = await shell.run(start("e2", "image", SLOW, ("0", "b")))
    assert (second.phase, second.problem, second.detail) == (Phase.ABSENT, "busy", "e1")
    other = await shell.run(start("e3", "other", SLOW, ("0", "c")))
    assert other.problem == ""
    await seen(shell, "e1", Phase.ENDED)
    await shell.run(start("e2", "image", SLOW, ("0", "b")))
    await seen(shell, "e2", Phase.ENDED)


async def test_it_is_stopped_with_all_it_started(shell: LocalShell) -> None:
    """What it had begun is taken away, and it cannot be started again."""
    script = script_of() + (
        'sb_undo() { rm -f "$HOME/x.part"; }\n'
        'touch "$HOME/x.part"\nstep copy\nsleep 60 & echo $! >"$HOME/child"\nwait\n'
    )
    await shell.run(start("e1", "image", script, ()))
    child = int(await written(shell.home / "child"))
    sight = (await shell.run(stop(["e1"])))["e1"]
    assert sight.phase is Phase.STOPPED
    assert not (shell.home / "x.part").exists()
    assert gone(child)
    again = await shell.run(start("e1", "image", script, ()))
    assert again.phase is Phase.STOPPED


async def test_one_that_ignores_the_wish_is_killed(shell: LocalShell) -> None:
    """It has five seconds."""
    script = script_of() + "trap '' TERM\nsleep 60\n"
    await shell.run(start("e1", "image", script, ()))
    process = runner(shell, "e1")
    assert (await shell.run(stop(["e1"])))["e1"].phase is Phase.STOPPED
    assert gone(process)


async def test_one_that_is_not_begun_is_stopped_for_good(shell: LocalShell) -> None:
    """A start that comes late changes nothing."""
    assert (await shell.run(stop(["e1"])))["e1"].phase is Phase.STOPPED
    late = await shell.run(start("e1", "image", SLOW, ("0", "x")))
    assert late.phase is Phase.STOPPED


async def test_a_wish_that_came_to_another_login_node_is_seen(shell: LocalShell) -> None:
    """Its own runner looks for the mark every five seconds."""
    await shell.run(start("e1", "image", SLOW, ("60", "x")))
    (shell.home / ".sbatchat/errands/e1/stop").touch()
    await asyncio.sleep(5)
    await seen(shell, "e1", Phase.STOPPED)


async def test_a_killed_one_is_seen_as_dead(shell: LocalShell) -> None:
    """As after a restart of the login node; what it was making can be begun anew by another."""
    await shell.run(start("e1", "image", SLOW, ("60", "x")))
    os.killpg(runner(shell, "e1"), signal.SIGKILL)
    sight = await seen(shell, "e1", Phase.DEAD)
    assert sight.steps[0].state is StepState.RUNNING
    assert (await shell.run(start("e2", "image", SLOW, ("0", "y")))).problem == ""


async def test_a_runner_that_is_killed_alone_is_not_dead_while_its_program_works(
    shell: LocalShell,
) -> None:
    """So that nobody else writes the same file at the same time."""
    await shell.run(start("e1", "image", SLOW, ("1.5", "x")))
    os.kill(runner(shell, "e1"), signal.SIGKILL)
    assert (await shell.run(look(["e1"])))["e1"].phase is Phase.RUNNING
    assert (await shell.run(start("e2", "image", SLOW, ("0", "y")))).problem == "busy"
    await seen(shell, "e1", Phase.DEAD)


async def test_a_folder_that_was_damaged_says_what_can_still_be_read(shell: LocalShell) -> None:
    """A disk that was full, or somebody's hand: other errands are looked at all the same."""
    await shell.run(start("e1", "image", SLOW, ("0.1", "x")))
    await seen(shell, "e1", Phase.ENDED)
    folder = shell.home / ".sbatchat/errands/e1"
    odd = "\nfact\nstep x y\nstep 99999999999999 far\ndone 999999999999999999999 z\nfailed\n\0\1\n"
    (folder / "marks").write_text((folder / "marks").read_text() + odd)
    (folder / "exit").write_text("well\n")
    await shell.run(start("e2", "other", SLOW, ("5", "y")))
    (shell.home / ".sbatchat/errands/e2/grows").write_text("a b\n")
    found = await shell.run(look(["e1", "e2"]))
    assert [(step.name, step.said) for step in found["e1"].steps] == [("wait", "x")]
    assert (found["e1"].phase, found["e1"].status) == (Phase.ENDED, 1)
    assert (found["e2"].phase, found["e2"].growth) == (Phase.RUNNING, None)
    await shell.run(stop(["e2"]))


async def test_what_was_cut_off_before_its_runner_came_is_begun_again(shell: LocalShell) -> None:
    """A folder and a lock are no beginning."""
    folder = shell.home / ".sbatchat/errands/e1"
    folder.mkdir(parents=True)
    (folder / "lock").touch()
    (folder / "run").write_text("half a scr")
    assert (await shell.run(look(["e1"])))["e1"].phase is Phase.ABSENT
    await shell.run(start("e1", "image", SLOW, ("0", "x")))
    assert (await seen(shell, "e1", Phase.ENDED)).status == 0


async def test_a_failure_keeps_its_code_and_the_last_lines(shell: LocalShell) -> None:
    """The step that failed is the last one."""
    script = script_of() + "step one\nok\nstep two\necho why >&2\nfail no-way a b\n"
    await shell.run(start("e1", "image", script, ()))
    sight = await seen(shell, "e1", Phase.ENDED)
    assert (sight.status, sight.steps[-1].said, sight.steps[-1].detail) == (1, "no-way", "a b")
    assert sight.out.endswith("== two\nwhy\n")


TAIL = """#!/bin/sh
said=$(/usr/bin/tail "$@"; echo .)
case $*$(cat {home}/armed 2>/dev/null) in
  */marksyes) touch {home}/go; until [ -e {home}/.sbatchat/errands/e1/exit ]; do sleep 0.02; done ;;
esac
printf %s "${{said%.}}"
"""
"""Reads, and lets the errand end before it says what it read."""


async def test_one_that_ends_during_a_look_is_told_with_its_last_step(tmp_path: Path) -> None:
    """What is seen as ended is never looked at again."""
    (tmp_path / "programs").mkdir()
    (tmp_path / "programs/tail").write_text(TAIL.format(home=tmp_path))
    (tmp_path / "programs/tail").chmod(0o755)
    shell = LocalShell(tmp_path, env={"PATH": f"{tmp_path}/programs:/usr/bin:/bin"})
    wait = 'step copy\nuntil [ -e "$HOME/go" ]; do sleep 0.02; done\nfail no-way\n'
    await shell.run(start("e1", "image", script_of() + wait, ()))
    await written(tmp_path / ".sbatchat/errands/e1/marks")
    (tmp_path / "armed").write_text("yes")
    sight = await seen(shell, "e1", Phase.ENDED)
    assert (sight.steps[-1].state, sight.steps[-1].said) == (StepState.FAILED, "no-way")


async def test_a_file_that_grows_is_seen_to_grow(shell: LocalShell) -> None:
    """Also beside its name, where gcloud writes first."""
    script = script_of() + (
        'grows 4096000 "$HOME/x.part"\nhead -c 1024000 /dev/urandom >"$HOME/x.part_.gstmp"\n'
        "sleep 30\n"
    )
    await shell.run(start("e1", "image", script, ()))
    whole = Growth(size=1024000, total=4096000)
    async with asyncio.timeout(10):
        while (await shell.run(look(["e1"])))["e1"].growth != whole:
            await asyncio.sleep(0.05)
    await shell.run(stop(["e1"]))


async def test_a_file_system_without_locks_still_has_one_runner(shell: LocalShell) -> None:
    """The mark that is made once elects it; its process says whether it lives."""
    programs = shell.home / "programs"
    programs.mkdir()
    (programs / "flock").write_text("#!/bin/sh\nexit 1\n")
    (programs / "flock").chmod(0o755)
    shell.env["PATH"] = f"{programs}:/usr/bin:/bin"
    script = script_of() + 'echo x >>"$1"\nsleep 1\nsb_finish 0\n'
    file = str(shell.home / "ran")
    sights = await asyncio.gather(
        *(shell.run(start("e1", "image", script, (file,))) for _ in range(4))
    )
    assert Phase.RUNNING in {sight.phase for sight in sights}
    await seen(shell, "e1", Phase.ENDED)
    assert (shell.home / "ran").read_text() == "x\n"
    await shell.run(start("e2", "image", SLOW, ("60", "x")))
    os.killpg(runner(shell, "e2"), signal.SIGKILL)
    await seen(shell, "e2", Phase.DEAD)
    # Cut off between the mark and the runner, some minutes ago.
    folder = shell.home / ".sbatchat/errands/e3"
    folder.mkdir()
    for name in ("lock", "begun"):
        (folder / name).touch()
    assert (await shell.run(start("e3", "i3", SLOW, ("0", "x")))).phase is Phase.ABSENT
    os.utime(folder / "begun", (1, 1))
    await shell.run(start("e3", "i3", SLOW, ("0", "x")))
    await seen(shell, "e3", Phase.ENDED)


async def test_many_are_seen_in_one_round_trip(shell: LocalShell) -> None:
    """Also those that are not there."""
    await shell.run(start("e1", "a", SLOW, ("0", "x")))
    await shell.run(start("e2", "b", SLOW, ("9", "x")))
    await seen(shell, "e1", Phase.ENDED)
    sights = await shell.run(look(["e1", "e2", "e3"]))
    assert [sights[name].phase for name in ("e1", "e2", "e3")] == [
        Phase.ENDED,
        Phase.RUNNING,
        Phase.ABSENT,
    ]
    await shell.run(stop(["e2"]))


async def test_a_home_without_room_is_a_problem_in_words(shell: LocalShell) -> None:
    """Nothing is begun."""
    (shell.home / ".sbatchat").write_text("a file in its place")
    sight = await shell.run(start("e1", "image", SLOW, ("0", "x")))
    assert (sight.phase, sight.problem) == (Phase.ABSENT, "room")
    assert ".sbatchat" in sight.detail


def test_a_report_that_was_cut_is_none() -> None:
    """It is asked again."""
    query = look([derive("x")])
    with pytest.raises(CommandFailed):
        query.parse(Output(f"\n{query.args[0]} errand e1 held\n", "", 0))


def test_an_odd_id_never_becomes_a_path() -> None:
    """It would lead elsewhere."""
    with pytest.raises(CommandFailed):
        look(["../x"])
