"""The named steps of the bot, read from its source: every `action` that a log call carries."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

ROOT = Path(__file__).parents[2]
_LOGGED = {"bot": ("demo", "bench", "doctor"), "handlers": ()}
"""Packages of the bot, and what of them is no part of a running bot."""


def named_steps() -> dict[str, str]:
    """Each step with the file that logs it; one whose name is put together has a `*` in it."""
    found: dict[str, str] = {}
    for package, without in _LOGGED.items():
        for path in sorted((ROOT / package).rglob("*.py")):
            where = path.relative_to(ROOT)
            if where.parts[1].removesuffix(".py") in without:
                continue
            for name in _steps_in(ast.parse(path.read_text(encoding="utf-8"))):
                found.setdefault(name, str(where))
    return found


def known(step: str, steps: dict[str, str]) -> bool:
    """Whether a step that was logged is one of these."""
    return any(fnmatchcase(step, pattern) for pattern in steps)


def _steps_in(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Dict(keys=keys, values=values):
                for key, value in zip(keys, values, strict=True):
                    if isinstance(key, ast.Constant) and key.value == "action":
                        yield from _names(value)
            case ast.Call(func=ast.Name(id="_extra"), args=[first, *_]):
                yield from _names(first)
            case _:
                pass


def _names(value: ast.expr) -> Iterator[str]:
    match value:
        case ast.Constant(value=str(name)):
            yield name
        case ast.IfExp(body=one, orelse=other):
            yield from _names(one)
            yield from _names(other)
        case ast.JoinedStr(values=parts):
            yield "".join(str(p.value) if isinstance(p, ast.Constant) else "*" for p in parts)
        case _:
            pass  # a parameter: its values stand where the function is called
