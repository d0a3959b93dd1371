"""Values that hold a word wherever words come from outside."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bot.cards.case import Case, Limits
from bot.diagnosis import Evidence, Finding
from bot.diagnosis.rules import RULES
from bot.errand import Errand, ErrandStage, Step, StepState
from bot.job import Job, Observation, State
from bot.model import (
    Caller,
    PartitionState,
    Quote,
    Request,
    Resources,
)
from bot.workloads.batch_script import Submit

NOW = datetime(2026, 3, 2, 10, 0, tzinfo=UTC)
USER, CHANNEL = "U0RESEARCH1", "C0TRAINING1"
ACTIONS = tuple(sorted({action for rule in RULES for action in (*rule.actions, *rule.again)}))
"""Every remedy that a rule offers."""


def asked(word: str, **changes: object) -> Request:
    """Return a request that holds the word wherever words come from outside."""
    fields: dict[str, object] = {
        "id": "0123456789abcdef0123",
        "cluster": "alice",
        "workload": "slurm submit",
        "options": {},
        "typed": word,
        "caller": Caller(team="T1", user=USER, channel=CHANNEL),
        "created": NOW,
        "title": word,
        "resources": Resources(partition=word, nodes=2, gpus_per_node=8, time=timedelta(hours=4)),
        "quote": Quote(free=1, nodes=2, note=word),
        "origin": "75",
        "change": word,
        "error": word,
    }
    return Request.model_validate({**fields, **changes})


def seen(word: str, state: State = State.RUNNING, **changes: object) -> Observation:
    """Return what Slurm may say of a job."""
    fields: dict[str, object] = {
        "id": "75",
        "state": state,
        "raw": word,
        "reason": word,
        "name": word,
        "user": word,
        "account": word,
        "partition": word,
        "nodes": 2,
        "node_list": word,
        "gpus": 16,
        "time_limit": timedelta(hours=4),
        "submitted": NOW,
        "started": NOW,
        "ended": NOW,
        "elapsed": timedelta(minutes=3),
        "exit_code": "1:0",
        "stdout": word,
        "cancelled_by": word,
    }
    return Observation.model_validate({**fields, **changes})


def tracked(word: str, state: State = State.RUNNING, **changes: object) -> Job:
    """Return a job that is followed."""
    fields: dict[str, object] = {
        "cluster": "alice",
        "id": "75",
        "request": "0123456789abcdef0123",
        "channel": CHANNEL,
        "seen": seen(word, state),
        "tasks": ((State.RUNNING, 3), (State.PENDING, 47)),
        "attempt": 2,
        "created": NOW,
        "progress": word,
        "cause": word,
    }
    return Job.model_validate({**fields, **changes})


def partitions(word: str, number: int = 3) -> tuple[PartitionState, ...]:
    """Return partitions; the first has the word for a name, the last is down."""
    return tuple(
        PartitionState(
            name=f"{word}{n or ''}",
            up=n != number - 1,
            default=n == 0,
            nodes=4,
            free=n % 5,
            gpus_per_node=8,
            states=(("idle", n % 5), ("allocated", 4)),
        )
        for n in range(number)
    )


def finding(word: str, **changes: object) -> Finding:
    """Return a diagnosis with every remedy."""
    fields: dict[str, object] = {
        "label": "cross-device-link",
        "group": "storage",
        "title": word,
        "confidence": 0.9,
        "evidence": tuple(Evidence(word, n, word) for n in range(3)),
        "remedy": word,
        "actions": ACTIONS,
    }
    return Finding(**{**fields, **changes})  # type: ignore[arg-type]  # names of Finding's fields


def case_of(word: str, **changes: object) -> Case:
    """Return the case of a script's job in which all that can be known is known."""
    fields: dict[str, object] = {
        "of": "alice:75",
        "workload": "slurm submit",
        "fields": frozenset(Submit.model_fields),
        "options": {"script": word, "mem": "1G", "constraint": word, "args": ("--workers=8",)},
        "partition": word,
        "account": word,
        "qos": word,
        "time_limit": timedelta(hours=4),
        "nodes": 2,
        "node_list": word,
        "log": True,
        "admins": True,
        "limits": Limits(
            partitions=partitions(word), accounts=(word, "b"), qos=(word, "b"), memory=2**40
        ),
    }
    return Case(**{**fields, **changes})  # type: ignore[arg-type]  # names of Case's fields


def errand_of(word: str, **changes: object) -> Errand:
    """Return an errand that holds the word wherever words come from outside."""
    ended = NOW + timedelta(minutes=1)
    fields: dict[str, object] = {
        "id": "0123456789abcdef0123",
        "cluster": "alice",
        "kind": "nemo setup",
        "target": word,
        "args": (word,),
        "options": {},
        "typed": word,
        "caller": Caller(team="T1", user=USER, channel=CHANNEL),
        "created": NOW,
        "title": word,
        "hint": word,
        "stage": ErrandStage.RUNNING,
        "steps": (
            Step(name="python", state=StepState.DONE, began=NOW, ended=ended, said=word),
            Step(name="venv", state=StepState.THERE, began=NOW, ended=ended, said=word),
            Step(
                name="recipes",
                state=StepState.KEPT,
                began=NOW,
                ended=ended,
                said="elsewhere",
                detail=word,
            ),
            Step(name="copy", state=StepState.RUNNING, began=NOW),
        ),
        "facts": (("path", word), ("nemo-run", word), ("recipes", word)),
        "line": word,
    }
    return Errand.model_validate({**fields, **changes})
