"""Start errands on a login node, join, look at and stop them; whoever comes and how often.

An errand is `~/.sbatchat/errands/ID`: a lock that is held while anything of it lives, the identity
of its runner, the marks of its steps, its output, and its exit status.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256
from pathlib import Path

from bot.cluster.quoting import quoted
from bot.errand import Growth, Step, StepState
from bot.errors import CommandFailed
from bot.ports import Output, Query

_ID = re.compile(r"[0-9A-Za-z_-]{1,64}")
_SECONDS = re.compile(r"[0-9]{1,11}")
_SIZE = re.compile(r"[0-9]{1,18}")
_STATUS = re.compile(r"[0-9]{1,3}")
STOPPED = 143
"""The exit status of an errand that was stopped."""


def _script(*names: str) -> str:
    folder = Path(__file__).parent / "remote"
    return "".join((folder / name).read_text(encoding="utf-8") for name in names)


_REPORT = ("report.sh", "errand_report.sh")
_START = _script(*_REPORT, "errand_start.sh")
_LOOK = _script(*_REPORT, "errand_look.sh")
_STOP = _script(*_REPORT, "errand_stop.sh")


class Phase(StrEnum):
    """How an errand stands on the cluster."""

    ABSENT = "absent"
    """Nothing has begun: starting it is safe."""
    RUNNING = "running"
    ENDED = "ended"
    DEAD = "dead"
    """It was killed, or the login node restarted."""
    STOPPED = "stopped"


@dataclass(frozen=True)
class Sight:
    """What a look at an errand shows."""

    id: str
    phase: Phase
    steps: tuple[Step, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    growth: Growth | None = None
    status: int | None = None
    out: str = ""
    problem: str = ""
    """Why it could not be started: `busy`, `room`, `flock`, `setsid`."""
    detail: str = ""


def script_of(*names: str) -> str:
    """Return the whole script of an errand from the files in `remote/` that it is made of."""
    return _script("errand_runner.sh", *names)


SCRIPTS = {
    "nemo image pull": script_of("image_pull.sh"),
    "nemo setup": script_of("errand_git.sh", "nemo_setup.sh"),
    "nemo-rl setup": script_of("errand_git.sh", "nemo_rl_setup.sh"),
}
"""What runs for each kind of errand."""


def start(errand_id: str, target: str, script: str, args: Sequence[str]) -> Query[Sight]:
    """Start an errand unless it has begun, is stopped, or the same target is being made."""
    mark = secrets.token_hex(8)
    name = sha256(target.encode()).hexdigest()[:20]
    line = f"set -- {quoted(args)}\n"
    sent = (mark, _checked(errand_id), name, script, line)

    def parse(output: Output) -> Sight:
        return _read(output, mark)[0]

    return Query(_START, parse, sent, timeout=60.0, name="start errand")


def look(ids: Sequence[str]) -> Query[dict[str, Sight]]:
    """See how these errands stand, in one round trip."""
    return _about(_LOOK, ids, "look at errands")


def stop(ids: Sequence[str]) -> Query[dict[str, Sight]]:
    """Stop these errands with all they started, and see how they stand."""
    return _about(_STOP, ids, "stop errands")


def _about(script: str, ids: Sequence[str], name: str) -> Query[dict[str, Sight]]:
    mark = secrets.token_hex(8)

    def parse(output: Output) -> dict[str, Sight]:
        return {sight.id: sight for sight in _read(output, mark)}

    return Query(script, parse, (mark, *map(_checked, ids)), timeout=60.0, name=name)


def _checked(errand_id: str) -> str:
    if not _ID.fullmatch(errand_id):
        raise CommandFailed(f"{errand_id!r} is no id of an errand")
    return errand_id


@dataclass(frozen=True)
class _Part:
    """One marked part of a report: `KIND WORDS…`, and the text below."""

    kind: str
    words: tuple[str, ...]
    body: str


def _part(text: str) -> _Part:
    head, _, body = text.partition("\n")
    kind, *words = head.split(" ")
    return _Part(kind, tuple(words), body)


def _read(output: Output, mark: str) -> list[Sight]:
    """Return the errands that were reported; raises CommandFailed for a report that was cut."""
    parts = [_part(text) for text in output.stdout.split(f"\n{mark} ")[1:]]
    if not parts or parts.pop().kind != "end":
        said = output.stderr.strip().splitlines()[-1:] or ["no report of the errand"]
        raise CommandFailed(said[0], status=output.status, stderr=output.stderr)
    problem = next((part for part in parts if part.kind == "problem"), _Part("", (), ""))
    last = output.stderr.strip().splitlines()[-1:] if problem.words else []
    starts = [at for at, part in enumerate(parts) if part.kind == "errand"]
    return [
        _sight(
            parts[start].words,
            {part.kind: part for part in parts[start + 1 : end]},
            problem=problem.words[0] if problem.words else "",
            detail=" ".join([*problem.words[1:], *last]),
        )
        for start, end in zip(starts, [*starts[1:], len(parts)], strict=True)
    ]


def _sight(words: Sequence[str], own: Mapping[str, _Part], *, problem: str, detail: str) -> Sight:
    name, lock = words
    steps, facts = _marks(own["marks"].body if "marks" in own else "")
    status = _status(own["exit"].words) if "exit" in own else None
    return Sight(
        id=name,
        phase=_phase(lock, own, status),
        steps=steps,
        facts=facts,
        growth=_growth(own["growth"].words) if "growth" in own else None,
        status=status,
        out=own["out"].body if "out" in own else "",
        problem=problem,
        detail=detail,
    )


def _status(words: Sequence[str]) -> int:
    """Return the exit status; what is no number was written by nobody who did well."""
    said = "".join(words)
    return int(said) if _STATUS.fullmatch(said) else 1


def _growth(words: Sequence[str]) -> Growth | None:
    if len(words) != 2 or not all(map(_SIZE.fullmatch, words)):  # noqa: PLR2004 (so far, whole)
        return None
    size, total = map(int, words)
    return Growth(size=size, total=total)


def _phase(lock: str, own: Mapping[str, _Part], status: int | None) -> Phase:
    if status is not None:
        return Phase.STOPPED if status == STOPPED else Phase.ENDED
    if lock == "held" or (lock == "unknown" and _lives(own)):
        return Phase.RUNNING
    if "stop" in own:
        return Phase.STOPPED
    return Phase.DEAD if "runner" in own else Phase.ABSENT


def _lives(own: Mapping[str, _Part]) -> bool:
    """Whether its runner is there, on a file system without locks."""
    if "runner" not in own:
        return False
    # host, boot id, pid, start time, and the start time of what has that pid now
    *_, began, now = own["runner"].words
    return now in {"-", began}


def _marks(text: str) -> tuple[tuple[Step, ...], tuple[tuple[str, str], ...]]:
    """Return the steps and facts that a script marked; a line that is being written is left out."""
    steps: list[Step] = []
    facts: dict[str, str] = {}
    for line in text.rpartition("\n")[0].splitlines():
        kind, _, rest = line.partition(" ")
        first, _, said = rest.strip().partition(" ")
        if kind == "fact":
            facts[first] = said
        elif not _SECONDS.fullmatch(first):
            continue
        elif kind == "step":
            steps.append(Step(name=said, state=StepState.RUNNING, began=_moment(first)))
        elif kind in set(StepState) and steps:
            steps[-1] = _ended(steps[-1], StepState(kind), _moment(first), said)
    return tuple(steps), tuple(facts.items())


def _ended(step: Step, state: StepState, at: datetime, said: str) -> Step:
    code, _, detail = said.partition(" ")
    coded = state in {StepState.FAILED, StepState.KEPT}
    told = {"said": code, "detail": detail} if coded else {"said": said}
    return step.model_copy(update={"state": state, "ended": at, **told})


def _moment(seconds: str) -> datetime:
    return datetime.fromtimestamp(int(seconds), UTC)
