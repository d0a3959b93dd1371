"""The bot's own log: one line of JSON for each step, on standard error."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime

from typing_extensions import override

USUAL = frozenset(vars(logging.makeLogRecord({}))) | {"message", "taskName", "asctime"}


class Lines(logging.Formatter):
    """A record as JSON: when, how grave, what, and what it is about."""

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
        return json.dumps(line, ensure_ascii=False, default=str)


def begin(*, verbose: bool) -> None:
    """Log to standard error; the vendors' own chatter only when it is grave."""
    handler = logging.StreamHandler()
    handler.setFormatter(Lines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    for name in ("bot", "handlers"):
        logging.getLogger(name).setLevel(logging.DEBUG if verbose else logging.INFO)
