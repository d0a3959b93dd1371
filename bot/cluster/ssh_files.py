"""Private files on a login node, over SFTP: changed whole or not at all, read by nobody else."""

from __future__ import annotations

import posixpath
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import asyncssh

from bot.errors import CommandFailed

LARGEST = 1024 * 1024
"""Bytes of a file that is changed."""
_PRIVATE, _PRIVATE_FOLDER = 0o600, 0o700

Change = Callable[[bytes], bytes]


@dataclass(frozen=True)
class _File:
    """What tells whether a file is still the one that was seen."""

    uid: int | None
    mode: int
    size: int
    modified: tuple[int | None, int | None]


async def rewrite(sftp: asyncssh.SFTPClient, path: str, change: Change) -> bool:
    """Give a file the content that `change` makes of the present one, and the mode 0600.

    False when it was so already. No file counts as empty, and none is left when nothing is to be
    in it. Its folder is made if need be. Raises CommandFailed, with the file as it was, when it is
    a link, is somebody else's, or cannot be written.
    """
    try:
        return await _rewritten(sftp, path, change)
    except asyncssh.SFTPError as error:
        raise CommandFailed(f"{path} cannot be written on the cluster: {_why(error)}") from error


def _why(error: asyncssh.SFTPError) -> str:
    """Return the reason; the usual file server has but one word for a full disk and much else."""
    if isinstance(error, asyncssh.SFTPFailure):
        return "its disk may be full, its quota used up, or something be in the way"
    return str(error.reason)


async def _rewritten(sftp: asyncssh.SFTPClient, path: str, change: Change) -> bool:
    found = await _found(sftp, path)
    old = await _content(sftp, path, found)
    new = change(old)
    private = found is not None and found.mode == _PRIVATE
    if new == old and (private or found is None):
        return False
    if not new:
        await sftp.remove(path)
        return True
    part = f"{path}.part"
    with suppress(asyncssh.SFTPNoSuchFile):
        await sftp.remove(part)  # left by a life that was cut short
    await _make_folder(sftp, posixpath.dirname(path))
    try:
        await _write(sftp, part, new, found, path)
        await _still(sftp, path, found)
        await sftp.posix_rename(part, path)
    except BaseException:
        with suppress(asyncssh.Error, OSError):
            await sftp.remove(part)
        raise
    return True


async def _found(sftp: asyncssh.SFTPClient, path: str) -> _File | None:
    """Return what is known of the file itself; None where there is none."""
    try:
        found = await sftp.lstat(path)
    except asyncssh.SFTPNoSuchFile:
        return None
    mode = found.permissions or 0
    if stat.S_ISLNK(mode):
        raise CommandFailed(f"{path} is a symbolic link on the cluster, so it was left alone")
    if not stat.S_ISREG(mode):
        raise CommandFailed(f"{path} is no file on the cluster, so it was left alone")
    return _File(found.uid, stat.S_IMODE(mode), found.size or 0, (found.mtime, found.mtime_ns))


async def _still(sftp: asyncssh.SFTPClient, path: str, found: _File | None) -> None:
    if await _found(sftp, path) != found:
        raise CommandFailed(f"{path} was changed by somebody else meanwhile; try again")


async def _content(sftp: asyncssh.SFTPClient, path: str, found: _File | None) -> bytes:
    if found is None:
        return b""
    if found.size > LARGEST:
        raise CommandFailed(f"{path} is larger than {LARGEST >> 20} MB, so it was left alone")
    async with sftp.open(path, "rb") as file:
        content: Any = await file.read()  # bytes, since it was opened so
    return bytes(content)


async def _make_folder(sftp: asyncssh.SFTPClient, path: str) -> None:
    if not await sftp.exists(path):
        await sftp.mkdir(path, asyncssh.SFTPAttrs(permissions=_PRIVATE_FOLDER))


async def _write(
    sftp: asyncssh.SFTPClient,
    part: str,
    content: bytes,
    found: _File | None,
    path: str,
) -> None:
    """Fill a new file that was private from its first moment on."""
    async with sftp.open(part, "xb", asyncssh.SFTPAttrs(permissions=_PRIVATE)) as file:
        mine = await file.stat()
        if found is not None and found.uid != mine.uid:
            raise CommandFailed(f"{path} belongs to another account, so it was left alone")
        await file.write(content)
