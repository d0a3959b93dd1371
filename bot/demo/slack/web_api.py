"""The Web API: who calls, may they, how often; then the method."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field

from aiohttp import web

from bot.demo.slack import arguments
from bot.demo.slack.arguments import Arguments
from bot.demo.slack.errors import SlackError
from bot.demo.slack.faults import Rule
from bot.demo.slack.methods import METHODS
from bot.demo.slack.methods.method import Method
from bot.demo.slack.model import Json
from bot.demo.slack.platform import Platform
from bot.demo.slack.traffic import Call


@dataclass(kw_only=True)
class _Outcome:
    """What goes back, before it is written."""

    body: Json
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


class WebApi:
    """Serves `/api/METHOD`."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Answer one call and record it."""
        name = request.match_info["method"]
        at, started = time.time(), time.perf_counter()
        rule = self._platform.faults.strike(name)
        called = Arguments({}, "")
        try:
            called = await arguments.read(request)
            outcome = await self._struck(rule) or self._run(name, called)
        except SlackError as error:
            outcome = _refusal(error)
        cut = rule is not None and rule.action in {"accept_then_drop", "drop_before", "hang"}
        self._platform.traffic.record(
            Call(
                at=at,
                ms=(time.perf_counter() - started) * 1000,
                method=name,
                verb=request.method,
                arguments=called.values,
                status=0 if cut else outcome.status,
                answer=outcome.body,
                fault=rule.action if rule else None,
            )
        )
        if cut and request.transport is not None:
            request.transport.abort()
        return web.json_response(outcome.body, status=outcome.status, headers=outcome.headers)

    async def _struck(self, rule: Rule | None) -> _Outcome | None:
        """What a fault makes of the call; nothing when the call is to go through."""
        if rule is None or rule.action == "accept_then_drop":
            return None
        if rule.action == "429":
            return _refusal(SlackError("ratelimited", retry_after=max(1, round(rule.seconds))))
        if rule.action == "500":
            return _Outcome(body={"ok": False, "error": "internal_error"}, status=500)
        if rule.action in {"delay", "hang"}:
            await asyncio.sleep(rule.seconds)
        if rule.action == "delay":
            return None
        return _Outcome(body={})

    def _run(self, name: str, called: Arguments) -> _Outcome:
        method = METHODS.get(name)
        if method is None:
            raise SlackError("unknown_method", req_method=name)
        self._authorise(method, called.token)
        if method.tier:
            wait = self._platform.rates.take_method(name, method.tier)
            if wait is not None:
                raise SlackError("ratelimited", retry_after=wait)
        return _Outcome(
            body={"ok": True, **method.call(self._platform, called)},
            headers={"X-OAuth-Scopes": self._provided},
        )

    @property
    def _provided(self) -> str:
        return ",".join(sorted(self._platform.manifest.scopes))

    def _authorise(self, method: Method, token: str) -> None:
        identity = self._platform.identity
        if method.token == "none":  # noqa: S105 - a kind of token
            return
        if not token:
            raise SlackError("not_authed")
        is_bot, is_app = identity.is_bot_token(token), identity.is_app_token(token)
        if not (is_bot or is_app):
            raise SlackError("invalid_auth")
        if is_app != (method.token == "app"):  # noqa: S105 - a kind of token
            raise SlackError("not_allowed_token_type")
        if method.scopes and not self._platform.manifest.scopes.intersection(method.scopes):
            raise SlackError("missing_scope", needed=method.scopes[0], provided=self._provided)


def _refusal(error: SlackError) -> _Outcome:
    body = error.answer()
    wait = body.pop("retry_after", None)
    if wait is None:
        return _Outcome(body=body)
    return _Outcome(body=body, status=429, headers={"Retry-After": str(wait)})
