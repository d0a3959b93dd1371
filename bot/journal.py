"""The bot's own log: one line of JSON for each step, on standard error."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from datetime import UTC, datetime

from typing_extensions import override

USUAL = frozenset(vars(logging.makeLogRecord({}))) | {"message", "taskName", "asctime"}


class Lines(logging.Formatter):
    """A record as JSON: when, how grave, what, and what it is about; each text is cleaned."""

    def __init__(self, clean: Callable[[str], str]) -> None:
        super().__init__()
        self._clean = clean

    @override
    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "says": record.getMessage(),
            **{name: value for name, value in vars(record).items() if name not in USUAL},
        }
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        cleaned = {name: self._cleaned(value) for name, value in line.items()}
        return json.dumps(cleaned, ensure_ascii=False)

    def _cleaned(self, value: object) -> object:
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, list | tuple):
            return [self._cleaned(item) for item in value]
        return self._clean(str(value))


def begin(*, verbose: bool, clean: Callable[[str], str]) -> None:
    """Log to standard error; the vendors' own chatter only when it is grave.

    `clean` takes secrets out of a text.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(Lines(clean))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    for name in ("bot", "handlers"):
        logging.getLogger(name).setLevel(logging.DEBUG if verbose else logging.INFO)
