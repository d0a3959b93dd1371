"""The grammar as scripts see it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.parse_command import parse_json


def answer(text: str) -> tuple[int, dict[str, Any]]:
    status, found = parse_json(text)
    back: dict[str, Any] = json.loads(json.dumps(found))
    return status, back


def test_a_launch_shows_the_request_and_what_would_run() -> None:
    status, found = answer(
        "/nemo python3 run.py -e slurm --slurm-type hcc-a3m --partition a3m -d /w -i /w/i.sqsh"
        " -s pretrain/x.py -n 2 --experiment-name x"
    )
    assert status == 0
    assert found["ok"] is True
    assert found["command"] == "nemo run"
    assert found["request"] == {
        "recipe": "pretrain/x.py",
        "nodes": 2,
        "partition": "a3m",
        "slurm_type": "hcc-a3m",
        "image": "/w/i.sqsh",
        "workdir": "/w",
        "experiment_name": "x",
        "log_dir": None,
        "cache_dir": None,
        "data_dir": None,
        "time": None,
        "account": None,
        "qos": None,
        "after": [],
        "exclude": None,
        "retries": 0,
        "dry_run": False,
        "env": [],
        "extra": [],
        "cluster": None,
    }
    assert found["launch"] == {
        "argv": [
            "python3",
            "run.py",
            "-e",
            "slurm",
            "--slurm-type",
            "hcc-a3m",
            "--partition",
            "a3m",
            "-d",
            "/w",
            "-i",
            "/w/i.sqsh",
            "-s",
            "pretrain/x.py",
            "-n",
            "2",
            "--experiment-name",
            "x",
        ],
        "cwd": "/w",
        "env": ["NEMORUN_HOME", "COLUMNS", "NO_COLOR", "TERM"],
    }


def test_what_only_a_cluster_can_know_is_left_open() -> None:
    status, found = answer("/nemo run pretrain/x.py")
    assert status == 0
    assert found["request"]["image"] is None
    assert found["launch"]["argv"] == [
        "python3",
        "run.py",
        "-e",
        "slurm",
        "-s",
        "pretrain/x.py",
        "-n",
        "1",
        "--experiment-name",
        "x",
    ]
    assert found["launch"]["cwd"] is None


def test_options_of_run_py_itself_are_passed_and_left_to_the_cluster() -> None:
    _, found = answer("/nemo run pretrain/x.py --seed 7 --mock -n 2")
    assert found["request"]["extra"] == ["--seed=7", "--mock"]
    assert found["launch"]["argv"][-2:] == ["--seed=7", "--mock"]


def test_a_batch_script_shows_its_call_of_sbatch() -> None:
    _, found = answer("/slurm submit ~/a.sh -N 2 -- x")
    assert found["request"]["script"] == "~/a.sh"
    assert found["request"]["args"] == ["x"]
    assert found["launch"]["argv"] == ["sbatch", "--nodes=2", "~/a.sh", "x"]


def test_what_launches_nothing_has_no_launch() -> None:
    assert answer("/slurm logs 75 -n 5") == (
        0,
        {
            "ok": True,
            "command": "slurm logs",
            "request": {
                "job": "75",
                "source": None,
                "lines": 5,
                "grep": None,
                "attempt": None,
                "cluster": None,
            },
            "launch": None,
        },
    )
    assert answer("/slurm help logs")[1]["command"] == "help"


@pytest.mark.parametrize("text", ["logs 75", "<@U1> logs 75", "/slurm logs 75", "/slurm\nlogs 75"])
def test_a_mention_and_a_slash_command_are_the_same(text: str) -> None:
    assert answer(text)[1]["command"] == "slurm logs"


def test_refusals_come_all_at_once_with_status_two() -> None:
    status, found = answer("/nemo run x.py -n two --patition a3m")
    assert status == 2
    assert found == {
        "ok": False,
        "errors": [
            {
                "field": "--patition",
                "message": "`--patition` is not an option of `/nemo run`",
                "hint": "Did you mean `--partition`?",
            },
            {
                "field": "nodes",
                "message": "`two` is not a whole number",
                "hint": "Did you mean 2?",
            },
        ],
    }
