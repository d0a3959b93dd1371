"""Pulling an image: beside its place, checked, renamed into it; a real copy by a real script."""

from __future__ import annotations

import asyncio
import os
import signal
import struct
from pathlib import Path

import pytest

from bot.cluster.errand import SCRIPTS, Phase, Sight, look, start, stop
from bot.cluster.images import Condition, images
from tests.unit.cluster.local import LocalShell

KIND = "nemo image pull"
SIZE = 300_000


def squashfs(size: int = SIZE, fill: bytes = b"x") -> bytes:
    """A file that says that it is a squashfs of this size."""
    head = struct.pack("<4sIIIIHHHHHH", b"hsqs", 1, 0, 131072, 0, 1, 17, 0, 1, 4, 0)
    return (head + struct.pack("<8Q", 0, size, *(6 * [size - 1]))).ljust(size, fill)


GCLOUD = """#!/bin/sh
# Answers as gcloud does: lists one object of $BUCKET, copies it in two halves.
here={bucket}
case "$1 $2" in
  'storage ls')
    [ -e "$here/said" ] && {{ cat "$here/said" >&2; exit 1; }}
    file=$here/${{4#gs://}}
    [ -f "$file" ] || {{
      printf 'ERROR: (gcloud.storage.ls) One or more URLs matched no objects.\\n-%s\\n' "$4" >&2
      exit 1
    }}
    size=$(cat "$here/size" 2>/dev/null || stat -c %s "$file")
    printf '%12s  2026-01-01T00:00:00Z  %s\\nTOTAL: 1 objects, %s bytes (1MiB)\\n' $size "$4" $size
    ;;
  'storage cp')
    file=$here/${{3#gs://}} half=$(($(stat -c %s "$here/${{3#gs://}}") / 2))
    head -c "$half" "$file" >"${{4}}_.gstmp"
    while [ -e "$here/wait" ]; do sleep 0.1; done
    [ -e "$here/broken" ] && {{ cat "$here/broken" >&2; exit 1; }}
    tail -c "+$((half + 1))" "$file" >>"${{4}}_.gstmp"
    mv "${{4}}_.gstmp" "$4"
    ;;
esac
"""


class Place:
    """A login node with a bucket, and the place an image goes to."""

    url = "gs://images/nemo.sqsh"

    def __init__(self, home: Path) -> None:
        self.bucket = home / "bucket"
        (self.bucket / "images").mkdir(parents=True)
        self.object = self.bucket / "images/nemo.sqsh"
        self.object.write_bytes(squashfs())
        programs = home / "programs"
        programs.mkdir()
        (programs / "gcloud").write_text(GCLOUD.format(bucket=self.bucket))
        (programs / "gcloud").chmod(0o755)
        self.shell = LocalShell(home, env={"PATH": f"{programs}:/usr/bin:/bin"})
        self.roots = home / "work"
        self.to = self.roots / "images/nemo.sqsh"
        self.part = Path(f"{self.to}.part")
        self.number = 0

    async def begin(self, url: str = url, mounted: str = "", to: str = "") -> str:
        """Begin a pull."""
        self.number += 1
        name = f"e{self.number}"
        args = (url, mounted, to or str(self.to), f"{self.roots}\n{self.roots}2")
        await self.shell.run(start(name, str(self.to), SCRIPTS[KIND], args))
        return name

    async def sight(self, name: str) -> Sight:
        """How it stands."""
        return (await self.shell.run(look([name])))[name]

    async def end(self, name: str) -> Sight:
        """How it ended."""
        for _ in range(150):
            sight = await self.sight(name)
            if sight.phase is not Phase.RUNNING:
                return sight
            await asyncio.sleep(0.1)
        raise AssertionError(f"{name} does not end")

    async def pull(self, url: str = url, mounted: str = "", to: str = "") -> Sight:
        """Pull to the end."""
        return await self.end(await self.begin(url, mounted, to))

    def hold(self) -> None:
        """Let copies wait half way."""
        (self.bucket / "wait").touch()

    def release(self) -> None:
        """Let them go on."""
        (self.bucket / "wait").unlink()

    async def half_way(self, name: str) -> None:
        """Wait until half is copied."""
        for _ in range(100):
            growth = (await self.sight(name)).growth
            if growth and growth.size:
                assert growth.total == SIZE
                return
            await asyncio.sleep(0.1)
        raise AssertionError("nothing grows")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A login node."""
    return Place(tmp_path)


def steps(sight: Sight) -> dict[str, str]:
    """What was said of each step."""
    return {
        step.name: f"{step.state.value} {step.said} {step.detail}".strip() for step in sight.steps
    }


async def test_it_is_copied_checked_and_put_in_place(place: Place) -> None:
    """The folder is made when it is not there."""
    sight = await place.pull()
    assert (sight.status, list(steps(sight))[-1]) == (0, "place")
    assert place.to.read_bytes() == squashfs()
    assert not place.part.exists()
    assert dict(sight.facts)["size"] == str(SIZE)


async def test_what_is_there_and_whole_is_not_copied_again(place: Place) -> None:
    """Safe to repeat."""
    await place.pull()
    before = place.to.stat().st_ino
    sight = await place.pull()
    assert sight.status == 0
    assert steps(sight)["present"].startswith("there")
    assert "copy" not in steps(sight)
    assert place.to.stat().st_ino == before


async def test_the_old_image_stays_until_the_new_one_is_whole(place: Place) -> None:
    """A job that starts meanwhile finds a whole one."""
    old = squashfs(1000, b"o")
    place.to.parent.mkdir(parents=True)
    place.to.write_bytes(old)
    place.hold()
    name = await place.begin()
    await place.half_way(name)
    assert place.to.read_bytes() == old
    place.release()
    assert steps(await place.end(name))["present"] == "done other 1000"
    assert place.to.read_bytes() == squashfs()


@pytest.mark.parametrize("harm", ["stop", "kill"])
async def test_whatever_ends_it_half_way_leaves_the_old_one(place: Place, harm: str) -> None:
    """And the next pull makes it whole, whatever was left."""
    old = squashfs(1000, b"o")
    place.to.parent.mkdir(parents=True)
    place.to.write_bytes(old)
    place.hold()
    name = await place.begin()
    await place.half_way(name)
    if harm == "stop":
        sight = (await place.shell.run(stop([name])))[name]
        assert sight.phase is Phase.STOPPED
        assert [path.name for path in place.to.parent.iterdir()] == ["nemo.sqsh"]
    else:
        folder = place.shell.home / ".sbatchat/errands" / name
        os.killpg(int((folder / "runner").read_text().split()[3]), signal.SIGKILL)
        assert (await place.end(name)).phase is Phase.DEAD
        left = await place.shell.run(images([str(place.to.parent)]))
        assert {image.condition for image in left} == {Condition.WHOLE, Condition.PART}
    assert place.to.read_bytes() == old
    place.release()
    assert (await place.pull()).status == 0
    assert place.to.read_bytes() == squashfs()
    assert [path.name for path in place.to.parent.iterdir()] == ["nemo.sqsh"]


async def test_a_half_written_image_is_replaced(place: Place) -> None:
    """Somebody's own copy that was cut off is known by its superblock."""
    place.to.parent.mkdir(parents=True)
    place.to.write_bytes(squashfs()[:1000])
    found = await place.shell.run(images([str(place.to.parent), "/none"]))
    assert [(image.path, image.condition) for image in found] == [
        (str(place.to), Condition.TRUNCATED)
    ]
    sight = await place.pull()
    assert steps(sight)["present"] == "done truncated 1000"
    assert place.to.read_bytes() == squashfs()


@pytest.mark.parametrize("name", ["a.sqsh.part", "a.sqsh.part_.gstmp", "a.sqsh.build.part"])
async def test_what_a_pull_or_a_build_left_is_listed(place: Place, name: str) -> None:
    """It takes room, and nobody can use it."""
    place.to.parent.mkdir(parents=True)
    place.to.with_name(name).write_bytes(squashfs())
    found = await place.shell.run(images([str(place.to.parent)]))
    assert [image.condition for image in found] == [Condition.PART]


async def test_a_mounted_bucket_needs_no_gcloud(place: Place) -> None:
    """The object itself is asked for, since the mount cannot be listed."""
    (place.shell.home / "programs/gcloud").unlink()
    mounted = place.shell.home / "gcs/images/nemo.sqsh"
    mounted.parent.mkdir(parents=True)
    mounted.write_bytes(squashfs())
    sight = await place.pull(mounted=str(mounted))
    assert (sight.status, dict(sight.facts)["source"]) == (0, str(mounted))
    assert place.to.read_bytes() == squashfs()


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda p: p.object.unlink(), "ask"),
        (lambda p: (p.bucket / "said").write_text("no active account selected\n"), "ask"),
        (lambda p: (p.bucket / "broken").write_text("does not have permission\n"), "copy"),
        (lambda p: (p.bucket / "size").write_text("299999\n"), "size"),
        (lambda p: (p.bucket / "size").write_text(str(10**18)), "room"),
        (lambda p: p.object.write_bytes(squashfs(2 * SIZE)[:SIZE]), "truncated"),
        (lambda p: p.object.write_bytes(b"<html>sign in</html>"), "squashfs"),
        (lambda p: p.to.mkdir(parents=True), "folder"),
    ],
)
async def test_each_failure_has_its_code_and_leaves_nothing(
    place: Place, make: object, code: str
) -> None:
    """No half-written file, and nothing in the image's place."""
    assert callable(make)
    make(place)
    sight = await place.pull()
    assert (sight.status, sight.steps[-1].said) == (1, code)
    assert not place.to.is_file()
    assert not list(place.roots.rglob("*.part*"))


PROGRAMS = (
    *("cat", "chmod", "cp", "date", "df", "flock", "head", "ls", "mkdir", "mv", "od", "readlink"),
    *("rm", "sed", "setsid", "sh", "sleep", "stat", "sync", "tail", "tr"),
)


async def test_without_gcloud_and_without_a_mount_there_is_no_way(place: Place) -> None:
    """The sentence names both."""
    few = place.shell.home / "few"
    few.mkdir()
    for name in PROGRAMS:
        (few / name).symlink_to(f"/usr/bin/{name}")
    place.shell.env["PATH"] = str(few)
    sight = await place.pull(mounted="/gcs/images/nemo.sqsh")
    assert (sight.status, sight.steps[-1].said) == (1, "gcloud")


async def test_a_place_outside_the_roots_is_refused(place: Place) -> None:
    """Wherever a link leads."""
    outside = place.shell.home / "outside"
    outside.mkdir()
    place.roots.mkdir()
    (place.roots / "link").symlink_to(outside)
    for to in (outside / "nemo.sqsh", place.roots / "link/nemo.sqsh"):
        sight = await place.pull(to=str(to))
        assert sight.steps[-1].said == "outside"
    assert list(outside.iterdir()) == []


async def test_a_mounted_object_that_is_not_there_is_said_to_be_so(place: Place) -> None:
    """There is no URL to fall back to."""
    sight = await place.pull(url="", mounted="/gcs/none/x.sqsh")
    assert (sight.steps[-1].said, sight.steps[-1].detail) == ("nothing", "/gcs/none/x.sqsh")
