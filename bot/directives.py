"""What a batch script asks for in its `#SBATCH` lines."""

from __future__ import annotations

import re
import shlex

_NAMES = {
    "-N": "nodes",
    "-p": "partition",
    "-t": "time",
    "-G": "gpus",
    "-A": "account",
    "-q": "qos",
    "-J": "job_name",
    "-d": "dependency",
    "-x": "exclude",
    "-a": "array",
    "--nodes": "nodes",
    "--partition": "partition",
    "--time": "time",
    "--gpus": "gpus",
    "--gpus-per-node": "gpus_per_node",
    "--gres": "gres",
    "--account": "account",
    "--qos": "qos",
    "--job-name": "job_name",
    "--dependency": "dependency",
    "--exclude": "exclude",
    "--array": "array",
}
_SWITCHES = {"--exclusive": "exclusive"}


def directives(script: str) -> dict[str, str]:
    """Read the `#SBATCH` lines above the first command; a later one wins, as in sbatch."""
    asked: dict[str, str] = {}
    for line in script.splitlines():
        text = line.strip()
        if text.startswith("#SBATCH"):
            asked.update(_line(text.removeprefix("#SBATCH")))
        elif text and not text.startswith("#"):
            break
    return asked


def _line(text: str) -> dict[str, str]:
    try:
        words = shlex.split(text, comments=True)
    except ValueError:
        return {}
    asked: dict[str, str] = {}
    for position, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in _SWITCHES:
            asked[_SWITCHES[name]] = value or "yes"
        elif equals and name in _NAMES:
            asked[_NAMES[name]] = value
        elif word in _NAMES and position + 1 < len(words):
            asked[_NAMES[word]] = words[position + 1]
        elif word[:2] in _NAMES and word[2:]:
            asked[_NAMES[word[:2]]] = word[2:]
    return asked


def gpus_of_gres(text: str, *, generic: bool = False) -> int:
    """Count the GPUs in `8`, `h100:8`, or, as generic resources, `gpu:h100:8,license:1`."""
    total = 0
    for item in text.split(","):
        parts = item.split("(")[0].split(":")
        if generic and parts[0] not in {"gpu", "gres/gpu"}:
            continue
        last = parts[-1]
        if re.fullmatch(r"[0-9]{1,5}", last):
            total += int(last)
        elif generic:
            total += 1
    return total
