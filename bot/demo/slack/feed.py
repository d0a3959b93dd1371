"""What just changed, for the pages that are open."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_ROOM = 500  # changes a slow page may lag behind before it is told to read everything anew


class Feed:
    """Hands each change to every open page."""

    def __init__(self) -> None:
        self._pages: set[asyncio.Queue[str]] = set()

    def publish(self, kind: str, data: dict[str, Any]) -> None:
        """Tell every page."""
        if not self._pages:
            return
        line = json.dumps({"kind": kind, **data})
        for page in self._pages:
            if page.full():
                while not page.empty():
                    page.get_nowait()
                page.put_nowait('{"kind":"reload"}')
            page.put_nowait(line)

    @contextmanager
    def subscribe(self) -> Iterator[asyncio.Queue[str]]:
        """A queue of changes as JSON lines, while the page is open."""
        page: asyncio.Queue[str] = asyncio.Queue(_ROOM)
        self._pages.add(page)
        try:
            yield page
        finally:
            self._pages.discard(page)
