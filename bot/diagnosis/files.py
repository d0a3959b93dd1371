"""Diagnoses log files on disk, for the command line."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from bot.diagnosis.engine import Source, diagnose
from bot.diagnosis.facts import Facts, from_context
from bot.diagnosis.finding import Finding

_CHUNK = 1 << 20
_PIPED = Path("-")


def diagnose_files(
    paths: Sequence[Path], context: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Diagnose the logs of one job, `-` being what is piped in; raises OSError."""
    facts = from_context(context) if context else Facts()
    return as_json(diagnose([Source(path.name, _chunks(path)) for path in paths], facts))


def diagnose_folder(folder: Path, *, with_context: bool = True) -> Iterator[dict[str, Any]]:
    """Diagnose each `NAME.log` by itself, with `NAME.context.json` beside it."""
    for path in sorted(folder.glob("*.log")):
        beside = path.with_suffix(".context.json")
        context = json.loads(beside.read_text()) if with_context and beside.exists() else None
        yield {"file": path.name, **diagnose_files([path], context)}


def as_json(finding: Finding) -> dict[str, Any]:
    """Return a finding in the words of the command line."""
    return {
        "label": finding.label,
        "title": finding.title,
        "confidence": finding.confidence,
        "evidence": [evidence.line for evidence in finding.evidence],
        "remedy": finding.remedy,
        "actions": list(finding.actions),
        "transient": finding.transient,
    }


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") if path != _PIPED else nullcontext(sys.stdin.buffer) as log:
        while chunk := log.read(_CHUNK):
            yield chunk
