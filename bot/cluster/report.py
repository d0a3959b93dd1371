"""Read what `remote/report.sh` prints of spools. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.cluster.slurm.text import UNIT
from bot.cluster.spool import Call, Lock, Process, Run, Spool
from bot.errors import CommandFailed
from bot.ports import Output


@dataclass(frozen=True)
class _Part:
    """One marked part: `KIND WORDS…`, and the text below."""

    kind: str
    words: tuple[str, ...]
    body: str


def read(output: Output, mark: str) -> list[Spool]:
    """Return the spools that were reported; raises CommandFailed for a report that was cut."""
    parts = [_part(text) for text in output.stdout.split(f"\n{mark} ")[1:]]
    if not parts or parts.pop().kind != "end":
        said = output.stderr.strip().splitlines()[-1:] or ["no report of the spool"]
        raise CommandFailed(said[0], status=output.status, stderr=output.stderr)
    problem = next((part for part in parts if part.kind == "problem"), None)
    free = next((part for part in parts if part.kind == "free"), None)
    return [
        Spool(
            request_id=head.words[0],
            lock=Lock(head.words[1]),
            host=head.words[2],
            runs=tuple(_run(first, rest, head.words) for first, rest in _split(body, "run")),
            problem=problem.words[0] if problem else "",
            detail=_detail(problem, output.stderr) if problem else "",
            free_kb=_available(free.body) if free else None,
        )
        for head, body in _split(parts, "spool")
    ]


def _part(text: str) -> _Part:
    head, _, body = text.partition("\n")
    kind, *words = head.split(" ")
    return _Part(kind, tuple(words), body)


def _split(parts: Sequence[_Part], kind: str) -> Iterator[tuple[_Part, list[_Part]]]:
    """Group parts under the one of this kind that stands before them."""
    starts = [i for i, part in enumerate(parts) if part.kind == kind]
    for start, end in zip(starts, [*starts[1:], len(parts)], strict=False):
        yield parts[start], list(parts[start + 1 : end])


def _run(head: _Part, parts: list[_Part], here: tuple[str, ...]) -> Run:
    own = {part.kind: part for part in parts}
    process = own.get("runner") or own.get("starter")
    return Run(
        attempt=int(head.words[0]),
        starter=_process(own.get("starter")),
        runner=_process(own.get("runner")),
        alive=_alive(process, here[2], here[3]) if process else None,
        exit=_number(own.get("exit")),
        fenced="fence" in own,
        calls=tuple(_call(first, rest) for first, rest in _split(parts, "intent")),
        out=own["out"].body if "out" in own else "",
        err=own["err"].body if "err" in own else "",
    )


def _process(part: _Part | None) -> Process | None:
    # host, boot id, pid, start time, and the start time of what has that pid now
    return Process(*part.words[:4]) if part else None


def _alive(part: _Part, host: str, boot: str) -> bool | None:
    there, its_boot, _, began, now = part.words
    if there != host:
        return None
    return its_boot == boot and began == now


def _number(part: _Part | None) -> int | None:
    """Return a status; what is no number is as good as none."""
    said = "".join(part.words) if part else ""
    return int(said) if re.fullmatch("[0-9]{1,3}", said) else None


def _call(head: _Part, parts: list[_Part]) -> Call:
    own = {part.kind: part for part in parts}
    cwd, name, *argv = [*head.body.split(UNIT)[:-1], "", ""]
    return Call(
        number=int(head.words[0]),
        cwd=cwd,
        name=name,
        argv=tuple(argv[:-2]) if head.body else (),
        status=_number(own.get("receipt")),
        out=own["answer"].body if "answer" in own else "",
        err=own["errors"].body if "errors" in own else "",
    )


def _detail(problem: _Part, stderr: str) -> str:
    said = stderr.strip().splitlines()
    return " ".join(problem.words[1:]) or (said[-1] if said else "")


def _available(df: str) -> int | None:
    """Return the kB that `df -Pk` calls available."""
    columns = (df.strip().splitlines() or [""])[-1].split()
    return int(columns[3]) if len(columns) > 3 and columns[3].isdigit() else None  # noqa: PLR2004 (the fourth column)
