"""Serves `/response/KEY`: what the app posts to a response URL."""

from __future__ import annotations

import json
import time
from http import HTTPStatus
from typing import Any

from aiohttp import web

from bot.demo.slack import answers
from bot.demo.slack.errors import SlackError
from bot.demo.slack.model import Json
from bot.demo.slack.platform import Platform
from bot.demo.slack.traffic import Call

METHOD = "response_url"  # its name in traffic and faults
_GONE = frozenset({"no_such_url", "expired_url", "used_url"})


class Responses:
    """Carries out what is posted, and records it."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Answer `ok`, or Slack's error with its status."""
        at, started = time.time(), time.perf_counter()
        said: Any = await request.text()
        try:
            said = _parsed(said)
            status, answer = self._carry_out(request.match_info["key"], said)
        except SlackError as error:
            status = 404 if error.code in _GONE else 400
            answer = error.answer()
        self._platform.traffic.record(
            Call(
                at=at,
                ms=(time.perf_counter() - started) * 1000,
                method=METHOD,
                arguments=said if isinstance(said, dict) else {"body": said},
                status=status,
                answer=answer,
            )
        )
        return (
            web.json_response(answer, status=status)
            if status != HTTPStatus.OK
            else web.Response(text="ok")
        )

    def _carry_out(self, key: str, said: Json) -> tuple[int, Json]:
        rule = self._platform.faults.strike(METHOD)
        if rule is not None and rule.action == "429":
            return 429, {"ok": False, "error": "ratelimited"}
        if rule is not None and rule.action == "500":
            return 500, {"ok": False, "error": "internal_error"}
        answers.to_url(self._platform, self._platform.response_urls.use(key), said)
        return 200, {"ok": True}


def _parsed(text: str) -> Json:
    try:
        body = json.loads(text)
    except json.JSONDecodeError:
        raise SlackError("invalid_payload") from None
    if not isinstance(body, dict):
        raise SlackError("invalid_payload")
    return body
