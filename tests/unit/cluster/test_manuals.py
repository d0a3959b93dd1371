"""A launcher is asked what it takes once, and again only after its file has changed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from bot.cluster.manuals import manual
from bot.cluster.together import together
from bot.errors import CommandFailed
from bot.manual import Manual
from bot.ports import Output, Query
from bot.workload import Program
from tests.unit.cluster.local import LocalShell

COUNTS = "import pathlib; pathlib.Path.home().joinpath('asked').open('a').write('x')\n"
TAKES = COUNTS + "import argparse; p = argparse.ArgumentParser(); p.add_argument('--seed')\n"
ASKED = TAKES + "p.parse_args()\n"


class Site:
    """A folder with a launcher."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.folder = home / "nemo"
        self.folder.mkdir(parents=True)
        self.file = self.folder / "run.py"
        self.file.write_text(ASKED)
        self.shell = LocalShell(home)
        self.program = Program(
            folder=str(self.folder), file="run.py", argv=("python3", "run.py", "--help")
        )

    async def ask(self, known: Manual | None = None) -> Manual:
        """Ask what it takes."""
        return await self.shell.run(manual(self.program, known or Manual()))

    @property
    def asked(self) -> int:
        """How often the launcher was run."""
        path = self.home / "asked"
        return len(path.read_text()) if path.exists() else 0

    def git(self, *words: str) -> None:
        """Run git there."""
        who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
        subprocess.run(["git", "-C", self.folder, *who, *words], check=True, capture_output=True)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """A launcher that has one option."""
    return Site(tmp_path / "home")


async def test_a_launcher_says_what_it_takes_once(site: Site) -> None:
    """Neither this bot nor the next asks again."""
    found = await site.ask()
    assert found.names == ("-h", "--help", "--seed")
    assert await site.ask(found) is found
    assert await site.ask() == found
    assert site.asked == 1
    kept = site.home / ".sbatchat" / "manuals"
    assert [path.name for path in kept.iterdir()] == ["run.py"]
    assert kept.stat().st_mode & 0o077 == 0


async def test_a_launcher_that_changed_is_asked_again(site: Site) -> None:
    """Its own file, the commit it is at, or the Python that runs it."""
    before = await site.ask()
    site.file.write_text(TAKES + "p.add_argument('--mock', action='store_true'); p.parse_args()\n")
    after = await site.ask(before)
    assert "--mock" in after.names
    os.utime(site.file, (1, 1))
    assert (await site.ask(after)).stamp != after.stamp
    site.git("init", "-q")
    site.git("commit", "-q", "--allow-empty", "-m", "x")
    committed = await site.ask()
    site.git("commit", "-q", "--allow-empty", "-m", "y")
    moved = await site.ask(committed)
    assert committed.stamp != moved.stamp
    assert moved.names == committed.names
    assert site.asked == 5


@pytest.mark.parametrize(
    ("text", "problem", "said"),
    [
        ("import nemo_run_is_not_here", "broken", "No module named 'nemo_run_is_not_here'"),
        ("def (", "broken", "SyntaxError"),
        ("import sys; sys.exit('unknown option --help')", "silent", "unknown option --help"),
    ],
)
async def test_a_launcher_that_cannot_say_it_is_told_by_why(
    site: Site, text: str, problem: str, said: str
) -> None:
    """And asked again the next time."""
    site.file.write_text(text)
    found = await site.ask()
    assert found.problem == problem
    assert said in found.said
    assert "\n" not in found.said
    assert not (site.home / ".sbatchat").exists()


async def test_a_python_that_is_not_there_is_said(site: Site) -> None:
    """A virtual environment that was moved."""
    site.program = Program(folder=str(site.folder), file="run.py", argv=("/no/python3", "run.py"))
    assert (await site.ask()).problem == "broken"


async def test_a_launcher_that_is_not_there_is_said(site: Site) -> None:
    """Nor its folder."""
    site.file.unlink()
    assert await site.ask() == Manual(problem="missing")
    site.folder.rmdir()
    assert await site.ask() == Manual(problem="missing")


async def test_a_home_without_room_only_costs_time(site: Site) -> None:
    """The answer is as good."""
    (site.home / ".sbatchat").write_text("in the way")
    found = await site.ask()
    assert "--seed" in found.names
    assert await site.ask() == found
    assert site.asked == 2


def echo(name: str, *args: str, status: int = 0) -> Query[Output]:
    """A question that repeats its arguments."""
    return Query(
        f"printf '%s|' $# \"$@\"; exit {status}" if status else "printf '%s|' $# \"$@\"",
        lambda output: output,
        args,
        name=name,
    )


async def test_two_questions_go_in_one_round_trip(site: Site) -> None:
    """Each with its own arguments and status."""
    one, two = await site.shell.run(together(echo("a", "x y", "", status=3), echo("b", "'", "*")))
    assert (one.stdout, one.status) == ("2|x y||", 3)
    assert (two.stdout, two.status) == ("2|'|*|", 0)
    none, some = await site.shell.run(together(echo("a"), echo("b", "1", status=4)))
    assert (none.stdout, none.status) == ("0|", 0)
    assert (some.stdout, some.status) == ("1|1|", 4)


async def test_a_question_that_fails_says_so_beside_another(site: Site) -> None:
    """As it would alone."""

    def refuse(output: Output) -> Output:
        raise CommandFailed(output.stderr)

    with pytest.raises(CommandFailed):
        await site.shell.run(together(Query("echo no >&2", refuse, name="a"), echo("b")))
