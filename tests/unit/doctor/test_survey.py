"""The survey runs under a plain shell, and tells each look by itself."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import pytest

from bot.cluster.survey import Places, cloud, launcher_help, recipes_server, survey
from bot.errors import CommandFailed
from bot.ports import Output
from tests.unit.cluster.local import LocalShell


def squashfs(size: int, *, cut: int = 0) -> bytes:
    """The beginning of an image of that many bytes, some of which are missing at the end."""
    head = b"hsqs" + bytes(36) + struct.pack("<Q", size)
    return head + bytes(size - len(head) - cut)


async def test_each_look_is_told_by_itself(tmp_path: Path) -> None:
    """What works is told beside what does not."""
    (tmp_path / "nemo").mkdir()
    (tmp_path / "nemo" / "run.py").touch()
    (tmp_path / "x.sqsh").write_bytes(squashfs(100))
    shell = LocalShell(tmp_path, env={"PATH": "/usr/bin:/bin"}, bin_dirs=("/nowhere",))
    seen = await shell.run(
        survey(Places(nemo="~/nemo", python="/nowhere/python3", image="$HOME/x.sqsh"))
    )
    assert seen["home"].text == str(tmp_path)
    assert seen["write"].worked
    assert seen["lock"].worked
    assert (seen["mode"].text, seen["launcher"].status) == ("700", 0)
    assert seen["image"].worked
    assert not seen["nemo-run"].worked
    assert seen.now is not None
    assert seen.free_mb is not None
    assert not {"flock", "setsid", "sync"} & set(seen.missing_programs)
    assert [path.name for path in (tmp_path / ".sbatchat").iterdir()] == []


async def test_names_with_blanks_and_quotes_arrive_whole(tmp_path: Path) -> None:
    """No path is pasted into a shell line."""
    folder = tmp_path / "it's a; folder"
    folder.mkdir()
    (folder / "run.py").touch()
    shell = LocalShell(tmp_path)
    seen = await shell.run(survey(Places(nemo=str(folder), image="$(touch pwned)")))
    assert seen["launcher"].worked
    assert not seen["image"].worked
    assert not (tmp_path / "pwned").exists()


async def test_a_home_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """Here a file stands in the place of the folder."""
    (tmp_path / ".sbatchat").touch()
    seen = await LocalShell(tmp_path).run(survey(Places(nemo="~/nemo")))
    assert not seen["write"].worked
    assert seen["write"].text


def test_a_survey_that_was_cut_is_no_survey() -> None:
    """Its end is marked."""
    query = survey(Places(nemo="~/nemo"))
    with pytest.raises(CommandFailed):
        query.parse(Output(f"\n{query.args[0]} host\nlogin-0\n", "", 0))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (squashfs(4000), "4000 4000"),
        (squashfs(4000, cut=1), "3999 4000"),
        (b"<html>not found</html>", "strange"),
        (b"", "strange"),
        (None, "missing"),
    ],
)
async def test_an_image_is_whole_or_what_else_it_is(
    tmp_path: Path, content: bytes | None, said: str
) -> None:
    """By its head, which names its size."""
    if content is not None:
        (tmp_path / "x.sqsh").write_bytes(content)
    seen = await LocalShell(tmp_path).run(survey(Places(nemo="~/nemo", image="~/x.sqsh")))
    assert seen["image"].text == said
    assert seen["image"].worked == (said == "4000 4000")


async def test_an_image_that_is_being_copied_is_told(tmp_path: Path) -> None:
    """Its copy lies beside the place where it is to be."""
    (tmp_path / "nemo.sqsh.part").touch()
    places = Places(nemo="~/nemo", nemo_rl="~", nemo_rl_image="nemo.sqsh")
    seen = await LocalShell(tmp_path).run(survey(places))
    assert (seen["rl-image"].text, seen["rl-image"].worked) == ("part", False)


def git(*words: str) -> str:
    """Run git as somebody."""
    who = ("-c", "user.name=x", "-c", "user.email=x@example.com")
    done = subprocess.run(["git", *who, *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


async def test_a_checkout_tells_its_branch_commit_and_changes(tmp_path: Path) -> None:
    """What NeMo-RL's tokens change in it is no change."""
    folder = tmp_path / "site"
    for name in ("nemo/run.py", "nemo_rl/launch.sh", "nemo_rl/configs/auth.sh"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x\n")
    git("init", "-q", "-b", "release", str(folder))
    git("-C", str(folder), "add", "-A")
    git("-C", str(folder), "commit", "-qm", "x")
    (folder / "nemo_rl/configs/auth.sh").write_text("y\n")
    places = Places(nemo="~/site/nemo", nemo_rl="~/site/nemo_rl")
    seen = await LocalShell(tmp_path).run(survey(places))
    commit = git("-C", str(folder), "rev-parse", "HEAD")
    assert (seen["commit"].text, seen["branch"].text) == (commit, "release")
    assert seen["changes"].text.strip() == "0"
    assert seen["rl-launcher"].worked
    (folder / "nemo/run.py").write_text("y\n")
    seen = await LocalShell(tmp_path).run(survey(places))
    assert seen["changes"].text.strip() == "1"


async def test_the_environment_that_set_up_made_is_taken_once_it_is_there(tmp_path: Path) -> None:
    """Before that, the configured python."""
    places = Places(nemo="~/nemo", python="python3", venv="~/venv")
    seen = await LocalShell(tmp_path).run(survey(places))
    assert seen["python"].text == "python3"
    python = tmp_path / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\necho 0.11.1\n")
    python.chmod(0o755)
    seen = await LocalShell(tmp_path).run(survey(places))
    assert (seen["python"].text, seen["nemo-run"].text) == (str(python), "0.11.1")


async def test_the_git_server_is_asked_without_a_question_to_anybody(tmp_path: Path) -> None:
    """A branch, no such branch, no such repository."""
    folder = tmp_path / "recipes"
    folder.mkdir()
    git("init", "-q", "-b", "release", str(folder))
    git("-C", str(folder), "commit", "-qm", "x", "--allow-empty")
    shell = LocalShell(tmp_path)
    seen = await shell.run(recipes_server(str(folder), "release"))
    assert seen["git"].text.split()[0] == git("-C", str(folder), "rev-parse", "HEAD")
    seen = await shell.run(recipes_server(str(folder), "main"))
    assert (seen["git"].text, seen["git"].worked) == ("", True)
    seen = await shell.run(recipes_server("/nowhere", "main"))
    assert not seen["git"].worked
    seen = await shell.run(recipes_server("--upload-pack=touch pwned", "main"))
    assert not (tmp_path / "pwned").exists()


async def test_the_launcher_is_started_in_its_folder(tmp_path: Path) -> None:
    """Where there is none, nothing is told."""
    shell = LocalShell(tmp_path)
    seen = await shell.run(launcher_help(Places(nemo="~/nemo")))
    assert "help" not in seen.told
    (tmp_path / "nemo").mkdir()
    (tmp_path / "nemo" / "run.py").write_text("import os\nprint(os.getcwd())\n")
    seen = await shell.run(launcher_help(Places(nemo="~/nemo")))
    assert seen["help"].text == str(tmp_path / "nemo")
    (tmp_path / "nemo" / "run.py").write_text("import nothing_of_the_kind\n")
    seen = await shell.run(launcher_help(Places(nemo="~/nemo")))
    assert not seen["help"].worked


async def test_objects_of_mounted_buckets_are_tried_one_by_one(tmp_path: Path) -> None:
    """The mount itself cannot be listed."""
    (tmp_path / "object").touch()
    seen = await LocalShell(tmp_path).run(cloud(("/nowhere/object", "~/object")))
    assert not seen["object-0"].worked
    assert seen["object-1"].worked


@pytest.mark.parametrize(
    ("program", "said", "worked"),
    [
        ("echo me@example.com", "me@example.com", True),
        ("echo WARNING: no status >&2", "", True),
        ("echo ERROR: broken >&2; exit 1", "ERROR: broken", False),
    ],
)
async def test_the_active_account_is_what_gcloud_lists(
    tmp_path: Path, program: str, said: str, worked: bool
) -> None:
    """Its warnings are no account."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "gcloud").write_text(f"#!/bin/sh\n{program}\n")
    (tmp_path / "bin" / "gcloud").chmod(0o755)
    shell = LocalShell(tmp_path, bin_dirs=(f"{tmp_path}/bin",))
    told = (await shell.run(cloud(())))["account"]
    assert (told.text, told.worked) == (said, worked)
