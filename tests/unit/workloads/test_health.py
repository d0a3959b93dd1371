"""A look at nodes: what is submitted, what the script finds, what is said of it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from bot.grammar import Parsed, parse
from bot.nodelist import node_names
from bot.workload import Site
from bot.workloads.health import HEALTH, Health, complete, files, launch, resources, result

SITE = Site(home="/home/ann", account="research", slurm_types={"a3m": "hcc-a3m"})

LISTED = "".join(
    f"GPU {number}: NVIDIA H100 80GB HBM3 (UUID: GPU-{number})\n" for number in range(8)
)
WHAT_TO_DO = "Tell the administrators, and keep away with `--exclude n1`."
SRUN = '#!/bin/sh\nwhile [ "${1#--}" != "$1" ]; do shift; done\nexec "$@"\n'


def read(text: str) -> Health:
    """The options of a command."""
    parsed = parse("/slurm", f"health {text}")
    assert isinstance(parsed, Parsed)
    assert isinstance(parsed.options, Health)
    return parsed.options


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("alice-a3u-0", ["alice-a3u-0"]),
        ("a-[0-1,3],b", ["a-0", "a-1", "a-3", "b"]),
        ("r[1-2]n[08-10]", ["r1n08", "r1n09", "r1n10", "r2n08", "r2n09", "r2n10"]),
        ("a,a", ["a"]),
        ("", []),
    ],
)
def test_a_list_of_nodes_is_read_as_slurm_reads_it(text: str, names: list[str]) -> None:
    """Widths of numbers are kept, and no name comes twice."""
    assert list(node_names(text)) == names


def test_named_nodes_are_asked_for_and_counted() -> None:
    """Whole nodes of the partition, for ten minutes."""
    run = complete(read("alice-a3m-[0-1] -p a3m"), SITE)
    argv = launch(run, SITE).argv
    assert {"--nodes=2", "--nodelist=alice-a3m-[0-1]", "--gpus-per-node=8"} < set(argv)
    assert {"--partition=a3m", "--account=research", "--ntasks-per-node=1"} < set(argv)
    assert argv[-2:] == ("/home/ann/.sbatchat/health/health.sh", "8")
    asked = resources(run)
    assert (asked.nodes, asked.gpus_per_node) == (2, 8)
    assert asked.gpu_hours == pytest.approx(8 / 3)
    assert [file.path for file in files(run, SITE, {})] == [argv[-2]]


def test_without_names_one_node_is_asked() -> None:
    """Or as many as were wished."""
    assert complete(read("-p a3m"), SITE).nodes == 1
    assert complete(read("-p a3m -N 2"), SITE).nodes == 2


@pytest.mark.parametrize(
    ("smi", "line"),
    [
        (f"cat <<'END'\n{LISTED}END\n", "health n0 ok 8 GPUs"),
        (
            f"cat <<'END'\n{LISTED[: LISTED.index('GPU 7')]}END\n",
            "health n0 bad 7 of 8 GPUs answer",
        ),
        (
            "echo 'Unable to determine GPU3: Unknown Error'; exit 255\n",
            "health n0 bad nvidia-smi fails: Unable to determine GPU3: Unknown Error",
        ),
    ],
)
def test_the_script_says_how_a_node_is(tmp_path: Path, smi: str, line: str) -> None:
    """In one line, whatever nvidia-smi says."""
    programs = tmp_path / "bin"
    programs.mkdir()
    script = tmp_path / "health.sh"
    script.write_text(files(Health(), SITE, {})[0].text)
    list_only = 'case "$1" in -L) ;; *) exit 1 ;; esac\n'
    for name, text in (("srun", SRUN), ("nvidia-smi", f"#!/bin/sh\n{list_only}{smi}")):
        (programs / name).write_text(text)
        (programs / name).chmod(0o700)
    done = subprocess.run(
        ["bash", str(script), "8"],
        env={"PATH": f"{programs}:{os.environ['PATH']}", "SLURMD_NODENAME": "n0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{line}\n", "")


@pytest.mark.parametrize(
    ("log", "said"),
    [
        ("health n0 ok 8 GPUs\nhealth n1 ok 8 GPUs\n", "2 of 2 nodes are well."),
        (
            "health n0 ok 8 GPUs\nhealth n1 bad 7 of 8 GPUs answer\n",
            f"1 of 2 nodes is well. `n1` is not: 7 of 8 GPUs answer. {WHAT_TO_DO}",
        ),
        ("health n0 ok 8 GPUs\n", "1 of 2 nodes is well. 1 node said nothing; see the log."),
    ],
)
def test_what_was_found_is_said_in_words(log: str, said: str) -> None:
    """A node that said nothing is not passed over."""
    assert result(Health(nodes=2), log) == said
    assert HEALTH.result is result
