"""Launching exactly once, under this machine's shell with a program in place of sbatch."""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
import time
from pathlib import Path

import pytest

from bot.cluster.launch import launch, look, sweep
from bot.cluster.spool import (
    Dead,
    Lock,
    NotStarted,
    Outcome,
    Receipt,
    Refused,
    Running,
    Submitted,
    Unknown,
    outcome,
)
from bot.errors import ClusterError, CommandFailed
from bot.model import File, Launch
from tests.unit.cluster.killing import COMMANDS, WHEN, Killer
from tests.unit.cluster.local import LocalShell

TAKES = """#!/bin/sh
# Takes a job: one line in a file for each.
echo "$*" >>"$HOME/jobs"
"""
SBATCH = TAKES + 'echo "Submitted batch job $(wc -l <"$HOME/jobs")"\n'


class Site:
    """A login node with a home and a Slurm that only counts."""

    def __init__(self, home: Path, **env: str) -> None:
        self.home = home
        self.programs = home / "programs"
        self.programs.mkdir()
        self.program("sbatch", SBATCH)
        self.shell = LocalShell(home, env={"PATH": f"{self.programs}:{os.environ['PATH']}", **env})

    def program(self, name: str, text: str) -> str:
        """Put a program into PATH."""
        path = self.programs / name
        path.write_text(text)
        path.chmod(0o755)
        return str(path)

    @property
    def jobs(self) -> list[str]:
        """The calls that Slurm took."""
        path = self.home / "jobs"
        return path.read_text().splitlines() if path.exists() else []

    async def launch(
        self, *argv: str, attempt: int = 1, wait: float = 10.0, cwd: str = ""
    ) -> Outcome:
        """Launch request `r1`."""
        what = Launch(argv=argv or ("sbatch", "job.sh"), cwd=cwd or str(self.home))
        return outcome(await self.shell.run(launch("r1", attempt, what, wait)))

    async def settle(self, *argv: str) -> Outcome:
        """Launch as the bot does: again whenever that is safe, until it is decided."""
        attempt = 1
        for _ in range(20):
            seen = await self.launch(*argv, attempt=attempt)
            if isinstance(seen, Dead):
                attempt = seen.attempt
            elif not isinstance(seen, Running):
                return seen
        raise AssertionError("never decided")


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """A fresh login node."""
    return Site(tmp_path)


async def test_a_spool_that_was_damaged_is_no_proof_of_anything(site: Site) -> None:
    """The job is named by sbatch's own answer; what says nothing readable counts as missing."""
    assert isinstance(await site.launch(), Submitted)
    for path in site.home.glob(".sbatchat/requests/r1/*/exit"):
        path.write_text("well\n")
    for path in site.home.glob(".sbatchat/requests/r1/*/receipt-1"):
        path.write_text("fine\n")
    found = outcome((await site.shell.run(look(("r1",))))["r1"])
    assert isinstance(found, Submitted)
    assert found.jobs == (Receipt("1"),)


async def test_a_batch_script_becomes_one_job(site: Site) -> None:
    """The receipt names it, and the job carries the request's signature."""
    assert await site.launch() == Submitted(
        (Receipt("1"),), out="Submitted batch job 1\n", err="", finished=True
    )
    assert site.jobs == ["--comment=sbatchat:r1 job.sh"]


async def test_launching_again_joins(site: Site) -> None:
    """However often, and from several at once."""
    together = await asyncio.gather(*(site.launch() for _ in range(8)))
    assert set(together) == {await site.launch()}
    assert len(site.jobs) == 1


async def test_words_and_environment_arrive_as_they_are(site: Site) -> None:
    """No shell reads them, wherever they come from."""
    odd = ("a b", "*", "$(touch x)", "`id`", "it's", 'say "x"', "a\nb", "", "é", "\\", "--x;rm -rf")
    program = site.program("show", '#!/bin/sh\nprintf "<%s>" "$@" "$ODD" "$PWD"\n')
    what = Launch(argv=(program, *odd), cwd=str(site.home), env=(("ODD", "v '$x"),))
    run = (await site.shell.run(launch("r1", 1, what, 5))).runs[0]
    assert run.out == "".join(f"<{word}>" for word in (*odd, "v '$x", str(site.home)))


async def test_the_launcher_sees_the_login_not_the_query(tmp_path: Path) -> None:
    """What our questions set for themselves (locale, zone, formats) is not handed to jobs."""
    site = Site(tmp_path, TZ="Europe/Berlin", SLURM_TIME_FORMAT="relative")
    site.program("sbatch", f'#!/bin/sh\nenv >"{tmp_path}/env"; umask >>"{tmp_path}/env"; echo 5\n')
    await site.launch()
    lines = (tmp_path / "env").read_text().splitlines()
    assert {"TZ=Europe/Berlin", "SLURM_TIME_FORMAT=relative", "0022"} <= set(lines)
    assert not [line for line in lines if line.startswith(("LC_ALL", "sb_"))]


async def test_several_calls_are_several_jobs(site: Site) -> None:
    """A launcher may submit a chain."""
    seen = await site.launch("sh", "-c", "sbatch a; sbatch --parsable b")
    assert isinstance(seen, Submitted)
    assert [receipt.job for receipt in seen.jobs] == ["1", "2"]


async def test_a_long_launcher_is_waited_for_and_joined(site: Site) -> None:
    """Running while it works; the answer comes when it ends, not later."""
    slow = ("sh", "-c", "sleep 1; sbatch a")
    assert isinstance(await site.launch(*slow, wait=0.2), Running)
    began = asyncio.get_running_loop().time()
    assert isinstance(await site.launch(*slow, wait=30), Submitted)
    assert asyncio.get_running_loop().time() - began < 5


async def test_a_job_is_told_before_its_launcher_ends(site: Site) -> None:
    """A launcher that goes on after sbatch: the job is known, more may follow."""
    seen = await site.launch("sh", "-c", "sbatch a; sleep 2; sbatch b", wait=1)
    assert isinstance(seen, Submitted)
    assert not seen.finished
    assert len(seen.jobs) == 1
    last = await site.launch("x", wait=10)
    assert isinstance(last, Submitted)
    assert last.finished
    assert len(last.jobs) == 2


async def test_sbatch_that_waits_for_its_job_is_read_before_it_ends(site: Site) -> None:
    """`sbatch --wait` prints the id at once and stays: the answer's file has it."""
    site.program("sbatch", "#!/bin/sh\necho 77; sleep 2\n")
    seen = await site.launch(wait=1)
    assert isinstance(seen, Submitted)
    assert seen.jobs == (Receipt("77"),)
    assert not seen.finished


async def test_a_daemon_left_behind_holds_up_nobody(site: Site) -> None:
    """It inherits the lock; the runner gives the lock up for all when it ends."""
    began = asyncio.get_running_loop().time()
    seen = await site.launch("sh", "-c", "sbatch a; sleep 20 >/dev/null 2>&1 &", wait=15)
    assert isinstance(seen, Submitted)
    assert seen.finished
    assert asyncio.get_running_loop().time() - began < 5


async def test_a_refusal_is_slurms_own_words(site: Site) -> None:
    """Every error line, and what kind it is."""
    words = (
        "sbatch: error: invalid partition specified: general\n"
        "sbatch: error: Batch job submission failed: Invalid partition name specified\n"
    )
    site.program("sbatch", f"#!/bin/sh\nprintf '{words}' >&2\nexit 1\n")
    seen = await site.launch()
    assert isinstance(seen, Refused)
    assert "general" in seen.text
    assert seen.refusal is not None
    assert seen.refusal.subject == "partition"
    assert not seen.retry


async def test_a_launcher_that_fails_before_sbatch_submitted_nothing(site: Site) -> None:
    """An exit without an intent is a certain no."""
    seen = await site.launch("sh", "-c", "echo recipe not found >&2; exit 2")
    assert seen == Refused("recipe not found", None, "", "recipe not found\n")


async def test_a_launcher_that_goes_around_us_is_not_known(site: Site) -> None:
    """It ended well and never called our sbatch: something may have been submitted."""
    seen = await site.launch(f"{site.programs}/sbatch", "a")
    assert isinstance(seen, Unknown)
    assert not seen.calls
    assert len(site.jobs) == 1


async def test_an_answer_that_can_hide_an_acceptance_is_no_receipt(site: Site) -> None:
    """The job was taken although sbatch reports a time-out: launching again does not repeat it."""
    site.program(
        "sbatch",
        f"{TAKES}echo 'sbatch: error: Batch job submission failed: "
        "Socket timed out on send/recv operation' >&2; exit 1\n",
    )
    for _ in range(2):
        seen = await site.launch()
        assert isinstance(seen, Unknown)
        assert seen.calls[0].argv[0] == "--comment=sbatchat:r1"
    assert len(site.jobs) == 1


async def test_a_launcher_that_cannot_start_says_so(site: Site) -> None:
    """A missing program is the launcher's error."""
    seen = await site.launch("no-such-program")
    assert isinstance(seen, Refused)
    assert "not found" in seen.text


async def test_a_folder_that_is_not_there_is_refused_before_anything_runs(site: Site) -> None:
    """Launching again is safe once it is there."""
    seen = await site.launch(cwd=f"{site.home}/new")
    assert isinstance(seen, Refused)
    assert seen.retry
    assert f"{site.home}/new" in seen.text
    (site.home / "new").mkdir()
    assert isinstance(await site.launch(cwd=f"{site.home}/new"), Submitted)


@pytest.mark.parametrize("tool", ["sbatch", "setsid", "flock"])
async def test_a_login_node_without_a_tool_is_refused_in_words(tmp_path: Path, tool: str) -> None:
    """Nothing was started, and the tool is named."""
    site = Site(tmp_path)
    (site.programs / "sbatch").unlink()
    for name in ("mkdir", "flock", "setsid", "chmod"):
        if name != tool and (path := shutil.which(name)):
            (site.programs / name).symlink_to(path)
    if tool != "sbatch":
        site.program("sbatch", SBATCH)
    site.shell.env["PATH"] = str(site.programs)
    seen = await site.launch()
    assert isinstance(seen, Refused)
    assert tool in seen.text
    assert seen.retry


async def test_a_full_home_is_refused_in_words(site: Site) -> None:
    """No write succeeds: nothing was submitted, and nothing is left half done."""
    site.shell.shell = ("sh", "-c", "trap '' XFSZ; ulimit -f 0; exec sh -s", "sh")
    seen = await site.launch()
    assert isinstance(seen, Refused)
    assert "no room" in seen.text
    assert "kB free" in seen.text
    assert seen.retry
    site.shell.shell = ("/bin/sh",)
    assert isinstance(await site.launch(), Submitted)
    assert len(site.jobs) == 1


async def test_a_home_that_cannot_be_written_is_refused_in_words(site: Site) -> None:
    """A file stands where the spool should be."""
    (site.home / ".sbatchat").write_text("")
    seen = await site.launch()
    assert isinstance(seen, Refused)
    assert "cannot be written" in seen.text
    assert seen.retry


async def test_looking_changes_nothing(site: Site) -> None:
    """Many spools in one round trip; one that was never made is left out."""
    assert await site.shell.run(look(("r1", "r2"))) == {}
    await site.launch()
    spools = await site.shell.run(look(("r1", "r2")))
    assert set(spools) == {"r1"}
    assert spools["r1"].lock is Lock.FREE
    assert isinstance(outcome(spools["r1"]), Submitted)
    assert not (site.home / ".sbatchat" / "requests" / "r2").exists()


async def test_an_empty_spool_may_be_launched(site: Site) -> None:
    """A starter that died before it elected anybody."""
    folder = site.home / ".sbatchat" / "requests" / "r1"
    folder.mkdir(parents=True)
    (folder / "lock").write_text("")
    spools = await site.shell.run(look(("r1",)))
    assert outcome(spools["r1"]) == NotStarted()
    assert isinstance(await site.launch(), Submitted)


@pytest.mark.parametrize("bad", ["", "a/b", "..", "a b", "x" * 65])
def test_an_id_is_no_path(bad: str) -> None:
    """It names a folder below ours and nothing else."""
    with pytest.raises(CommandFailed):
        launch(bad, 1, Launch(argv=("x",), cwd="/"), 1)
    with pytest.raises(CommandFailed):
        look((bad,))


def test_a_nul_byte_and_an_odd_variable_are_refused() -> None:
    """Neither can be handed over; both would change the command."""
    with pytest.raises(CommandFailed):
        launch("r", 1, Launch(argv=("a\0b",), cwd="/"), 1)
    with pytest.raises(CommandFailed):
        launch("r", 1, Launch(argv=("a",), cwd="/", env=(("A;id", "x"),)), 1)


# --- killed at any step ---------------------------------------------------------------------


def killer(site: Site) -> Killer:
    """Wrap every external command, sbatch included."""
    made = Killer(site.home / "killer")
    real = {name: shutil.which(name) or "" for name in COMMANDS}
    made.write({**real, "sbatch": str(site.programs / "sbatch")})
    site.shell.env["PATH"] = f"{made.folder}:{site.shell.env['PATH']}"
    return made


STEPS = 11
"""External commands of one launch of a batch script; `test_the_steps_are_these` counts them."""


async def test_the_steps_are_these(site: Site) -> None:
    """The table below covers each of them."""
    at = killer(site)
    at.arm(0, "never")
    await site.launch()
    steps = at.disarm()
    assert len(steps) == STEPS, steps
    assert set(steps) == set(COMMANDS)


@pytest.mark.parametrize("when", WHEN)
@pytest.mark.parametrize("step", range(1, STEPS + 1))
async def test_killed_at_a_step_it_is_submitted_once_or_known_to_be_unknown(
    site: Site, step: int, when: str
) -> None:
    """Never two jobs; one wherever nothing was submitted before; else the intent tells."""
    at = killer(site)
    at.arm(step, when)
    first: Outcome | None = None
    try:
        first = await site.launch()
    except ClusterError:
        first = None
    at.disarm()
    last = await site.settle()
    if isinstance(last, Unknown):
        assert last.calls, (first, last)
        assert len(site.jobs) <= 1
        assert await site.settle() == last
    else:
        assert isinstance(last, Submitted), (first, last)
        assert [receipt.job for receipt in last.jobs] == ["1"]
        assert len(site.jobs) == 1
    await asyncio.sleep(0.2)
    assert len(site.jobs) <= 1


async def test_the_shim_of_a_dead_runner_can_no_longer_submit(site: Site) -> None:
    """Runner and launcher are killed, their sbatch lives on: the fence keeps it from submitting.

    Python's children do not inherit the lock, so the launch looks dead while its shim still lives.
    """
    go, gone = site.home / "go", site.home / "gone"
    orphan = f"until [ -e {go} ]; do sleep 0.05; done; sbatch old; touch {gone}"
    slow = f"import subprocess; subprocess.run(['sh', '-c', '{orphan}'])"
    assert isinstance(await site.launch("python3", "-c", slow, wait=0.5), Running)
    spool = (await site.shell.run(look(("r1",))))["r1"]
    runner = spool.runs[0].runner
    assert runner is not None
    await _kill_with_child(int(runner.pid))
    seen = await site.launch("sbatch", "new", wait=1)
    assert seen == Dead(2)
    assert isinstance(await site.launch("sbatch", "new", attempt=2), Submitted)
    go.write_text("")
    while not gone.exists():
        await asyncio.sleep(0.05)
    assert site.jobs == ["--comment=sbatchat:r1 new"]


async def test_a_second_attempt_never_follows_an_intent(site: Site) -> None:
    """Even when asked for: the first attempt's own state is the answer."""
    await site.launch()
    assert isinstance(await site.launch(attempt=2), Submitted)
    assert len(site.jobs) == 1


async def test_a_second_attempt_never_begins_beside_a_living_first(site: Site) -> None:
    """It waits for the lock and reports what it sees."""
    slow = ("sh", "-c", "sleep 1; sbatch a")
    assert isinstance(await site.launch(*slow, wait=0.1), Running)
    assert isinstance(await site.launch(*slow, attempt=2, wait=0.1), Running)
    assert isinstance(await site.launch(*slow, attempt=2, wait=10), Submitted)
    assert len(site.jobs) == 1


async def test_without_locks_a_launch_still_happens_once(site: Site) -> None:
    """A file system that knows no locks (Lustre without -o flock): the markers alone decide."""
    site.program("flock", "#!/bin/sh\necho 'flock: 9: Function not implemented' >&2; exit 71\n")
    # All come to the election at the same time.
    site.program("chmod", '#!/bin/sh\nsleep 0.5\nexec /bin/chmod "$@"\n')
    seen = await asyncio.gather(*(site.launch() for _ in range(6)))
    assert isinstance(await site.settle(), Submitted)
    assert len(site.jobs) == 1
    assert all(isinstance(one, Submitted | Running) for one in seen)


async def _kill_with_child(pid: int) -> None:
    children = await asyncio.create_subprocess_exec(
        "pgrep", "-P", str(pid), stdout=asyncio.subprocess.PIPE
    )
    out, _ = await children.communicate()
    for one in (pid, *map(int, out.split())):
        os.kill(one, 9)
    await asyncio.sleep(0.1)


async def test_a_launch_brings_its_files_along(site: Site) -> None:
    """Whole, in folders made for them, and for the login account alone."""
    script = site.home / "scripts" / "it's one.sh"
    text = "#!/bin/sh\necho '$HOME' \"$1\"\n"
    what = Launch(
        argv=("sbatch", str(script)), cwd=str(site.home), files=(File(path=str(script), text=text),)
    )
    seen = outcome(await site.shell.run(launch("r1", 1, what, 5)))
    assert isinstance(seen, Submitted)
    assert script.read_text() == text
    assert script.stat().st_mode & 0o777 == 0o700
    assert [path.name for path in script.parent.iterdir()] == [script.name]


async def test_nothing_runs_when_a_file_cannot_be_laid_down(site: Site) -> None:
    """The answer names it; the launch may be tried again."""
    (site.home / "flat").write_text("")
    files = (File(path=str(site.home / "flat" / "a.sh"), text="true"),)
    what = Launch(argv=("sbatch", "a.sh"), cwd=str(site.home), files=files)
    seen = outcome(await site.shell.run(launch("r1", 1, what, 5)))
    assert isinstance(seen, Refused)
    assert seen.retry
    assert files[0].path in seen.text
    assert site.jobs == []


async def test_secrets_reach_the_launcher_only_where_they_belong(site: Site) -> None:
    """From the file on the cluster into its environment, never through the spool."""
    (site.home / ".sbatchat").mkdir()
    (site.home / ".sbatchat" / "secrets.sh").write_text("export TOKEN='s3 cret'\n")
    for request, wanted in (("with", True), ("without", False)):
        argv = ("sh", "-c", f'echo "${{TOKEN:-none}}" >{request}; sbatch a')
        what = Launch(argv=argv, cwd=str(site.home), secrets=wanted)
        await site.shell.run(launch(request, 1, what, 5))
    assert (site.home / "with").read_text() == "s3 cret\n"
    assert (site.home / "without").read_text() == "none\n"
    kept = (site.home / ".sbatchat" / "requests").rglob("*")
    assert not [path for path in kept if path.is_file() and "s3 cret" in path.read_text()]


async def test_folders_are_there_before_the_launcher_starts(site: Site) -> None:
    """A container mounts only what is; one that is there already stays as it is."""
    (site.home / "cache").mkdir(mode=0o750)
    folders = (f"{site.home}/new logs/a", f"{site.home}/cache")
    argv = ("sh", "-c", 'ls -d "$0" "$1" >seen; sbatch a', *folders)
    what = Launch(argv=argv, cwd=str(site.home), folders=folders)
    await site.shell.run(launch("made", 1, what, 5))
    assert set((site.home / "seen").read_text().splitlines()) == set(folders)
    assert (site.home / "cache").stat().st_mode & 0o777 == 0o750


async def test_old_spools_are_swept_and_no_other(site: Site) -> None:
    """Not those of open requests, nor new ones, nor one whose launcher lives."""
    long_ago = time.time() - 100 * 86400
    for name in ("old", "open", "new", "alive"):
        what = Launch(argv=("sbatch", "a"), cwd=str(site.home))
        await site.shell.run(launch(name, 1, what, 5))
        spool = site.home / ".sbatchat" / "requests" / name
        if name != "new":
            os.utime(spool, (long_ago, long_ago))
    with (site.home / ".sbatchat" / "requests" / "alive" / "lock").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert await site.shell.run(sweep(90, ("open",))) == 1
    left = sorted(path.name for path in (site.home / ".sbatchat" / "requests").iterdir())
    assert left == ["alive", "new", "open"]
    assert await LocalShell(site.home / "programs").run(sweep(90, ())) == 0
