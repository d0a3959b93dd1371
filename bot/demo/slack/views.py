"""The modals and Home tabs that are open."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Callable
from typing import Literal

from bot.demo.slack.errors import SlackError
from bot.demo.slack.model import Json, View

MOST_STACKED = 3


class Views:
    """Each person's stack of modals and Home tab."""

    def __init__(self) -> None:
        self.stacks: dict[str, list[View]] = {}
        self.homes: dict[str, View] = {}
        self._numbers = itertools.count(1)

    def by_id(self, view_id: str) -> View:
        """The open view with that id, or not_found."""
        return self._first(lambda view: view.id == view_id)

    def by_external_id(self, external_id: str) -> View:
        """The open view that the app named so, or not_found."""
        return self._first(lambda view: view.body.get("external_id") == external_id)

    def _first(self, fits: Callable[[View], bool]) -> View:
        for view in itertools.chain(*self.stacks.values(), self.homes.values()):
            if fits(view):
                return view
        raise SlackError("not_found")

    def open(self, user: str, body: Json) -> View:
        """A new stack of one modal, in place of any other."""
        view = self._new(user, "modal", body)
        self.stacks[user] = [view]
        return view

    def push(self, user: str, body: Json) -> View:
        """A modal on top of the stack; raises push_limit_reached."""
        stack = self.stacks.get(user, [])
        if len(stack) >= MOST_STACKED:
            raise SlackError("push_limit_reached")
        view = self._new(user, "modal", body)
        if stack:
            view.root_id, view.previous_id = stack[0].id, stack[-1].id
        self.stacks[user] = [*stack, view]
        return view

    def publish(self, user: str, body: Json, hash_: str | None) -> View:
        """A person's Home tab; raises hash_conflict."""
        home = self.homes.get(user)
        if home is None:
            self.homes[user] = self._new(user, "home", body)
        else:
            self.replace(home, body, hash_)
        return self.homes[user]

    def replace(self, view: View, body: Json, hash_: str | None = None) -> None:
        """New content under the same id; what was typed under kept ids stays; hash_conflict."""
        if hash_ is not None and hash_ != view.hash:
            raise SlackError("hash_conflict")
        kept = {block.get("block_id") for block in body["blocks"]}
        view.values = {key: value for key, value in view.values.items() if key in kept}
        view.body, view.hash, view.errors, view.notice = body, self._hash(), {}, ""

    def close(self, view: View, *, everything: bool = False) -> None:
        """Take a modal off the stack, or all of them."""
        stack = self.stacks.get(view.user, [])
        left = [] if everything or view not in stack else stack[: stack.index(view)]
        self.stacks[view.user] = left

    def _new(self, user: str, kind: Literal["modal", "home"], body: Json) -> View:
        view_id = f"V0NEW{next(self._numbers):07d}"
        return View(id=view_id, user=user, kind=kind, body=body, hash=self._hash(), root_id=view_id)

    @staticmethod
    def _hash() -> str:
        return f"{secrets.randbelow(10**10)}.{secrets.token_hex(4)}"
