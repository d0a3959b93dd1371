"""The Web API: who calls, may they, how often; then the method."""

from __future__ import annotations

from aiohttp import web

from bot.demo.slack import arguments, serving
from bot.demo.slack.arguments import Arguments
from bot.demo.slack.errors import SlackError
from bot.demo.slack.methods import METHODS
from bot.demo.slack.methods.method import Method
from bot.demo.slack.platform import Platform
from bot.demo.slack.serving import Outcome


class WebApi:
    """Serves `/api/METHOD`."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Answer one call."""
        return await serving.serve(
            self._platform, request, request.match_info["method"], self._answer
        )

    async def _answer(self, request: web.Request) -> Outcome:
        called = Arguments({}, "")
        try:
            called = await arguments.read(request)
            outcome = self._run(request.match_info["method"], called)
        except SlackError as error:
            outcome = _refusal(error)
        outcome.arguments = called.values
        return outcome

    def _run(self, name: str, called: Arguments) -> Outcome:
        method = METHODS.get(name)
        if method is None:
            raise SlackError("unknown_method", req_method=name)
        self._authorise(method, called.token)
        if method.tier:
            wait = self._platform.rates.take_method(name, method.tier)
            if wait is not None:
                raise SlackError("ratelimited", retry_after=wait)
        return Outcome(
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


def _refusal(error: SlackError) -> Outcome:
    body = error.answer()
    wait = body.pop("retry_after", None)
    if wait is None:
        return Outcome(body=body)
    return Outcome(body=body, status=429, headers={"Retry-After": str(wait)})
