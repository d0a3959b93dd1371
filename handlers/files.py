"""Files that people share in Slack, read with the bot's token from Slack's own hosts alone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from http import HTTPStatus
from urllib.parse import urlsplit

import aiohttp

from bot.errors import ChatUnreachable, FileRefused
from bot.model import Attached

PATIENCE = aiohttp.ClientTimeout(total=120, sock_read=30)
CHUNK = 1 << 18


async def fetch(
    file: Attached, *, session: aiohttp.ClientSession, token: str, api_url: str
) -> AsyncIterator[bytes]:
    """Yield a file's bytes; raises FileRefused, or ChatUnreachable where trying again may help.

    Who may not read a file is not refused by Slack but sent to a page to log in at.
    """
    if not trusted(file.url, api_url):
        raise FileRefused("does not lie in this Slack")
    headers = {"Authorization": f"Bearer {token}"}
    try:
        # A redirect could carry the token to somebody else.
        async with session.get(
            file.url, headers=headers, timeout=PATIENCE, allow_redirects=False
        ) as answer:
            if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                raise ChatUnreachable(f"Slack answered {answer.status}")
            page = answer.content_type == "text/html" and file.mimetype != "text/html"
            if answer.status != HTTPStatus.OK or page:
                raise FileRefused("may not be read by the bot: it sees files of its channels alone")
            async for chunk in answer.content.iter_chunked(CHUNK):
                yield chunk
    except (TimeoutError, aiohttp.ClientError, OSError) as error:
        raise ChatUnreachable(f"Slack does not answer ({type(error).__name__})") from error


def trusted(url: str, api_url: str) -> bool:
    """Whether an address is that of the Slack which the bot talks to, or of its host for files."""
    api, asked = urlsplit(api_url), urlsplit(url)
    hosts = {api.netloc, f"files.{api.netloc.removeprefix('www.')}"}
    return asked.scheme == api.scheme and asked.netloc in hosts
