"""The bot's own log is JSON, and holds no secret."""

from __future__ import annotations

import json
import logging
import sys
from functools import partial

from bot.journal import Lines
from bot.redact import redact


def line(message: str, *args: object, **extra: object) -> dict[str, object]:
    """Return what is logged."""
    record = logging.makeLogRecord(
        {"name": "bot.x", "levelno": 20, "levelname": "INFO", "msg": message, "args": args, **extra}
    )
    written = Lines(partial(redact, known={"correct-horse-battery"})).format(record)
    assert "\n" not in written
    read: dict[str, object] = json.loads(written)
    return read


def test_a_step_is_told_with_what_it_is_about() -> None:
    """Numbers stay numbers."""
    told = line("taken", action="receipt_known", jobs=["71", "72"], late=1.5, why=None)
    assert (told["says"], told["level"], told["jobs"]) == ("taken", "info", ["71", "72"])
    assert (told["late"], told["why"]) == (1.5, None)


def test_no_secret_is_written_whatever_carries_it() -> None:
    """The sentence, what belongs to it, a trace: by shape, and by value."""
    token = "hf_" + "aB3" * 11
    try:
        raise ValueError(f"refused: {token}")
    except ValueError as error:
        told = line(
            "said %s and correct-horse-battery",
            token,
            detail=f'{{"token": "{token}"}}',
            names=[token],
            error=error,
            exc_info=sys.exc_info(),
        )
    text = json.dumps(told)
    assert token not in text
    assert "correct-horse-battery" not in text
    assert str(told["says"]).startswith("said [redacted] and [redacted]")
