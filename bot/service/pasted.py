"""A log that somebody pasted or uploaded: what went wrong in it."""

from __future__ import annotations

import asyncio
import codecs
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from typing import IO

from bot.card import Card
from bot.cards import pasted as cards
from bot.diagnosis import Source, diagnose
from bot.errors import ChatError
from bot.model import Act, Attached

MOST = 50_000_000
"""Bytes that are read of one message's files."""
MESSAGE = "the message"
"""What its own words are called beside its files."""
_CHUNK = 1 << 20
_BEGINNING, _END = 4_096, 4_096
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""How a file begins that Windows wrote."""
_NO_TEXT = ("image/", "video/", "audio/")

Fetch = Callable[[Attached], AsyncIterator[bytes]]
"""Yields the bytes of a file; raises ChatError."""


class _Unread(Exception):
    """Why a file was not read."""


async def diagnosis(act: Act, fetch: Fetch) -> Card:
    """Return what went wrong in the text and the files of a message."""
    with ExitStack() as stack:
        logs: list[tuple[str, IO[bytes]]] = []
        unread: list[tuple[str, str]] = []
        room = MOST
        for file in act.files:
            log = stack.enter_context(tempfile.TemporaryFile())
            try:
                room -= await _copied(file, fetch, log, room)
            except _Unread as problem:
                unread.append((file.name, str(problem)))
            else:
                logs.append((file.name, log))
        if act.text.strip():
            words = stack.enter_context(tempfile.TemporaryFile())
            words.write(act.text.encode())
            logs.append((MESSAGE, words))
        if not logs:
            return cards.nothing_to_read(unread)
        sources = [Source(name, _chunks(log)) for name, log in logs]
        # A long log takes a second of computing, in which others must get their turn.
        finding = await asyncio.to_thread(diagnose, sources)
        read = [(name, log.seek(0, 2)) for name, log in logs]
        return cards.pasted_card(act, finding, tail=_end(logs[0][1]), read=read, unread=unread)


async def _copied(file: Attached, fetch: Fetch, log: IO[bytes], room: int) -> int:
    """Copy a file of text, and return its bytes; raises _Unread."""
    if file.mimetype.startswith(_NO_TEXT):
        raise _Unread("is no text")
    if file.size > room:
        raise _Unread(f"is too big: {MOST // 1_000_000} MB of a message are read")
    size = 0
    try:
        async for chunk in fetch(file):
            if size == 0 and b"\0" in chunk[:_BEGINNING] and not chunk.startswith(_WIDE):
                raise _Unread("is no text")
            size += log.write(chunk)
            if size > room:
                raise _Unread(f"is too big: {MOST // 1_000_000} MB of a message are read")
    except ChatError as error:
        raise _Unread(error.sentence) from error
    if size == 0:
        raise _Unread("is empty")
    return size


def _chunks(log: IO[bytes]) -> Iterator[bytes]:
    log.seek(0)
    wide = log.read(2) in _WIDE
    log.seek(0)
    text = codecs.getreader("utf-16")(log, "replace") if wide else None
    while chunk := (text.read(_CHUNK).encode() if text else log.read(_CHUNK)):
        yield chunk


def _end(log: IO[bytes]) -> str:
    log.seek(max(0, log.seek(0, 2) - _END))
    return log.read().decode("utf-8", "replace")
