"""`make eval`: how often the catalogue is right, on every set of logs whose cause is known."""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SETS = ("dev", "real", "made", "reports")
HEAD = ("logs", "failures", "exact", "group", "evidence", "false alarms", "cause not in the log")


@dataclass(frozen=True)
class Result:
    """What the scorer says of one set, with or without what Slurm says of its jobs."""

    name: str
    facts: bool
    scores: dict[str, Any]

    @property
    def row(self) -> tuple[str, ...]:
        """The cells of its line, in the order of `HEAD`."""
        found = self.scores["summary"]
        honest = found["honest"].replace("/", " of ")
        return (
            f"`{self.name}`, {'with' if self.facts else 'without'} Slurm's facts",
            str(found["failures"]),
            *(f"{found[which]:.1%}" for which in ("exact", "group", "evidence")),
            f"{found['false_alarms']} of {found['healthy']}",
            "none such" if honest == "0 of 0" else f"said in {honest}",
        )

    @property
    def wrong(self) -> Iterator[str]:
        """A line for each log that is not named exactly, or not proven by the right line."""
        for case in self.scores["cases"]:
            proven = case["evidence_ok"] or not case["has_truth"]
            if not case["exact"] or not proven:
                quoted = (case["evidence"] or [""])[0][:100]
                yield f"{self.name}/{case['name']}: {case['truth']} → {case['pred']}  {quoted}"


def results() -> list[Result]:
    """Return how the catalogue does on each set."""
    for name in SETS:
        _python(HERE / "make_large.py", HERE / name)
    return [_result(name, facts=facts) for facts in (True, False) for name in SETS]


def _result(name: str, *, facts: bool) -> Result:
    context = [] if facts else ["--no-context"]
    program = shlex.join([sys.executable, "-m", "bot", "diagnose", *context, "--json-lines"])
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "scores.json"
        command = ("--batch-cmd", f"{program} {{dir}}", "--json-out", str(out))
        _python(HERE / "score.py", HERE / name, *command)
        return Result(name, facts, json.loads(out.read_text(encoding="utf-8")))


def _python(*arguments: str | Path) -> None:
    """Run one of the corpus' own programs; what it prints of itself is not wanted."""
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, cwd=ROOT)


def table(found: Sequence[Result]) -> str:
    """Return the figures as a table in Markdown."""
    rows = [HEAD, ("---",) * len(HEAD), *(result.row for result in found)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def certainty(found: Sequence[Result]) -> Iterator[str]:
    """Return how often the catalogue is right, for each degree of how sure it says it is."""
    bands: dict[tuple[float, float], list[bool]] = {}
    for result in found:
        for band in result.scores["confidence"]:
            inside = [
                case["exact"]
                for case in result.scores["cases"]
                if band["low"] <= case["confidence"] < band["high"] + (band["high"] == 1)
            ]
            bands.setdefault((band["low"], band["high"]), []).extend(inside)
    for (low, high), right in sorted(bands.items()):
        yield f"sure by {low:.0%} to {high:.0%}: right in {sum(right)} of {len(right)}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="make eval", description=__doc__)
    parser.add_argument("--wrong", action="store_true", help="what is wrong, line by line")
    options = parser.parse_args(arguments)
    found = results()
    print(table(found))
    print()
    print("\n".join(certainty(found)))
    if options.wrong:
        print()
        print("\n".join(line for result in found for line in result.wrong))


if __name__ == "__main__":
    main()
