"""Whether a launch's files are there, asked of this machine's shell."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.cluster.preflight import Checked, Verdict, preflight
from bot.workload import Need
from tests.unit.cluster.local import LocalShell


@pytest.fixture
def shell(tmp_path: Path) -> LocalShell:
    """A login node; its home is the only root."""
    (tmp_path / "home" / "rl" / "algorithms").mkdir(parents=True)
    return LocalShell(tmp_path / "home")


async def look(shell: LocalShell, *needs: Need) -> tuple[Checked, ...]:
    return await shell.run(preflight(needs, (str(shell.home),)))


async def test_the_texts_of_several_files_come_with_one_look(shell: LocalShell) -> None:
    rl = shell.home / "rl"
    (rl / "launch.sh").write_text("#!/bin/bash\necho 'a\x1fb'\n")
    (rl / "algorithms/dpo.sh").write_text("train \\\n  \N{GREEK SMALL LETTER ALPHA}\n")
    files = ("launch.sh", "algorithms/dpo.sh", "algorithms/new.sh")
    first, second, third, unread = await look(
        shell,
        *(
            Need(
                field=name,
                path=f"{rl}/{name}",
                kind="place" if "new" in name else "file",
                read=True,
            )
            for name in files
        ),
        Need(field="again", path=f"{rl}/launch.sh", kind="file"),
    )
    assert first.text == "#!/bin/bash\necho 'a\x1fb'\n"
    assert second.text == "train \\\n  \N{GREEK SMALL LETTER ALPHA}\n"
    assert (third.verdict, third.text) == (Verdict.OK, "")
    assert (unread.verdict, unread.text) == (Verdict.OK, "")


async def test_a_place_that_is_there_shows_what_lies_in_it(shell: LocalShell) -> None:
    path = shell.home / "copy.sh"
    path.write_text("mine")
    [found] = await look(shell, Need(field="copy", path=str(path), kind="place", read=True))
    assert (found.verdict, found.text) == (Verdict.OK, "mine")


async def test_some_file_of_a_kind_is_enough(shell: LocalShell) -> None:
    rl = shell.home / "rl"
    need = Need(field="image", path=str(rl), kind="some", among=str(rl), suffix=".sqsh")
    [found] = await look(shell, need)
    assert (found.verdict, found.others) == (Verdict.MISSING, ())
    (rl / "a.sqsh").touch()
    [found] = await look(shell, need)
    assert found.verdict is Verdict.OK


async def test_a_file_outside_the_roots_shows_nothing(shell: LocalShell, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("token")
    (shell.home / "link").symlink_to(tmp_path / "secret")
    [found] = await look(
        shell, Need(field="script", path=str(shell.home / "link"), kind="file", read=True)
    )
    assert (found.verdict, found.text) == (Verdict.OUTSIDE, "")


async def test_odd_links_confuse_nothing(shell: LocalShell) -> None:
    """One that leads in a circle, and one whose target has a line break."""
    for target in ("circle", "rl/two\nlines"):
        link, plain = shell.home / "circle", shell.home / "rl" / "plain.sh"
        link.unlink(missing_ok=True)
        link.symlink_to(target)
        plain.write_text("plain")
        needs = (
            Need(field="odd", path=str(link), kind="file", read=True),
            Need(field="script", path=str(plain), kind="file", read=True),
        )
        odd, script = await look(shell, *needs)
        assert (odd.verdict, odd.text) == (Verdict.MISSING, "")
        assert (script.verdict, script.real, script.text) == (Verdict.OK, str(plain), "plain")


async def test_a_missing_file_names_its_neighbours(shell: LocalShell) -> None:
    folder = shell.home / "rl/algorithms"
    (folder / "dpo.sh").touch()
    (folder / "notes.md").touch()
    (folder / "parts\x1ean\x1fanswer.sh").touch()
    (folder / ".hidden").mkdir()
    (folder / ".hidden/secrets.sh").touch()
    [found] = await look(
        shell,
        Need(
            field="job_script",
            path=f"{folder}/dop.sh",
            kind="file",
            among=str(folder),
            suffix=".sh",
        ),
    )
    assert (found.verdict, found.others) == (Verdict.MISSING, ("dpo.sh",))


HEAD = b"hsqs".ljust(40, b"\0")


@pytest.mark.parametrize(
    ("content", "verdict"),
    [
        (HEAD + (96).to_bytes(8, "little") + bytes(48), Verdict.OK),
        (HEAD + (96).to_bytes(8, "little") + bytes(4096), Verdict.OK),
        (HEAD + (97).to_bytes(8, "little") + bytes(48), Verdict.PARTIAL),
        (HEAD + (1 << 33).to_bytes(8, "little") + bytes(48), Verdict.PARTIAL),
        (HEAD, Verdict.PARTIAL),
        (b"", Verdict.PARTIAL),
        (b"<html>404</html>" * 100, Verdict.PARTIAL),
    ],
)
async def test_an_image_that_is_not_whole_is_seen(
    shell: LocalShell, content: bytes, verdict: Verdict
) -> None:
    """By its head, which tells how long it must be; other files are not looked into."""
    image, script = shell.home / "nemo.sqsh", shell.home / "run.sh"
    image.write_bytes(content)
    script.write_bytes(content)
    needs = [Need(field="image", path=str(path), kind="file") for path in (image, script)]
    seen, other = await look(shell, *needs)
    assert (seen.verdict, other.verdict) == (verdict, Verdict.OK)
