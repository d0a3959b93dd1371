"""Submit exactly once: start a launcher on the login node, or join it, whoever comes and how often.

The scripts in `remote/` do the work; `spool` says what they leave behind and what that proves.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from pathlib import Path

from bot.cluster.quoting import exports, quoted
from bot.cluster.report import read
from bot.cluster.slurm import signature
from bot.cluster.spool import Spool
from bot.errors import CommandFailed
from bot.model import Launch
from bot.ports import Output, Query

_ID = re.compile(r"[0-9A-Za-z_-]{1,64}")
_PATIENCE = 60.0


def _script(name: str) -> str:
    return (Path(__file__).parent / "remote" / name).read_text(encoding="utf-8")


_LAUNCH = _script("report.sh") + _script("launch.sh")
_LOOK = _script("report.sh") + _script("look.sh")
_RUNNER = _script("runner.sh")
_SWEEP = _script("sweep.sh")
_SHIM = _script("shim.sh")
_SECRETS = '[ ! -f "$HOME/.sbatchat/secrets.sh" ] || . "$HOME/.sbatchat/secrets.sh"\n'


def launch(request_id: str, attempt: int, what: Launch, wait: float) -> Query[Spool]:
    """Run the launcher of a request unless it has run; answer after its end, or `wait` seconds.

    Attempt 1 runs once, whatever happens. Attempt N + 1 runs only when attempt N is dead and has
    submitted nothing; what may be left of attempt N can then no longer submit.
    """
    mark = secrets.token_hex(8)
    args = (
        mark,
        _checked(request_id),
        str(attempt),
        f"{max(wait, 0.1):.2f}",
        f"sb_cwd={quoted([what.cwd])}\nset -- {quoted(what.argv)}\n",
        exports(dict(what.env)) + (_SECRETS if what.secrets else "") + _made(what.folders),
        f"sb_sign={quoted([signature(request_id)])}\n",
        _options(what.sbatch_options),
        _RUNNER,
        _SHIM,
        what.cwd,
        *(part for file in what.files for part in (file.path, file.text)),
    )

    def parse(output: Output) -> Spool:
        return read(output, mark)[0]

    return Query(_LAUNCH, parse, args, timeout=2 * wait + _PATIENCE, name="launch")


def _made(folders: Sequence[str]) -> str:
    """Return the line that makes folders; what it cannot make, the launcher will miss by itself."""
    return f"mkdir -p -- {quoted(folders)}\n" if folders else ""


_AFTER = "--dependency="


def _options(words: Sequence[str]) -> str:
    """Return the shim's options; a dependency stands apart, to be joined with the launcher's."""
    after = ",".join(word.removeprefix(_AFTER) for word in words if word.startswith(_AFTER))
    others = [word for word in words if not word.startswith(_AFTER)]
    return f'sb_after={quoted([after])}\nset -- "$@" {quoted(others)}\n'


def look(request_ids: tuple[str, ...]) -> Query[dict[str, Spool]]:
    """Read the spools of these requests and change nothing; one that has none is left out."""
    mark = secrets.token_hex(8)

    def parse(output: Output) -> dict[str, Spool]:
        return {spool.request_id: spool for spool in read(output, mark)}

    return Query(_LOOK, parse, (mark, *map(_checked, request_ids)), name="look")


def sweep(days: int, keep: tuple[str, ...]) -> Query[int]:
    """Remove spools untouched for so many days, except of these requests; return how many.

    Safe for requests that are over: nothing launches them again.
    """

    def parse(output: Output) -> int:
        if output.status != 0 or not output.stdout.strip().isdigit():
            raise CommandFailed("old spools cannot be removed", stderr=output.stderr)
        return int(output.stdout)

    return Query(_SWEEP, parse, (str(days), *map(_checked, keep)), name="sweep")


def _checked(request_id: str) -> str:
    if not _ID.fullmatch(request_id):
        raise CommandFailed(f"{request_id!r} is no id of a request")
    return request_id
