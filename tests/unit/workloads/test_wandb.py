"""Weights & Biases switched off in a job script."""

from __future__ import annotations

import pytest

from bot.workloads.nemo_rl.wandb import (
    OFF,
    change,
    copy_of,
    holds_secret,
    marked,
    originals,
    ours,
    without_wandb,
)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("uv run x.py logger.wandb_enabled=True a=b", f"uv run x.py {OFF} a=b"),
        ("uv run x.py ++logger.wandb_enabled=${WANDB} \\", f"uv run x.py ++{OFF} \\"),
        ('ARGS="logger.wandb_enabled=true"', f'ARGS="{OFF}"'),
        ("x='logger.wandb_enabled=True' # on", f"x='{OFF}' # on"),
        (
            "# logger.wandb_enabled=True\npython a/run_sft.py",
            f"# logger.wandb_enabled=True\npython a/run_sft.py {OFF}",
        ),
        ("uv run examples/run_dpo.py --config c", f"uv run examples/run_dpo.py {OFF} --config c"),
        (
            "uv run --extra vllm python \\\n  ./examples/run_rm.py \\\n  --config c | cat",
            f"uv run --extra vllm python \\\n  ./examples/run_rm.py {OFF} \\\n  --config c | cat",
        ),
        (
            'COMMAND="uv run examples/run_sft.py --config c"',
            f'COMMAND="uv run examples/run_sft.py {OFF} --config c"',
        ),
        ('python3 "$RL/examples/run_dpo.py" "$@"', f'python3 "$RL/examples/run_dpo.py" {OFF} "$@"'),
        ("exec python3 -u run_dpo.py", f"exec python3 -u run_dpo.py {OFF}"),
        ("bash -c 'uv run examples/run_rm.py'", f"bash -c 'uv run examples/run_rm.py {OFF}'"),
    ],
)
def test_the_setting_is_changed_or_added_where_the_training_starts(before: str, after: str) -> None:
    assert without_wandb(before) == after
    assert without_wandb(after) == after


@pytest.mark.parametrize(
    "text",
    [
        "SCRIPT=examples/run_dpo.py\n",
        "# uv run examples/run_dpo.py\n",
        "python3 tools/prepare.py\n",
        "ls examples/run_dpo.py\n",
        "python3 prepare.py; cp run_dpo.py /tmp\n",
    ],
)
def test_what_starts_no_training_stays_as_it_is(text: str) -> None:
    assert without_wandb(text) == text


def test_a_copy_lies_beside_its_script_and_is_known_again() -> None:
    assert copy_of("algorithms/dpo.sh") == "algorithms/dpo.no-wandb.sh"
    assert ours(marked("#!/bin/sh\nrun", "algorithms/dpo.sh"))
    assert not ours("#!/bin/sh\nrun\n")
    assert not ours("")


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ("export WANDB_API_KEY=" + "0123456789" * 4, True),
        ("HF_TOKEN=hf_" + "abcdefghij" * 3, True),
        ('export HF_TOKEN="$HF_TOKEN"', False),
        ("export WANDB_API_KEY=${WANDB_API_KEY:-}", False),
        ("export HF_TOKEN=$(cat ~/token)", False),
        ("WANDB_API_KEY= python3 examples/run_sft.py", False),
        ("export WANDB_API_KEY=", False),
        ("source configs/auth.sh", False),
        ("python3 examples/run_dpo.py ++data.max_tokens=512", False),
    ],
)
def test_a_script_that_holds_a_secret_is_known(line: str, secret: bool) -> None:
    """What is copied passes through the bot's database."""
    assert holds_secret(f"#!/bin/bash\n{line}\n") is secret


def test_the_change_shows_only_lines_that_differ() -> None:
    assert change("a\nb\nc\n", "a\nB\nc\n") == "- b\n+ B"


def test_a_copy_of_ours_is_nothing_to_launch_by_name() -> None:
    """It is not offered among the job scripts that there are."""
    there = ("dpo.sh", copy_of("dpo.sh"), "mine/sft.sh", copy_of("mine/sft.sh"))
    assert originals(there) == ("dpo.sh", "mine/sft.sh")
