"""What the local Slack refuses, in Slack's own words.

SlackError            an error code that the Web API answers
Refused               a call of the control interface that makes no sense
"""

from __future__ import annotations

from typing import Any


class SlackError(Exception):
    """An answer `{"ok": false, "error": code, …}`."""

    def __init__(self, code: str, **details: Any) -> None:
        super().__init__(code)
        self.code = code
        self.details = details

    def answer(self) -> dict[str, Any]:
        """The body that Slack sends."""
        return {"ok": False, "error": self.code, **self.details}


class Refused(Exception):
    """A person could not have done this: nothing was delivered."""

    def __init__(self, code: str, message: str = "", status: int = 400) -> None:
        super().__init__(message or code)
        self.code = code
        self.message = message
        self.status = status
