"""What the scheduler says of a job, in the few words the rules ask for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.job import Observation, Tally


@dataclass(frozen=True, kw_only=True)
class Facts:
    """Scheduler facts of the newest attempt; empty or None where nobody said."""

    state: str = ""
    """Slurm's word without additions: `FAILED`, `CANCELLED`, `PENDING`."""
    reason: str = ""
    """With blanks, as squeue prints it."""
    code: int | None = None
    signal: int | None = None
    cancelled_by: str = ""
    """Account or uid, where sacct says so."""
    steps: tuple[str, ...] = ()
    """State words of its steps."""
    used: int = 0
    """Bytes of memory of the greediest task, where accounting looked."""
    asked: int = 0
    """Bytes of memory that the job had on each node."""
    owner: str = ""
    past: tuple[str, ...] = ()
    """State words of earlier attempts, oldest first."""
    started: bool | None = None
    partition: str = ""
    nodes: int | None = None
    node_list: str = ""
    gpus: int | None = None
    earlier: tuple[str, ...] = ()
    """Labels that earlier jobs of this request's chain ended with, oldest first."""
    lacking: frozenset[str] = frozenset()
    """Names of secrets that its launch would have been given, had the bot had them."""

    @property
    def failed(self) -> bool:
        """Whether Slurm says that it ended badly."""
        return self.state in _BAD

    @property
    def going(self) -> bool:
        """Whether the job waits, runs, or ended as wished."""
        return self.state in _GOING

    def words(self) -> dict[str, str]:
        """Return what titles and remedies may name."""
        return {
            "who": self.person,
            "partition": self.partition,
            "reason": self.reason,
            "used": _gigabytes(self.used),
            "asked": _gigabytes(self.asked),
        }

    @property
    def person(self) -> str:
        """Who cancelled it; empty for Slurm itself, which signs as root."""
        return "" if self.cancelled_by in {"", "0", "root", "slurm"} else self.cancelled_by


_BAD = frozenset(
    {
        *("FAILED", "CANCELLED", "TIMEOUT", "OUT_OF_MEMORY", "NODE_FAIL", "PREEMPTED"),
        *("DEADLINE", "BOOT_FAIL"),
    }
)
_GOING = frozenset(
    {
        *("PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "COMPLETED", "SUSPENDED"),
        *("REQUEUED", "STAGE_OUT"),
    }
)


def from_observation(
    seen: Observation,
    *,
    past: Sequence[str] = (),
    earlier: Sequence[str] = (),
    lacking: frozenset[str] = frozenset(),
    tally: Tally | None = None,
) -> Facts:
    """Return the facts of a job the tracker observes, and of what accounting adds."""
    tally = tally or Tally()
    code, signal = _exit(seen.exit_code)
    return Facts(
        state=_word(seen.raw),
        reason=_reason(seen.reason),
        code=code,
        signal=signal,
        cancelled_by=seen.cancelled_by or _canceller(seen.raw) or tally.stopped_by,
        steps=tally.steps,
        used=tally.used,
        asked=tally.asked,
        owner=seen.user,
        past=tuple(_word(state) for state in past),
        started=seen.started is not None,
        partition=seen.partition,
        nodes=seen.nodes or None,
        node_list=seen.node_list,
        gpus=seen.gpus,
        earlier=tuple(earlier),
        lacking=lacking,
    )


def from_context(context: Mapping[str, Any]) -> Facts:
    """Return the facts of a JSON object: plain fields, and raw `sacct` rows where given."""
    told = sacct_rows(context.get("sacct") or ())
    rows = [row for row in told if "." not in row["JobID"]]
    last = rows[-1] if rows else {}
    steps = told[told.index(last) + 1 :] if last else []
    code, signal = _exit(str(context.get("exit_code_scontrol") or context.get("exit_code") or ""))
    state = str(context.get("state") or last.get("State") or "")
    return Facts(
        state=_word(state),
        reason=_reason(str(context.get("reason") or "")),
        code=code,
        signal=signal,
        cancelled_by=_canceller(state) or _canceller(last.get("State", "")),
        steps=tuple(_word(step.get("State", "")) for step in steps),
        owner=last.get("User", ""),
        past=tuple(_word(row.get("State", "")) for row in rows[:-1]),
        started=_began(last.get("Start", "")) if last else None,
        partition=str(context.get("partition") or ""),
        nodes=context.get("nodes"),
        node_list=last.get("NodeList", ""),
        gpus=context.get("gpus"),
        earlier=tuple(context.get("earlier") or ()),
    )


def sacct_rows(lines: Sequence[str]) -> list[dict[str, str]]:
    """Parse `sacct --parsable2` rows under their header."""
    if not lines:
        return []
    header = lines[0].split("|")
    return [dict(zip(header, line.split("|"), strict=False)) for line in lines[1:] if line]


def _word(state: str) -> str:
    return re.split(r"[ +]", state, maxsplit=1)[0].upper()


def _reason(reason: str) -> str:
    return "" if reason in {"None", "(null)"} else reason.replace("_", " ").strip("()")


def _canceller(state: str) -> str:
    found = re.match(r"CANCELLED by (\S+)", state)
    return found.group(1) if found else ""


def _gigabytes(count: int) -> str:
    return f"{count / 2**30:.3g} GB" if count else ""


def _began(start: str) -> bool:
    return start not in {"", "None", "Unknown"}


def _exit(text: str) -> tuple[int | None, int | None]:
    found = re.fullmatch(r"(\d+):(\d+)", text)
    return (int(found.group(1)), int(found.group(2))) if found else (None, None)
