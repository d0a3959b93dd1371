"""Every call that the app makes passes here: faults strike it, and it is recorded."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from bot.demo.slack.faults import Rule
from bot.demo.slack.model import Json
from bot.demo.slack.platform import Platform
from bot.demo.slack.traffic import Call

CUT = 0  # the status of a call whose connection was cut


@dataclass(kw_only=True)
class Outcome:
    """What goes back; a `body` of text or bytes goes as it is, anything else as JSON."""

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    arguments: Json = field(default_factory=dict)


async def serve(
    platform: Platform,
    request: web.Request,
    name: str,
    work: Callable[[web.Request], Awaitable[Outcome]],
) -> web.StreamResponse:
    """Do the work unless a fault prevents it, record it, answer it unless a fault cuts the line."""
    at, started = time.time(), time.perf_counter()
    rule = platform.faults.strike(name)
    outcome = await _before(rule)
    if outcome is None:
        outcome = await work(request)
    cut = await _after(rule, outcome)
    platform.traffic.record(
        Call(
            at=at,
            ms=(time.perf_counter() - started) * 1000,
            method=name,
            verb=request.method,
            arguments=outcome.arguments,
            status=CUT if cut else outcome.status,
            answer=_noted(outcome.body),
            fault=rule.action if rule else None,
        )
    )
    if cut and request.transport is not None:
        request.transport.abort()
    if isinstance(outcome.body, str):
        return web.Response(text=outcome.body, status=outcome.status, headers=outcome.headers)
    if isinstance(outcome.body, bytes):
        return web.Response(body=outcome.body, status=outcome.status, headers=outcome.headers)
    return web.json_response(outcome.body, status=outcome.status, headers=outcome.headers)


def _noted(body: Any) -> Any:
    return f"{len(body)} bytes" if isinstance(body, bytes) else body


async def _before(rule: Rule | None) -> Outcome | None:
    """What a fault answers instead of the work."""
    match rule:
        case Rule(action="429", seconds=seconds):
            wait = str(max(1, round(seconds)))
            body = {"ok": False, "error": "ratelimited"}
            return Outcome(body=body, status=429, headers={"Retry-After": wait})
        case Rule(action="500"):
            return Outcome(body={"ok": False, "error": "internal_error"}, status=500)
        case Rule(action="drop_before"):
            return Outcome(body=None)
        case Rule(action="hang", seconds=seconds):
            await asyncio.sleep(seconds)
            return Outcome(body=None)
        case Rule(action="delay", seconds=seconds):
            await asyncio.sleep(seconds)
        case _:
            pass
    return None


async def _after(rule: Rule | None, outcome: Outcome) -> bool:
    """Spoil the answer of work that was done; whether the connection is to be cut."""
    if rule is None:
        return False
    if rule.action == "accept_then_500":
        outcome.status = 500
    if rule.action == "accept_then_hang":
        await asyncio.sleep(rule.seconds)
    return rule.action in {"drop_before", "hang", "accept_then_drop", "accept_then_hang"}
