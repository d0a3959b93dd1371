"""What just changed, for the pages that are open."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from bot.demo.slack.model import Json

_ROOM = 500  # changes a slow page may lag behind before it is told to read everything anew


class Feed:
    """Hands each change to every open page."""

    def __init__(self) -> None:
        self._pages: set[asyncio.Queue[Json]] = set()

    def publish(self, kind: str, data: Json) -> None:
        """Tell every page."""
        for page in self._pages:
            if page.full():
                while not page.empty():
                    page.get_nowait()
                page.put_nowait({"kind": "reload"})
            page.put_nowait({"kind": kind, **data})

    @contextmanager
    def subscribe(self) -> Iterator[asyncio.Queue[Json]]:
        """A queue of changes, while the page is open."""
        page: asyncio.Queue[Json] = asyncio.Queue(_ROOM)
        self._pages.add(page)
        try:
            yield page
        finally:
            self._pages.discard(page)
