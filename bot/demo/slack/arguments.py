"""The arguments of a Web API call, whichever way they came."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from bot.demo.slack.errors import SlackError
from bot.demo.slack.model import Json

_TRUE = frozenset({"1", "true", "True"})


@dataclass(frozen=True)
class Arguments:
    """Named arguments; strings when they came as a form, JSON values otherwise."""

    values: Json
    token: str

    def text(self, name: str) -> str | None:
        """A string, or nothing."""
        value = self.values.get(name)
        return None if value is None else str(value)

    def required(self, name: str, error: str = "invalid_arguments") -> str:
        """A string that must be there; raises `error` with Slack's message."""
        value = self.text(name)
        if not value:
            if error != "invalid_arguments":
                raise SlackError(error)
            raise missing(name)
        return value

    def renamed(self, old: str, new: str) -> Arguments:
        """The same arguments with one under another name."""
        values = {key: value for key, value in self.values.items() if key != old}
        return Arguments({**values, new: self.values.get(old)}, self.token)

    def flag(self, name: str) -> bool:
        """A boolean in any of the spellings that Slack takes."""
        return str(self.values.get(name, "")) in _TRUE

    def number(self, name: str, default: int) -> int:
        """A whole number."""
        value = self.values.get(name)
        if value in {None, ""}:
            return default
        try:
            return int(str(value))
        except ValueError:
            raise invalid(f"[ERROR] must be a number [json-pointer:/{name}]") from None

    def tree(self, name: str, error: str) -> Any:
        """A JSON argument, decoded if it came as a string; raises `error`."""
        value = self.values.get(name)
        if not isinstance(value, str):
            return value
        if not value.strip():
            return None
        try:
            return json.loads(value)
        except json.JSONDecodeError:
            raise SlackError(error) from None


def invalid(*messages: str) -> SlackError:
    """`invalid_arguments` with its reasons."""
    return SlackError("invalid_arguments", response_metadata={"messages": list(messages)})


def missing(name: str) -> SlackError:
    """`invalid_arguments` for an argument that is not there."""
    return invalid(f"[ERROR] missing required field: {name}")


async def read(request: web.Request) -> Arguments:
    """Collect a request's arguments and its token."""
    values: Json = dict(request.query)
    if request.method == "POST":
        values |= await _body(request)
    header = request.headers.get("Authorization", "")
    given = str(values.pop("token", "") or "")
    token = header.removeprefix("Bearer ") if header.startswith("Bearer ") else given
    return Arguments(values, token.strip())


async def _body(request: web.Request) -> Json:
    if request.content_type == "application/json":
        try:
            body = json.loads(await request.text() or "{}")
        except json.JSONDecodeError:
            raise SlackError("invalid_json") from None
        if not isinstance(body, dict):
            raise SlackError("json_not_object")
        return body
    if request.content_type in {
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/octet-stream",  # no content type at all
    }:
        form = await request.post()
        return {key: value for key, value in form.items() if isinstance(value, str)}
    raise SlackError("invalid_form_data")
