"""Reading files below the allowed roots, and finding a job's logs, under this machine's shell."""

from __future__ import annotations

import os
from pathlib import Path
from subprocess import PIPE, run

import pytest

from bot.cluster.files import (
    BadPattern,
    Chunk,
    Excerpt,
    Matches,
    NoFile,
    Why,
    grep,
    read_from,
    tail,
)
from bot.cluster.logs import LogKind, log_files
from bot.cluster.recipes import Recipes, recipes
from bot.errors import CommandFailed
from tests.unit.cluster.local import LocalShell


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The only allowed root."""
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def shell(home: Path) -> LocalShell:
    """A login node."""
    return LocalShell(home)


async def excerpt(shell: LocalShell, path: Path | str, lines: int = 10) -> Excerpt | NoFile:
    """The last lines of a file, with the home as root."""
    return await shell.run(tail(str(path), lines, (str(shell.home),)))


async def test_the_last_lines(shell: LocalShell, home: Path) -> None:
    """And how large the file is."""
    (home / "a b.log").write_text("".join(f"{n}\n" for n in range(100)))
    found = await excerpt(shell, home / "a b.log", 3)
    assert isinstance(found, Excerpt)
    assert (found.text, found.size, found.path) == ("97\n98\n99\n", 290, f"{home}/a b.log")


async def test_bytes_that_are_no_text(shell: LocalShell, home: Path) -> None:
    """Logs hold anything."""
    (home / "x").write_bytes(b"a\xff\n\x1b[31mred")
    found = await excerpt(shell, home / "x")
    assert isinstance(found, Excerpt)
    assert found.text == "a\ufffd\n\x1b[31mred"


async def test_one_enormous_line_is_cut(shell: LocalShell, home: Path) -> None:
    """A tail is bounded whatever a line is."""
    (home / "x").write_bytes(b"y" * 3_000_000)
    found = await excerpt(shell, home / "x")
    assert isinstance(found, Excerpt)
    assert len(found.text) == 1024 * 1024


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("nothing", Why.MISSING),
        ("nothing/below", Why.MISSING),
        ("folder", Why.ODD),
        ("pipe", Why.ODD),
        ("link", Why.OUTSIDE),
        ("way/secret", Why.OUTSIDE),
        ("../secret", Why.OUTSIDE),
        ("dangling", Why.MISSING),
    ],
)
async def test_why_a_file_is_not_shown(shell: LocalShell, home: Path, name: str, why: Why) -> None:
    """Links and dots lead nowhere but below the roots; a pipe is not waited for."""
    (home.parent / "secret").write_text("secret")
    (home / "folder").mkdir()
    os.mkfifo(home / "pipe")
    (home / "link").symlink_to(home.parent / "secret")
    (home / "way").symlink_to(home.parent)
    (home / "dangling").symlink_to(home / "nothing")
    path = f"{home}/{name}"
    assert await excerpt(shell, path) == NoFile(path, why)


async def test_a_root_that_only_begins_alike_is_another(shell: LocalShell, home: Path) -> None:
    """`/data/team` does not open `/data/team2`."""
    other = home.parent / "home2"
    other.mkdir()
    (other / "x").write_text("x")
    assert await excerpt(shell, other / "x") == NoFile(f"{other}/x", Why.OUTSIDE)


async def test_a_root_may_be_a_link(shell: LocalShell, home: Path) -> None:
    """What counts is where it leads."""
    (home / "x").write_text("x")
    root = home.parent / "root"
    root.symlink_to(home)
    found = await shell.run(tail(f"{root}/x", 1, (str(root),)))
    assert isinstance(found, Excerpt)
    assert found.path == f"{home}/x"


async def test_a_path_is_never_a_command(shell: LocalShell, home: Path) -> None:
    """Whatever its name."""
    for name in ("$(touch hit)", "`touch hit`", "a;touch hit", "-n", "a\nb"):
        (home / name).write_text("in it")
        found = await excerpt(shell, home / name)
        assert isinstance(found, Excerpt), name
    assert not (home / "hit").exists()


async def test_following_a_file(shell: LocalShell, home: Path) -> None:
    """Only what is new, in whole lines, and never a character cut in two."""
    log = home / "log"
    log.write_bytes("één\nhal".encode())
    roots = (str(home),)
    first = await shell.run(read_from(str(log), 0, roots))
    assert isinstance(first, Chunk)
    assert (first.text, first.next) == ("één\n", 6)
    with log.open("ab") as more:
        more.write(b"f\n")
    second = await shell.run(read_from(str(log), first.next, roots))
    assert isinstance(second, Chunk)
    assert (second.text, second.next, second.size) == ("half\n", 11, 11)
    assert second.inode == first.inode == log.stat().st_ino
    third = await shell.run(read_from(str(log), second.next, roots))
    assert isinstance(third, Chunk)
    assert (third.text, third.next) == ("", 11)


async def test_following_in_pieces(shell: LocalShell, home: Path) -> None:
    """A limit ends a chunk at a line, or in the middle of one that is longer."""
    log = home / "log"
    log.write_text("ab\ncdefghij\nk\n")
    texts, at = [], 0
    while True:
        chunk = await shell.run(read_from(str(log), at, (str(home),), limit=5))
        assert isinstance(chunk, Chunk)
        if not chunk.text:
            break
        texts.append(chunk.text)
        at = chunk.next
    assert texts == ["ab\n", "cdefg", "hij\n", "k\n"]
    assert at == 14


async def test_lines_that_match(shell: LocalShell, home: Path) -> None:
    """The last ones, with their numbers."""
    (home / "log").write_text("".join(f"step {n} loss: {n}.5\n" for n in range(100)))
    found = await shell.run(grep(f"{home}/log", r"step [0-9]+5 ", (str(home),), 2))
    assert found == Matches(
        f"{home}/log", ((86, "step 85 loss: 85.5"), (96, "step 95 loss: 95.5")), late=False
    )
    none = await shell.run(grep(f"{home}/log", "nan", (str(home),)))
    assert none == Matches(f"{home}/log", (), late=False)


@pytest.mark.parametrize("pattern", ["(", "[a", r"(a*)\1", r"(x)(y)\2"])
async def test_patterns_that_are_refused(shell: LocalShell, home: Path, pattern: str) -> None:
    """In grep's words; back-references take more than linear time."""
    (home / "log").write_text("x\n")
    found = await shell.run(grep(f"{home}/log", pattern, (str(home),)))
    assert isinstance(found, BadPattern)
    assert found.why


async def test_an_escaped_backslash_before_a_digit_is_no_reference(
    shell: LocalShell, home: Path
) -> None:
    r"""`\\1` is a backslash and a one."""
    (home / "log").write_text("a\\1\n")
    found = await shell.run(grep(f"{home}/log", r"\\1", (str(home),)))
    assert isinstance(found, Matches)
    assert len(found.lines) == 1


async def found_logs(
    shell: LocalShell, job: str, stdout: str = "", *names: str
) -> list[tuple[str, LogKind, int]]:
    """Make these files, and say which logs of a job are found."""
    for name in names:
        path = shell.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    out = f"{shell.home}/{stdout}" if stdout else ""
    logs = await shell.run(log_files(job, out, str(shell.home), (str(shell.home),)))
    assert all(log.size for log in logs)
    return [(log.path.removeprefix(f"{shell.home}/"), log.kind, log.attempt) for log in logs]


async def test_the_logs_of_a_batch_script(shell: LocalShell) -> None:
    """What scontrol names, or the default; other jobs' files are not taken along."""
    files = ("slurm-7.out", "slurm-77.out", "out/mine[1].txt")
    assert await found_logs(shell, "7", "", *files) == [("slurm-7.out", LogKind.BATCH, 1)]
    assert await found_logs(shell, "7", "out/mine[1].txt") == [
        ("out/mine[1].txt", LogKind.BATCH, 1),
        ("slurm-7.out", LogKind.BATCH, 1),
    ]


@pytest.mark.parametrize("sign", ["\x1d", "\x1e", "\x1f", "\n"])
async def test_a_name_that_would_part_the_answer_hides_no_other_log(
    shell: LocalShell, sign: str
) -> None:
    """Anybody may lay down such a file where many people's logs lie."""
    files = ("slurm-7.out", f"log-{sign}x_7_0.out")
    assert await found_logs(shell, "7", "", *files) == [("slurm-7.out", LogKind.BATCH, 1)]


async def test_the_logs_of_nemo_run(shell: LocalShell) -> None:
    """The newest attempt first; there the training before the batch script's trace."""
    place = "experiments/x/x_1/x"
    batch = f"{place}/sbatch_acct-acct.x_75.out"
    files = (batch, f"{place}/log-acct-acct.x_75_0.out", f"{place}/log-acct-acct.x_75_1.out")
    assert await found_logs(shell, "75", batch, *files, f"{place}/log-acct-acct.x_175_0.out") == [
        (f"{place}/log-acct-acct.x_75_1.out", LogKind.TRAINING, 2),
        (batch, LogKind.BATCH, 2),
        (f"{place}/log-acct-acct.x_75_0.out", LogKind.TRAINING, 1),
    ]


async def test_the_logs_of_nemo_rl(shell: LocalShell) -> None:
    """Both layouts; each source of its own."""
    first = ("75-logs/ray-driver.log", "75-logs/ray-worker-1.log")
    second = ("75-1-logs/ray-driver.log", "75-1-logs/ray-head.log")
    files = (*first, *second, "slurm-75.out")
    assert await found_logs(shell, "75", "slurm-75.out", *files) == [
        ("75-1-logs/ray-driver.log", LogKind.DRIVER, 2),
        ("slurm-75.out", LogKind.BATCH, 2),
        ("75-1-logs/ray-head.log", LogKind.HEAD, 2),
        ("75-logs/ray-driver.log", LogKind.DRIVER, 1),
        ("75-logs/ray-worker-1.log", LogKind.WORKER, 1),
    ]
    address = "76/ray-logs/ray_head"  # with the key of the cluster in it
    own = tuple(
        f"76/ray{dash}logs/ray-{name}.log" for dash in "-_" for name in ("worker-2", "head")
    )
    assert await found_logs(shell, "76", "", "76/nemo_rl_output.log", address, *own) == [
        ("76/nemo_rl_output.log", LogKind.DRIVER, 1),
        ("76/ray-logs/ray-head.log", LogKind.HEAD, 1),
        ("76/ray_logs/ray-head.log", LogKind.HEAD, 1),
        ("76/ray-logs/ray-worker-2.log", LogKind.WORKER, 1),
        ("76/ray_logs/ray-worker-2.log", LogKind.WORKER, 1),
    ]


async def test_the_log_of_an_array_task(shell: LocalShell) -> None:
    """Its own, not its neighbours'."""
    files = ("slurm-202_3.out", "slurm-202_31.out", "slurm-202_1.out")
    assert await found_logs(shell, "202_3", "slurm-202_3.out", *files) == [
        ("slurm-202_3.out", LogKind.BATCH, 1)
    ]


async def test_logs_outside_the_roots_are_not_named(shell: LocalShell, home: Path) -> None:
    """A link does not lead out."""
    (home.parent / "secret").write_text("s")
    (home / "slurm-7.out").symlink_to(home.parent / "secret")
    assert await found_logs(shell, "7") == []


async def test_recipes(shell: LocalShell, home: Path) -> None:
    """By kind; the commit only where there is a checkout."""
    names = (
        "pretrain/a.py", "sft/b.py", "sft/__init__.py", "cpt/deep/c.py", "common/d.py",
        "recipes/sft/e.py", "run.py",
    )  # fmt: skip
    for name in names:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("")
    found = await shell.run(recipes(str(home)))
    assert found == Recipes("", ("cpt/deep/c.py", "pretrain/a.py", "recipes/sft/e.py", "sft/b.py"))
    assert found.by_kind == {
        "pretrain": ("pretrain/a.py",),
        "cpt": ("cpt/deep/c.py",),
        "sft": ("recipes/sft/e.py", "sft/b.py"),
    }


async def test_a_checkout_of_recipes_says_what_it_is_at(shell: LocalShell, home: Path) -> None:
    """Its branch and commit, and how much of it was changed by hand."""
    folder = home / "nemo"
    (folder / "sft").mkdir(parents=True)
    (folder / "sft" / "a.py").write_text("")

    def git(*words: str) -> str:
        who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
        return run(["git", "-C", folder, *who, *words], check=True, text=True, stdout=PIPE).stdout

    git("init", "-q", "-b", "release-allowlist-ga")
    git("add", ".")
    git("commit", "-q", "-m", "recipes")
    commit = git("rev-parse", "HEAD").strip()
    clean = await shell.run(recipes(str(folder)))
    assert clean == Recipes(commit, ("sft/a.py",), "release-allowlist-ga", launcher=False)
    (folder / "sft" / "a.py").write_text("x = 1\n")
    (folder / "sft" / "new.py").write_text("")
    git("checkout", "-q", "--detach")
    dirty = await shell.run(recipes(str(folder)))
    assert (dirty.branch, dirty.changed, dirty.paths) == ("", 1, ("sft/a.py", "sft/new.py"))


async def test_a_folder_of_recipes_that_is_not_there_is_said(shell: LocalShell, home: Path) -> None:
    """Not an empty list."""
    with pytest.raises(CommandFailed, match="folder of the recipes"):
        await shell.run(recipes(str(home / "nowhere")))
