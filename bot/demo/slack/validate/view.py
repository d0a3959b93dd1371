"""What a modal or a Home tab may hold, as Slack checks it."""

from __future__ import annotations

from typing import Any

from bot.demo.slack.arguments import invalid
from bot.demo.slack.model import Json


def checked(tree: Any, kind: str) -> Json:
    """The view's body; raises invalid_arguments with the reasons."""
    if not isinstance(tree, dict) or tree.get("type") != kind:
        raise invalid("[ERROR] failed to match all allowed schemas [json-pointer:/view]")
    return tree
