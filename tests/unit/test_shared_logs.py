"""*Diagnose this log*: from the menu of a message to the answer below it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.demo.slack.manifest import load
from bot.demo.slack.model import Message
from bot.demo.slack.rate import Rates
from bot.demo.slack.server import LocalSlack, assemble
from bot.demo.slack.workspace import ADMIN, GENERAL, OUTSIDER, RESEARCHER, TRAINING
from bot.errors import FileRefused
from bot.model import Attached
from bot.service.pasted import MOST
from bot.store.sql_store import SqlStore
from handlers.files import fetch, trusted
from tests.local_slack.conftest import Hands, until
from tests.unit.answering import answering

MANIFEST = Path(__file__).parents[2] / "manifest.yml"
OOM = (
    "step 10 loss 2.1\n"
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "
    "capacity of 79.10 GiB of which 1.02 GiB is free.\n"
)
TOKEN = "hf_" + "aB3" * 11


@dataclass
class Room:
    """A Slack with the bot in it, all but its clusters."""

    slack: LocalSlack
    hands: Hands
    store: SqlStore

    async def paste(self, text: str, channel: str = TRAINING, user: str = RESEARCHER) -> str:
        """Write a message; return its ts."""
        return str(
            (await self.hands.do("message", user_id=user, channel_id=channel, text=text))["ts"]
        )

    async def upload(self, files: dict[str, bytes], channel: str = TRAINING, **more: str) -> str:
        """Share files; return the message's ts."""
        fields = {"user_id": RESEARCHER, "channel_id": channel, **more}
        return str((await self.hands.upload(files, **fields))["ts"])

    async def choose(self, ts: str, channel: str = TRAINING, user: str = RESEARCHER) -> None:
        """Choose the shortcut."""
        done = await self.hands.do(
            "shortcut", user_id=user, channel_id=channel, message_ts=ts, callback_id="diagnose_log"
        )
        assert done["acked"], done

    async def answer(self, ts: str, channel: str = TRAINING) -> str:
        """Wait for the answer in a message's thread; return all that it shows."""
        found = await until(
            lambda: self.hands.messages(channel, thread_ts=ts),
            lambda all_: any(one["by_bot"] and not one["ephemeral"] for one in all_),
        )
        return str(next(one for one in found if one["by_bot"] and not one["ephemeral"])["blocks"])

    async def whispered(self, channel: str = TRAINING, count: int = 1) -> list[Message]:
        """Wait for what one person alone is told."""

        async def look() -> list[Message]:
            messages = self.slack.platform.workspace.channels[channel].messages.values()
            return [one for one in messages if one.ephemeral_to]

        return await until(look, lambda all_: len(all_) >= count)


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    """The bot for one cluster and two channels."""
    platform = assemble(load(MANIFEST), rates=Rates(enabled=False))
    async with LocalSlack(platform) as slack, aiohttp.ClientSession() as session:
        token = platform.identity.bot_token
        client = AsyncWebClient(token=token, base_url=slack.api, session=session)
        app = AsyncApp(client=client, request_verification_enabled=False)
        async with answering(app, tmp_path) as store:
            handler = AsyncSocketModeHandler(app, platform.identity.app_token)
            await handler.connect_async()  # type: ignore[no-untyped-call]  # untyped in Bolt
            yield Room(slack, Hands(slack, session), store)
            await handler.close_async()  # type: ignore[no-untyped-call]  # untyped in Bolt


async def test_a_pasted_log_is_diagnosed_in_its_thread(room: Room) -> None:
    """Its person is told at once; code fences and escapes are not part of the log."""
    ts = await room.paste(f"what is this?\n```{OOM}```")
    await room.choose(ts)

    said = await room.answer(ts)
    assert "Tried to allocate 2.00 GiB" in said
    assert "memory" in said
    assert RESEARCHER in said
    [whisper] = await room.whispered()
    assert "comes into the message's thread" in whisper.text


async def test_uploaded_files_are_read_each_by_its_name(room: Room) -> None:
    """A file of Windows too; what is no text is said to be none."""
    ts = await room.upload(
        {"shot.png": b"\x89PNG", "core.bin": b"\0" * 9, "train.log": OOM.encode("utf-16")}
    )
    await room.choose(ts)

    said = await room.answer(ts)
    assert "train.log" in said
    assert "Tried to allocate 2.00 GiB" in said
    assert said.count("is no text") == 2


async def test_a_log_in_a_thread_is_answered_in_that_thread(room: Room) -> None:
    """A reply has no thread of its own."""
    root = await room.paste("look below")
    ts = await room.upload({"train.log": OOM.encode()}, thread_ts=root)
    await room.choose(ts)
    assert "Tried to allocate" in await room.answer(root)


async def test_what_another_bot_attached_is_read(room: Room) -> None:
    """Its text alone would say nothing."""
    attachment = {"title": "train.log", "text": OOM, "fallback": "a log"}
    message = Message(
        ts=room.slack.platform.workspace.clock.ts(),
        channel=TRAINING,
        user=ADMIN,
        text="job failed",
        attachments=[attachment],
    )
    room.slack.platform.workspace.add(message)
    await room.choose(message.ts)
    assert "Tried to allocate" in await room.answer(message.ts)


async def test_a_healthy_text_is_not_accused(room: Room) -> None:
    """And what was read is named."""
    ts = await room.paste("iteration 10/100 | loss 2.1\niteration 20/100 | loss 2.0")
    await room.choose(ts)
    said = await room.answer(ts)
    assert "Nothing in this text looks like a failure." in said
    assert "the message" in said


async def test_where_the_bot_is_not_its_person_alone_is_answered(room: Room) -> None:
    """By the response URL, which works everywhere; a file there cannot be read, and why."""
    ts = await room.paste(OOM, GENERAL)
    await room.choose(ts, GENERAL)
    [whisper] = await room.whispered(GENERAL)
    assert "Tried to allocate" in str(whisper.blocks)

    ts = await room.upload({"train.log": OOM.encode()}, GENERAL)
    await room.choose(ts, GENERAL)
    whisper = (await room.whispered(GENERAL, 2))[-1]
    assert "sees files of its channels alone" in str(whisper.blocks)
    assert not [
        call for call in room.slack.platform.traffic.since(0) if call.method == "chat.postMessage"
    ]


async def test_a_channel_that_the_rules_do_not_name_is_not_written_into(room: Room) -> None:
    """The bot may have been invited by anybody."""
    room.slack.platform.workspace.channels[GENERAL].members.add(room.slack.platform.bot)
    ts = await room.paste(OOM, GENERAL)
    await room.choose(ts, GENERAL)
    [whisper] = await room.whispered(GENERAL)
    assert "Tried to allocate" in str(whisper.blocks)


async def test_who_is_on_no_list_is_refused(room: Room) -> None:
    """Nothing is read for them, and they are told who can change that."""
    ts = await room.upload({"train.log": OOM.encode()})
    await room.choose(ts, user=OUTSIDER)
    [whisper] = await room.whispered()
    assert whisper.ephemeral_to == OUTSIDER
    assert "not on the list" in whisper.text
    assert not room.slack.platform.traffic.since(0, "download")


@pytest.mark.parametrize(
    ("files", "said"),
    [({"empty.log": b""}, "is empty"), ({"a.png": b"\x89PNG"}, "is no text")],
)
async def test_what_cannot_be_read_is_said_with_what_to_do(
    room: Room, files: dict[str, bytes], said: str
) -> None:
    """In the thread, where the file is."""
    ts = await room.upload(files)
    await room.choose(ts)
    answer = await room.answer(ts)
    assert said in answer
    assert "Paste the log as text" in answer


async def test_a_message_without_a_word_is_said_to_be_so(room: Room) -> None:
    """An empty block is all that a bot sent."""
    ts = room.slack.platform.workspace.clock.ts()
    room.slack.platform.workspace.add(Message(ts=ts, channel=TRAINING, user=ADMIN, text=""))
    await room.choose(ts)
    assert "holds no text" in await room.answer(ts)


async def test_a_token_in_a_pasted_log_is_neither_kept_nor_repeated(room: Room) -> None:
    """Its owner learns that it must be revoked."""
    ts = await room.paste(f"export HF_TOKEN={TOKEN}\n{OOM}")
    await room.choose(ts)
    said = await room.answer(ts)
    assert "a Hugging Face token" in said
    assert "huggingface.co/settings/tokens" in said
    assert TOKEN not in said
    assert not [act for act in await room.store.open_acts() if TOKEN in act.text]


async def test_more_than_is_read_is_refused_by_its_size(room: Room) -> None:
    """Whether Slack tells the size or not; the rest of the message is read all the same."""
    ts = await room.upload({"big.log": b"x" * 10, "train.log": OOM.encode()})
    files = room.slack.platform.workspace.files
    next(one for one in files.values() if one.name == "big.log").size = MOST + 1
    await room.choose(ts)
    said = await room.answer(ts)
    assert "is too big" in said
    assert "Tried to allocate" in said


async def test_a_slack_that_does_not_give_a_file_is_named(room: Room) -> None:
    """The person can choose again."""
    room.slack.platform.faults.add({"method": "download", "action": "500", "times": 1})
    ts = await room.upload({"train.log": OOM.encode()})
    await room.choose(ts)
    assert "Slack answered 500" in await room.answer(ts)


@pytest.mark.parametrize(
    ("url", "api", "trusts"),
    [
        ("https://files.slack.com/files-pri/T1-F1/a.log", "https://slack.com/api/", True),
        ("https://slack.com/files-pri/T1-F1/a.log", "https://www.slack.com/api/", False),
        ("https://files.slack.com/a", "https://www.slack.com/api/", True),
        ("https://files.slack-gov.com/a", "https://slack-gov.com/api/", True),
        ("http://files.slack.com/a", "https://slack.com/api/", False),
        ("https://files.slack.com.evil.org/a", "https://slack.com/api/", False),
        ("https://evil.org/files.slack.com", "https://slack.com/api/", False),
        ("https://files.slack.com@evil.org/a", "https://slack.com/api/", False),
        ("https://evil.org\\@files.slack.com/a", "https://slack.com/api/", False),
        ("https://files.slack.com:444/a", "https://slack.com/api/", False),
        ("http://127.0.0.1:8000/files-pri/a", "http://127.0.0.1:8000/api/", True),
        ("http://127.0.0.1:8001/files-pri/a", "http://127.0.0.1:8000/api/", False),
        ("", "https://slack.com/api/", False),
    ],
)
def test_the_token_goes_to_slacks_own_hosts_alone(url: str, api: str, *, trusts: bool) -> None:
    """A payload is not to be believed where the bot's token is to be sent."""
    assert trusted(url, api) is trusts


async def test_a_file_elsewhere_and_a_redirect_never_see_the_token() -> None:
    """Neither is asked."""
    asked: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        asked.append(request.path)
        return web.Response(status=302, headers={"Location": "/elsewhere"})

    app = web.Application()
    app.router.add_get("/{any:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    here = f"http://127.0.0.1:{runner.addresses[0][1]}"
    there = Attached(name="a", url=f"{here}/files/a")
    try:
        async with aiohttp.ClientSession() as session:
            for api in (f"{here}/api/", "https://slack.com/api/"):
                with pytest.raises(FileRefused):
                    async for _ in fetch(there, session=session, token="t", api_url=api):  # noqa: S106
                        pass
    finally:
        await runner.cleanup()
    assert asked == ["/files/a"]


async def test_a_second_delivery_is_the_same_act(room: Room) -> None:
    """One answer stands in the thread."""
    room.slack.platform.faults.duplicates = 1
    ts = await room.paste(OOM)
    await room.choose(ts)
    await room.answer(ts)
    replies: list[dict[str, Any]] = await room.hands.messages(TRAINING, thread_ts=ts)
    assert len([one for one in replies if one["by_bot"] and not one["ephemeral"]]) == 1
