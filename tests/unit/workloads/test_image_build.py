"""An image made of a Docker image: what is submitted, and what the script does."""

from __future__ import annotations

import os
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest

from bot.errors import InputRefused
from bot.grammar import Parsed, parse
from bot.workload import Site
from bot.workloads.image_build import (
    IMAGE_BUILD,
    ImageBuild,
    complete,
    files,
    launch,
    needs,
    notes,
    resources,
    result,
)

SITE = Site(home="/home/ann", account="research", images="~/images", partition="a3m")
REF = "us-docker.pkg.dev/p/r/nemo:25.07"
TOKEN = "ya29.not-a-real-one"  # noqa: S105 - made up
OLD = b"the old image"


def read(text: str) -> ImageBuild:
    """The options of a command."""
    parsed = parse("/nemo", f"image build {text}")
    assert isinstance(parsed, Parsed)
    assert isinstance(parsed.options, ImageBuild)
    return parsed.options


def test_one_node_makes_the_image_whoever_asks() -> None:
    """With the registry's own name for the image, and absolute paths."""
    run = launch(read(f"docker://{REF} --time 1h -c 16 --mem 64G"), SITE)
    assert run.cwd == "/home/ann"
    assert run.argv == (
        "sbatch",
        "--job-name=image-nemo-25.07.sqsh",
        "--dependency=singleton",
        "--nodes=1",
        "--ntasks=1",
        "--cpus-per-task=16",
        "--mem=64G",
        "--partition=a3m",
        "--account=research",
        "--time=01:00:00",
        "--output=/home/ann/.sbatchat/images/slurm-%j.out",
        "/home/ann/.sbatchat/images/build.sh",
        "docker://us-docker.pkg.dev#p/r/nemo:25.07",
        "/home/ann/images/nemo-25.07.sqsh",
        "us-docker.pkg.dev",
    )
    assert [file.path for file in files(read(REF), SITE, {})] == [run.argv[-4]]


@pytest.mark.parametrize("name", ["mine", "mine.sqsh"])
def test_a_name_becomes_a_file_among_the_images(name: str) -> None:
    """With or without its suffix; completing twice changes nothing."""
    run = complete(read(f"{REF} --name {name}"), SITE)
    assert run.target == "/home/ann/images/mine.sqsh"
    assert complete(run, SITE) == run
    assert [(need.path, need.kind) for need in needs(run, SITE)] == [(run.target, "place")]
    assert IMAGE_BUILD.title(run) == "mine.sqsh"


@pytest.mark.parametrize("name", [".sqsh", "..", ".hidden", "..sqsh"])
def test_a_name_under_which_nobody_would_find_the_image_is_refused(name: str) -> None:
    """Hidden, or nothing but a suffix."""
    with pytest.raises(InputRefused) as refused:
        read(f"{REF} --name {name}")
    assert "nemo-25.07" in refused.value.errors[0].hint


def test_it_costs_no_gpu() -> None:
    """And ends by itself."""
    asked = resources(complete(read(REF), SITE))
    assert (asked.nodes, asked.gpus, asked.gpu_hours) == (1, 0, 0)
    assert asked.time == timedelta(hours=2)


def test_the_card_says_where_it_will_lie_and_whose_credentials_are_used() -> None:
    """Before it runs."""
    where, whose = notes(complete(read(REF), SITE))
    assert "/home/ann/images/nemo-25.07.sqsh" in where
    assert "us-docker.pkg.dev" in whose


def test_the_answer_says_the_path_the_size_and_how_to_use_it() -> None:
    """From the script's last line; without it nothing is claimed."""
    log = "image build: whole, 3149824 bytes, /home/ann/images/nemo-25.07.sqsh\n"
    said = result(read(REF), log)
    assert said == (
        "`/home/ann/images/nemo-25.07.sqsh`, 3.1 MB. "
        "Use it with `/nemo run RECIPE -i nemo-25.07.sqsh`."
    )
    assert result(read(REF), "") == ""


ENROOT = """\
#!/bin/sh
# Tells who can see what while it runs, and writes what $MADE says.
cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' >"$HOME/seen"
cat "${ENROOT_CONFIG_PATH:-/nowhere}/.credentials" >"$HOME/credentials" 2>/dev/null
stat -c %a "$ENROOT_CONFIG_PATH" "$ENROOT_CONFIG_PATH/.credentials" >"$HOME/modes" 2>/dev/null
echo "$ENROOT_CONFIG_PATH $ENROOT_MAX_PROCESSORS" >"$HOME/told"
[ "$1 $2 $4" = "import -o $REF" ] || exit 9
case $MADE in
  fails) printf half >"$3"; exit 1 ;;
  nothing) ;;
  text) echo text >"$3" ;;
  short) printf 'hsqs%036d\\377\\1\\0\\0\\0\\0\\0\\0' 0 >"$3" ;;
  whole) { printf 'hsqs%036d\\140\\0\\0\\0\\0\\0\\0\\0' 0; head -c 48 /dev/zero; } >"$3" ;;
  waits) printf half >"$3"; touch "$HOME/waiting"; exec sleep 60 ;;
esac
"""
GCLOUD = """\
#!/bin/sh
[ "$*" = "auth print-access-token" ] && [ "$TOKEN" ] && echo "$TOKEN" && exit
echo "ERROR: (gcloud.auth.print-access-token) You do not currently have an active account" >&2
exit 1
"""


class Node:
    """A home in which the script runs under the machine's own bash."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.image = home / "images" / "nemo.sqsh"
        self._script = home / "build.sh"
        (file,) = files(read(REF), Site(home=str(home)), {})
        self._script.write_text(file.text)
        (home / "bin").mkdir()
        for name, text in (("enroot", ENROOT), ("gcloud", GCLOUD)):
            (home / "bin" / name).write_text(text)
            (home / "bin" / name).chmod(0o755)

    def start(
        self, made: str, *, token: str = TOKEN, host: str = "us-docker.pkg.dev"
    ) -> subprocess.Popen[str]:
        """Begin a build, traced as hard as a shell's environment can ask for."""
        uri = f"docker://{host}#p/r/nemo:25.07"
        trace = self.home / "trace.sh"
        trace.write_text("set -x\n")
        environment = {
            "HOME": str(self.home),
            "PATH": f"{self.home}/bin:{os.environ['PATH']}",
            "BASH_ENV": str(trace),
            "MADE": made,
            "REF": uri,
            "TOKEN": token,
        }
        return subprocess.Popen(
            ["bash", str(self._script), uri, str(self.image), host],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def build(
        self, made: str, *, token: str = TOKEN, host: str = "us-docker.pkg.dev"
    ) -> tuple[int, str]:
        """Run it to its end; its status and what it printed."""
        process = self.start(made, token=token, host=host)
        said, _ = process.communicate(timeout=30)
        return process.returncode, said

    def left(self) -> set[str]:
        """What lies in the images' folder."""
        return {path.name for path in self.image.parent.iterdir()}


@pytest.fixture
def node(tmp_path: Path) -> Node:
    """A node."""
    return Node(tmp_path)


def test_a_whole_image_takes_its_place(node: Node) -> None:
    """Over the old one; the last line tells its size."""
    node.image.parent.mkdir()
    node.image.write_bytes(OLD)
    status, said = node.build("whole")
    assert status == 0, said
    assert said.splitlines()[-1] == f"image build: whole, 96 bytes, {node.image}"
    assert node.left() == {"nemo.sqsh"}
    assert node.image.read_bytes()[:4] == b"hsqs"


@pytest.mark.parametrize(
    ("made", "why"),
    [
        ("fails", "enroot left with 1; "),
        ("nothing", "enroot made no file"),
        ("text", "what enroot made is not whole: it is no squashfs"),
        ("short", "what enroot made is not whole: 48 of 511 bytes"),
    ],
)
def test_the_old_image_stays_when_the_new_one_is_not_whole(node: Node, made: str, why: str) -> None:
    """And no part of the new one is left."""
    node.image.parent.mkdir()
    node.image.write_bytes(OLD)
    status, said = node.build(made)
    assert status == 1
    assert f"image build: {why}" in said
    assert f"image build: {node.image} is as it was" in said
    assert node.image.read_bytes() == OLD
    assert node.left() == {"nemo.sqsh"}


def test_a_build_that_is_stopped_leaves_nothing_of_its_own(node: Node) -> None:
    """Neither a part nor a credential, and the old image is as it was."""
    node.image.parent.mkdir()
    node.image.write_bytes(OLD)
    process = node.start("waits")
    while not (node.home / "waiting").exists():
        assert process.poll() is None
    process.terminate()
    process.communicate(timeout=30)
    assert process.returncode == 143
    assert node.left() == {"nemo.sqsh"}
    private = (node.home / "told").read_text().split()[0]
    assert not Path(private).exists()


@pytest.mark.parametrize("made", ["whole", "fails"])
def test_a_copy_of_the_same_name_that_is_being_pulled_is_left_alone(node: Node, made: str) -> None:
    """Each writes to a name of its own: neither takes the other's for what it made."""
    node.image.parent.mkdir()
    pulled = node.image.with_name("nemo.sqsh.part")
    pulled.write_bytes(OLD)
    node.build(made)
    assert pulled.read_bytes() == OLD


def test_the_token_is_seen_by_enroot_alone(node: Node) -> None:
    """In a file that only the account may read, gone at the end; in no argument and no output."""
    _, said = node.build("whole")
    credentials = (node.home / "credentials").read_text()
    assert credentials == f"machine us-docker.pkg.dev login oauth2accesstoken password {TOKEN}\n"
    assert (node.home / "modes").read_text().split() == ["700", "600"]
    assert TOKEN not in said
    assert TOKEN not in (node.home / "seen").read_text()
    private, processors = (node.home / "told").read_text().split()
    assert not Path(private).exists()
    assert int(processors) >= 1


def test_without_a_token_the_reason_is_said_and_the_registry_asked_all_the_same(
    node: Node,
) -> None:
    """Since some images are for everybody."""
    status, said = node.build("whole", token="")
    assert status == 0
    assert "image build: no access token from gcloud: ERROR: (gcloud.auth" in said
    assert (node.home / "credentials").read_text() == ""


def test_other_registries_get_no_token_of_google(node: Node) -> None:
    """The account's own credentials for them are enroot's to find."""
    status, _ = node.build("whole", host="nvcr.io")
    assert status == 0
    assert (node.home / "credentials").read_text() == ""
