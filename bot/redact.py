"""Secrets taken out of all that leaves: by value, by shape, by the name they stand behind.

Every pattern is matched by RE2, so the time grows with the text and with nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import re2

from bot.card import Card
from bot.secret_names import is_secret

MARK = "[redacted]"
SHORTEST_KNOWN = 8
"""Known values below this length could be ordinary words."""

# What may stand before a token: nothing, no letter or digit, or a line break written as `\n`.
_EDGE = r"(^|[^A-Za-z0-9]|\\[nrt])"
_SHAPES = (
    r"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{8,}",
    r"x(?:app|wfp)-[A-Za-z0-9-]{8,}",
    r"gh[pousr]_[A-Za-z0-9]{16,}",
    r"github_pat_[A-Za-z0-9_]{16,}",
    r"glpat-[A-Za-z0-9_.-]{16,}",
    r"(?:AKIA|ASIA)[A-Z0-9]{16}",
    r"AIza[A-Za-z0-9_-]{30,}",
    r"ya29\.[A-Za-z0-9_.-]{16,}",
    r"1//0[A-Za-z0-9_-]{20,}",
    r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?",
    r"nvapi-[A-Za-z0-9_-]{20,}",
    r"wandb_v1_[A-Za-z0-9_]{16,}",
    r"hf_[A-Za-z0-9]{30,}",
)
_KEY_LINE = r"PRIVATE KEY(?: BLOCK)?-----"
_HEADER = r"""\bauthorization\\?["']?[ \t]*[:=][ \t]*\\?["']?(?:(?:bearer|basic|token)[ \t]+)?"""
_WANDB = r"(?:\bwandb|\bw&(?:amp;)?b|\bweights (?:&|&amp;|and) biases)(?:'s)?"
_KEY_WORD = (
    rf"""(?:{_WANDB}(?:[ _-](?:login|token))?|--relogin|\bkey|api[ _-]?key|password)"""
    r"""(?:[ \t]+is)?\\?["']?[ \t:=]{1,4}["']?"""
)
_QUERY = r"(?:x-(?:amz|goog)-(?:signature|credential|security-token)|sig|signature)"

# In each, the first group is kept in front of the mark, and the second behind it.
_RULES = tuple(
    re2.compile(pattern)
    for pattern in (
        rf"()-----BEGIN [A-Z0-9 ]*{_KEY_LINE}(?s:.*?)(?:-----END [A-Z0-9 ]*{_KEY_LINE}|\z)",
        # The end of a key whose beginning was cut off.
        rf"()(?:[A-Za-z0-9+/=]{{16,}}[ \t]*\r?\n[ \t]*)+-----END [A-Z0-9 ]*{_KEY_LINE}",
        rf"""(?i)({_HEADER})[^\r\n"'\\]+""",
        r"(?i)(\bbearer[ \t]+)[A-Za-z0-9._~+/=-]{16,}",
        r"(?i)(\b(?:set-)?cookie:[ \t]*)[^\r\n]+",
        # scheme://user:password@host and https://token@host
        r"""(\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"']*:)[^\s/"']+(@)""",
        r"""(\bhttps?://)[^\s/:@"']{16,}(@)""",
        rf"""(?i)([?&]{_QUERY}=)[^&\s"']+""",
        # machine HOST login USER password …
        r"""(?i)(\blogin[ \t]+\S+[ \t]+password[ \t]+)(?:[^\s"'$]|\$[^\s"'({])[^\s"']*""",
        # 40 hex digits behind the name of a key: one of W&B's; a commit has no such name in front.
        rf"(?i)({_KEY_WORD})[0-9a-f]{{40}}\b",
        rf"{_EDGE}(?:{'|'.join(_SHAPES)})",
    )
)
# These prefixes also begin ordinary names, so a digit must follow.
_MIXED = re2.compile(rf"{_EDGE}(sk-[A-Za-z0-9_-]{{20,}}|hf_[A-Za-z0-9]{{20,}})")

_NAME = r"[A-Za-z0-9_.-]*(?i:token|secret|passw|passphrase|api[_-]?key|[_-]key)[\w-]*"
_QUOTED = r"""(?:[bru]?"(?:[^"\\\n]|\\.)*"?|[bru]?'(?:[^'\\\n]|\\.)*'?)"""
_JOINT = r"""(\\?["']?\]?[ \t]{0,8}(?:=>|:=|[:=])[ \t]{0,8})"""
_NAMED = tuple(
    re2.compile(pattern)
    for pattern in (
        rf"""({_NAME})(=)({_QUOTED}(?:\\['"]{_QUOTED}?)*|[^\s"'&;|<>]+)""",
        rf"""({_NAME}){_JOINT}(\\"[^"\n]*"?|{_QUOTED}|[^\s"'&;]+)""",
        rf"""(--{_NAME})([ \t]+)({_QUOTED}|[^\s"'&;|<>-][^\s"'&;|<>]*)""",
    )
)
_ANYTHING = re2.compile(
    "|".join(f"(?:{rule.pattern})" for rule in (*_RULES, _MIXED, *_NAMED))  # one look for all
)


def redact(text: str, known: Iterable[str] = ()) -> str:
    """Return the text with `[redacted]` in place of each secret; twice is the same as once."""
    for value in sorted(_pieces(known), key=len, reverse=True):
        text = text.replace(value, MARK)
    if _ANYTHING.search(text) is None:
        return text
    for rule in _RULES:
        text = rule.sub(_between, text)
    text = _MIXED.sub(_if_mixed, text)
    for rule in _NAMED:
        text = rule.sub(_by_name, text)
    return text


def redact_card(card: Card, known: Iterable[str] = ()) -> Card:
    """Return the card with every string in it redacted."""
    secrets = tuple(known)
    return Card.model_validate(_walk(card.model_dump(), secrets))


def _pieces(known: Iterable[str]) -> set[str]:
    """Return what to look for: each value, and each long line of one that has several."""
    return {
        piece
        for value in known
        for piece in (value, *value.splitlines())
        if len(piece.strip()) >= SHORTEST_KNOWN
    }


def _between(found: Any) -> str:
    before, *behind = found.groups(default="")
    return f"{before}{MARK}{''.join(behind)}"


def _if_mixed(found: Any) -> str:
    edge, value = found.groups()
    return f"{edge}{MARK}" if any(c.isdigit() for c in value) else f"{edge}{value}"


def _by_name(found: Any) -> str:
    name, between, value = found.groups()
    bare = value.strip("\\\"'")
    if MARK in bare or not is_secret(name, between, bare):
        return str(found.group())
    return f"{name}{between}{_like(value)}"


def _like(value: str) -> str:
    """Keep the quotes around a value, or what closes the expression behind it."""
    for quote in ('\\"', '"', "'"):
        if value.startswith(quote):
            return f"{quote}{MARK}{quote if value.endswith(quote) else ''}"
    return MARK + value[len(value.rstrip(",)]}`")) :]


def _walk(value: Any, known: tuple[str, ...]) -> Any:
    if isinstance(value, str):
        return redact(value, known)
    if isinstance(value, dict):
        return {
            name: item if _ours(name, item) else _walk(item, known) for name, item in value.items()
        }
    if isinstance(value, list | tuple):
        return tuple(_walk(item, known) for item in value)
    return value


_OURS = {"kind", "tone", "style", "action", "user"}
"""Fields of a card that hold words of ours or of Slack, never a person's or a program's."""


def _ours(name: str, item: Any) -> bool:
    """Whether a field must stay as it is: the value of a control is a name that comes back."""
    return name in _OURS or (name == "value" and isinstance(item, str))
