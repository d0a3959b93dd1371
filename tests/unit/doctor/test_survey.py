"""The survey runs under a plain shell, and tells each look by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.cluster.survey import survey
from bot.errors import CommandFailed
from bot.ports import Output
from tests.unit.cluster.local import LocalShell


async def test_each_look_is_told_by_itself(tmp_path: Path) -> None:
    """What works is told beside what does not."""
    (tmp_path / "nemo").mkdir()
    (tmp_path / "nemo" / "run.py").touch()
    (tmp_path / "x.sqsh").touch()
    shell = LocalShell(tmp_path, env={"PATH": "/usr/bin:/bin"}, bin_dirs=("/nowhere",))
    seen = await shell.run(survey("~/nemo", "/nowhere/python3", "$HOME/x.sqsh"))
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
    seen = await shell.run(survey(str(folder), "python3", "$(touch pwned)"))
    assert seen["launcher"].worked
    assert not seen["image"].worked
    assert not (tmp_path / "pwned").exists()


async def test_a_home_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """Here a file stands in the place of the folder."""
    (tmp_path / ".sbatchat").touch()
    seen = await LocalShell(tmp_path).run(survey("~/nemo", "python3", ""))
    assert not seen["write"].worked
    assert seen["write"].text


def test_a_survey_that_was_cut_is_no_survey() -> None:
    """Its end is marked."""
    query = survey("~/nemo", "python3", "")
    with pytest.raises(CommandFailed):
        query.parse(Output(f"\n{query.args[0]} host\nlogin-0\n", "", 0))
