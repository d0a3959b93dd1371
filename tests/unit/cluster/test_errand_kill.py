"""A pull that is killed at any of its steps: never half an image in its place, then a whole one."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from bot.cluster.errand import SCRIPTS, Phase, look, start
from bot.errors import ClusterUnreachable, CommandFailed
from tests.unit.cluster.killing import WHEN, Killer
from tests.unit.cluster.local import LocalShell
from tests.unit.cluster.test_image_pull import squashfs

KIND = "nemo image pull"
COMMANDS = (
    *("mkdir", "flock", "setsid", "date", "readlink", "stat", "df", "rm", "cp", "head", "od"),
    *("sync", "chmod", "mv"),
)
"""The programs that may kill who called them; those that only wait are left out."""
STEPS = 55
"""A few more than a pull and its look have; `test_the_steps_are_fewer` counts them."""
OLD, NEW = squashfs(1000, b"o"), squashfs()


class Place:
    """A login node on which programs kill, with an old image in the place of the new one."""

    def __init__(self, home: Path) -> None:
        self.source = home / "gcs/b/nemo.sqsh"
        self.to = home / "images/nemo.sqsh"
        for path, content in ((self.source, NEW), (self.to, OLD)):
            path.parent.mkdir(parents=True)
            path.write_bytes(content)
        self.killer = Killer(home / "killer")
        self.killer.write({name: f"/usr/bin/{name}" for name in COMMANDS})
        programs = f"{self.killer.folder}:/usr/bin:/bin"
        self.shell = LocalShell(home, env={"PATH": programs})
        self.attempt = 1

    async def begin(self) -> None:
        """Begin the attempt, or join it."""
        args = ("", str(self.source), str(self.to), str(self.to.parent.parent))
        query = start(f"e{self.attempt}", str(self.to), SCRIPTS[KIND], args)
        try:
            await self.shell.run(query)
        except (ClusterUnreachable, CommandFailed):
            return  # cut off on the way: nobody knows how far it came

    async def settles(self) -> None:
        """As the bot does it: look, begin what is not begun, try again what failed or died."""
        for _ in range(400):
            name = f"e{self.attempt}"
            sight = (await self.shell.run(look([name])))[name]
            assert self.to.read_bytes() in {OLD, NEW}
            if sight.phase is Phase.ENDED and sight.status == 0:
                return
            if sight.phase in {Phase.ENDED, Phase.DEAD}:
                self.attempt += 1
            if sight.phase is not Phase.RUNNING:
                await self.begin()
            await asyncio.sleep(0.02)
        raise AssertionError("it never comes to an end")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A login node."""
    return Place(tmp_path)


async def test_the_steps_are_fewer(place: Place) -> None:
    """Each of them is killed below."""
    assert all(shutil.which(name, path="/usr/bin") for name in COMMANDS)
    place.killer.arm(0, "never")
    await place.begin()
    await place.settles()
    steps = place.killer.disarm()
    assert set(steps) == set(COMMANDS)
    assert steps.index("mv") < STEPS


@pytest.mark.parametrize(
    ("step", "when"),
    # Two ways of the four at each step, by turns: the same program is called at several.
    [(step, when) for step in range(1, STEPS + 1) for when in WHEN[step % 2 :: 2]],
)
async def test_killed_at_a_step_the_image_is_whole_in_the_end(
    place: Place, step: int, when: str
) -> None:
    """The old one until then, and nothing half-written stays."""
    place.killer.arm(step, when)
    await place.begin()
    ended = place.shell.home / ".sbatchat/errands/e1/exit"
    async with asyncio.timeout(10):
        while not (place.killer.reached(step) or ended.exists()):
            await asyncio.sleep(0.02)
    place.killer.disarm()
    await place.settles()
    assert place.to.read_bytes() == NEW
    assert [path.name for path in place.to.parent.iterdir()] == ["nemo.sqsh"]
    assert place.attempt <= 2
