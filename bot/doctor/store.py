"""Can the bot keep what it must remember?"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from bot.check import Check
from bot.errors import ConfigError, StoreFailed
from bot.store.database import OTHER_BOT
from bot.store.sql_store import SqlStore
from bot.words import storage

NAME = "database"
LEAST_MB = 200
"""Less room than this is gone sooner than anybody looks."""
_SQLITE = "sqlite:///"


async def store_check(url: str) -> tuple[Check, ...]:
    """Open the database, unless it is a file that is not there yet: the bot makes it."""
    if not url.startswith(_SQLITE):
        return (await _opened(url, "PostgreSQL"),)
    path = Path(url.removeprefix(_SQLITE))
    if not path.exists():  # noqa: ASYNC240  # nothing else is going on
        return (_place(path),)
    return (await _opened(url, str(path)), _room(path))


async def _opened(url: str, what: str) -> Check:
    store = SqlStore(url, patience=0.2)
    try:
        async with store:
            acts = await store.open_acts()
    except ConfigError as error:
        if error.sentence == OTHER_BOT:
            return Check(NAME, ok=True, detail=f"{what} is in use by a running bot")
        fix = "Name a database of the bot's own under store.url, and see who may write there."
        return Check(NAME, ok=False, detail=error.sentence, fix=fix)
    except StoreFailed as error:
        fix = "See that the database runs, and that store.url is right."
        return Check(NAME, ok=False, detail=error.sentence, fix=fix)
    left = f", {len(acts)} acts to carry on" if acts else ""
    return Check(NAME, ok=True, detail=f"{what} can be written{left}")


def _place(path: Path) -> Check:
    """See whether a file could be made there."""
    near = next(folder for folder in path.absolute().parents if folder.exists())
    if not near.is_dir() or not os.access(near, os.W_OK | os.X_OK):
        fix = f"Let the bot's account write in {near}, or name another place under store.url."
        return Check(NAME, ok=False, detail=f"{path} cannot be made", fix=fix)
    return Check(NAME, ok=True, detail=f"{path} will be made at the first start")


def _room(path: Path) -> Check:
    free = shutil.disk_usage(path.parent).free >> 20
    if free < LEAST_MB:
        fix = f"Make room on the disk of {path.parent}; without it nothing can be submitted."
        return Check(f"{NAME}: room", ok=False, detail=f"{storage(free << 20)} are left", fix=fix)
    return Check(f"{NAME}: room", ok=True, detail=f"{storage(free << 20)} are left")
