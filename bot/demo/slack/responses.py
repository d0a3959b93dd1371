"""Serves `/response/KEY`: what the app posts to a response URL."""

from __future__ import annotations

import json

from aiohttp import web

from bot.demo.slack import answers, serving
from bot.demo.slack.errors import SlackError
from bot.demo.slack.model import Json
from bot.demo.slack.platform import Platform
from bot.demo.slack.serving import Outcome

METHOD = "response_url"  # its name in traffic and faults
_GONE = frozenset({"no_such_url", "expired_url", "used_url"})


class Responses:
    """Carries out what is posted."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Answer `ok`, or Slack's error with its status."""
        return await serving.serve(self._platform, request, METHOD, self._answer)

    async def _answer(self, request: web.Request) -> Outcome:
        text = await request.text()
        try:
            said = _parsed(text)
            url = self._platform.response_urls.use(request.match_info["key"])
            answers.to_url(self._platform, url, said)
        except SlackError as error:
            status = 404 if error.code in _GONE else 400
            return Outcome(body=error.answer(), status=status, arguments={"body": text})
        return Outcome(body="ok", arguments=said)


def _parsed(text: str) -> Json:
    try:
        body = json.loads(text)
    except json.JSONDecodeError:
        raise SlackError("invalid_payload") from None
    if not isinstance(body, dict):
        raise SlackError("invalid_payload")
    return body
