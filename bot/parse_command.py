"""What a command would do, as JSON: for scripts, and for trying the grammar without a cluster."""

from __future__ import annotations

import re

from bot.errors import InputRefused
from bot.grammar import Help, Parsed, parse
from bot.model import Launch
from bot.options import typed_fields
from bot.workload import Site
from bot.workloads import WORKLOADS

WORKED, REFUSED = 0, 2


def parse_json(text: str) -> tuple[int, dict[str, object]]:
    """Return the exit status and the answer; what only a cluster can know is left open."""
    slash = re.match(r"\s*(/\S+)\s*", text)
    command, words = (slash[1], text[slash.end() :]) if slash else ("", text)
    try:
        parsed = parse(command, words)
    except InputRefused as refusal:
        errors = [
            {"field": wrong.field, "message": wrong.message, "hint": wrong.hint}
            for wrong in refusal.errors
        ]
        return REFUSED, {"ok": False, "errors": errors}
    match parsed:
        case Help(topic=topic):
            return WORKED, _answer("help", {"topic": topic}, None)
        case Parsed():
            unseen = {name for name, option in typed_fields(type(parsed.options)) if option.unseen}
            request = parsed.options.model_dump(mode="json", exclude=unseen)
            return WORKED, _answer(parsed.subcommand, request, _launch(parsed))


def _answer(command: str, request: dict[str, object], launch: Launch | None) -> dict[str, object]:
    return {
        "ok": True,
        "command": command,
        "request": request,
        "launch": launch
        and {
            "argv": list(launch.argv),
            "cwd": launch.cwd or None,
            "env": [name for name, _ in launch.env],
        },
    }


def _launch(parsed: Parsed) -> Launch | None:
    workload = WORKLOADS.get(parsed.subcommand)
    return workload.launch(parsed.options, Site()) if workload else None
