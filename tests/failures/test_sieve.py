"""Whether a log is read whole or what matters is picked from it, the diagnosis is the same."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.cluster.sift import FILES, Bounds, Sifted, sift
from bot.diagnosis import Facts, Source, diagnose, from_context, sought
from tests.failures.__main__ import HERE, SETS
from tests.unit.cluster.local import LocalShell

LARGE = {path.name.removesuffix(".spec.json"): path for path in HERE.rglob("*.spec.json")}
LOGS = [
    [path for path in sorted((HERE / name).glob("*.log")) if path.stem not in LARGE]
    for name in SETS
]
LOGS[SETS.index("reports")] = LOGS[SETS.index("reports")][::4]
"""Every fourth of those, which are many and short: each bunch takes seconds."""
BUNCHES = [logs[at : at + FILES] for logs in LOGS for at in range(0, len(logs), FILES)]


async def same(logs: Sequence[Path]) -> None:
    """Diagnose these logs in both ways, each with and without what Slurm says."""
    paths, folder = [str(path) for path in logs], logs[0].parent
    ask = sift(paths, *sought(), (str(folder),), Bounds(whole=0))
    for path, found in zip(logs, await LocalShell(folder).run(ask), strict=True):
        assert isinstance(found, Sifted)
        picked = [(number, text.encode()) for number, text in found.lines]
        context = json.loads(path.with_suffix(".json").read_text()).get("context") or {}
        for facts in (Facts(), from_context(context)):
            whole = diagnose([Source(path.name, [path.read_bytes()])], facts)
            assert diagnose([Source(path.name, picked=picked)], facts) == whole, path.name


@pytest.mark.parametrize("logs", BUNCHES, ids=lambda logs: f"{logs[0].parent.name}-{logs[0].stem}")
async def test_the_sieve_loses_nothing(logs: list[Path]) -> None:
    """Neither the cause nor the lines, their numbers, ranks and nodes that prove it."""
    await same(logs)


@pytest.mark.parametrize("name", LARGE)
async def test_the_sieve_loses_nothing_of_a_large_log(name: str, tmp_path: Path) -> None:
    """Of more than 100,000 lines."""
    for suffix in (".spec.json", ".json"):
        shutil.copy(LARGE[name].with_name(name + suffix), tmp_path)
    subprocess.run([sys.executable, HERE / "make_large.py", tmp_path], check=True)
    await same([tmp_path / f"{name}.log"])
