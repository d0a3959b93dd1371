"""Whether a log is read whole or what matters is picked from it, the diagnosis is the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.cluster.sift import FILES, Bounds, Sifted, sift
from bot.diagnosis import STEPS, WORDS, Facts, Source, diagnose, from_context
from tests.unit.cluster.local import LocalShell

HERE = Path(__file__).parent
LOGS = {name: sorted((HERE / name).glob("[dr][0-9]*.log")) for name in ("dev", "real")}
BUNCHES = [logs[at : at + FILES] for logs in LOGS.values() for at in range(0, len(logs), FILES)]


@pytest.mark.parametrize("logs", BUNCHES, ids=lambda logs: f"{logs[0].stem} to {logs[-1].stem}")
async def test_the_sieve_loses_nothing(logs: list[Path]) -> None:
    """Neither the cause nor the lines, their numbers, ranks and nodes that prove it."""
    paths, folder = [str(path) for path in logs], logs[0].parent
    ask = sift(paths, WORDS, STEPS, (str(folder),), Bounds(whole=0))
    for path, found in zip(logs, await LocalShell(folder).run(ask), strict=True):
        assert isinstance(found, Sifted)
        picked = [(number, text.encode()) for number, text in found.lines]
        context = json.loads(path.with_suffix(".json").read_text()).get("context") or {}
        for facts in (Facts(), from_context(context)):
            whole = diagnose([Source(path.name, [path.read_bytes()])], facts)
            assert diagnose([Source(path.name, picked=picked)], facts) == whole, path.name
