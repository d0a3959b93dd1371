"""Uploads in three steps, as Slack's own client makes them."""

from __future__ import annotations

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.demo.slack.workspace import TRAINING
from tests.local_slack.conftest import Hands


async def test_a_file_is_shared_as_a_message(
    client: AsyncWebClient, hands: Hands, session: aiohttp.ClientSession
) -> None:
    """With its title, in a thread, and can be fetched."""
    root = (await client.chat_postMessage(channel=TRAINING, text="root"))["ts"]
    answer = await client.files_upload_v2(
        channel=TRAINING,
        thread_ts=root,
        filename="log.txt",
        title="The log",
        content="line 1\nline 2\n",
        initial_comment="here it is",
    )
    message = (await hands.messages(TRAINING, thread_ts=root))[1]
    (file,) = message["files"]
    assert message["text"] == "here it is"
    assert (file["title"], file["size"], file["mimetype"]) == ("The log", 14, "text/plain")
    assert answer["file"]["id"] == file["id"]
    async with session.get(file["permalink"]) as fetched:
        assert await fetched.text() == "line 1\nline 2\n"
        assert fetched.headers["X-Content-Type-Options"] == "nosniff"
    assert (await client.files_info(file=file["id"]))["file"]["name"] == "log.txt"


async def test_several_files_make_one_message(client: AsyncWebClient, hands: Hands) -> None:
    """As in Slack."""
    await client.files_upload_v2(
        channel=TRAINING,
        file_uploads=[
            {"filename": "a.txt", "content": "a"},
            {"filename": "b.png", "content": b"\x89PNG"},
        ],
    )
    (message,) = await hands.messages(TRAINING)
    assert [one["name"] for one in message["files"]] == ["a.txt", "b.png"]


async def test_the_bytes_must_be_as_many_as_announced(
    client: AsyncWebClient, session: aiohttp.ClientSession
) -> None:
    """And the address takes them once."""
    given = await client.files_getUploadURLExternal(filename="a", length=3)
    async with session.post(given["upload_url"], data=b"four") as answer:
        assert answer.status == 400
    async with session.post(given["upload_url"], data=b"abc") as answer:
        assert await answer.text() == "OK - 3"
    async with session.post(given["upload_url"], data=b"abc") as answer:
        assert answer.status == 404


async def test_a_file_without_bytes_cannot_be_completed(client: AsyncWebClient) -> None:
    """Nor shared into a thread that is not there."""
    given = await client.files_getUploadURLExternal(filename="a", length=3)
    with pytest.raises(SlackApiError, match="file_not_found"):
        await client.files_completeUploadExternal(files=[{"id": given["file_id"]}])
    with pytest.raises(SlackApiError) as refused:
        await client.files_upload_v2(
            channel=TRAINING, thread_ts="1.0", filename="a.txt", content="a"
        )
    assert refused.value.response["error"] == "invalid_thread_ts"


async def test_a_page_of_html_is_never_shown(
    client: AsyncWebClient, hands: Hands, session: aiohttp.ClientSession
) -> None:
    """It is only ever downloaded."""
    await client.files_upload_v2(channel=TRAINING, filename="a.html", content="<script>1</script>")
    (message,) = await hands.messages(TRAINING)
    async with session.get(message["files"][0]["permalink"]) as fetched:
        assert fetched.content_type == "application/octet-stream"
        assert fetched.headers["Content-Disposition"] == "attachment"
