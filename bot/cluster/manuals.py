"""What a launcher on the cluster takes: asked of itself once, then remembered there.

The answer is kept in `~/.sbatchat/manuals` under the launcher's file, with a stamp of what the file
was like: its commit, its time and size. While the stamp holds, a look starts no Python.
"""

from __future__ import annotations

import re
from pathlib import Path

from bot.errors import CommandFailed
from bot.manual import Manual, read_manual
from bot.ports import Output, Query
from bot.workload import Program

GROUP = "\x1d"
SECONDS = "60"
"""How long a launcher may take to say what it takes."""
LONGEST_SAID = 200

_SCRIPT = (Path(__file__).parent / "remote" / "manual.sh").read_text(encoding="utf-8")


def manual(program: Program, known: Manual) -> Query[Manual]:
    """Ask a program in a folder what it takes; `known` comes back while nothing changed."""
    args = (program.folder, program.file, known.stamp, SECONDS, *program.argv)
    return Query(
        _SCRIPT,
        lambda output: _parse(output, known),
        args,
        timeout=float(SECONDS) + 30,
        name="manual",
    )


def _parse(output: Output, known: Manual) -> Manual:
    stamp, verdict, text = [*output.stdout.split(GROUP, 2), "", ""][:3]
    match verdict:
        case "same":
            return known
        case "missing":
            return Manual(problem="missing")
        case "ok" if flags := read_manual(text):
            return Manual(stamp=stamp, flags=flags)
        case "ok":
            return Manual(problem="silent")
        case "failed":
            return _failed(text)
        case _:
            raise CommandFailed("The launcher could not be asked", stderr=output.stderr)


def _failed(text: str) -> Manual:
    """Tell a launcher that breaks from one that has no `--help`: Python shows where it broke."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    last = lines[-1][:LONGEST_SAID] if lines else ""
    broke = "Traceback (most recent call last)" in text or re.match(r"[A-Za-z]*Error: ", last)
    cannot = re.search(r"(?:not found|No such file or directory|Permission denied)$", last)
    return Manual(problem="broken" if broke or cannot else "silent", said=last)
