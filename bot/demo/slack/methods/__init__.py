"""The Web API's methods, by name."""

from __future__ import annotations

from bot.demo.slack.methods import apps, chat, conversations, files, reactions, users, views
from bot.demo.slack.methods.method import Method

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        *apps.METHODS,
        *chat.METHODS,
        *conversations.METHODS,
        *files.METHODS,
        *reactions.METHODS,
        *users.METHODS,
        *views.METHODS,
    )
}
