"""A channel with a bit of everything in it, as a job bot would leave it."""

from __future__ import annotations

import struct
import zlib
from typing import Any

from bot.demo.slack.workspace import RESEARCHER, TRAINING
from tests.browser.conftest import Stage
from tests.local_slack.samples import (
    BLOCKS,
    actions,
    button,
    cell,
    mrkdwn,
    option,
    plain,
    rich,
    section,
    select,
    words,
)

Json = dict[str, Any]

CONFIRM: Json = {
    "title": plain("Cancel job 75?"),
    "text": mrkdwn("It has run for *2 hours* on 16 GPUs."),
    "confirm": plain("Cancel Job"),
    "deny": plain("Keep Running"),
    "style": "danger",
}

JOB: list[Json] = [
    {"type": "header", "text": plain("llama3p1_2b_pt · job 75")},
    section(
        "*Running* on `a3m`, 2 nodes × 8 GPUs :large_green_circle:",
        fields=[
            mrkdwn("*Step*\n1,200 of 5,000"),
            mrkdwn("*Loss*\n2.413"),
            mrkdwn("*Ends*\n<!date^1900000000^{date_short_pretty} {time}|in 2030>"),
            mrkdwn(f"*Owner*\n<@{RESEARCHER}>"),
        ],
    ),
    {
        "type": "context",
        "elements": [mrkdwn("Submitted 2 minutes ago · <https://example.org|dashboard>")],
    },
    actions(
        {**button("logs", value="75"), "text": plain("Show Logs")},
        {
            **button("cancel", value="75", style="danger", confirm=CONFIRM),
            "text": plain("Cancel Job"),
        },
        select("a3m", "a3u", placeholder=plain("Another partition")),
        {"type": "overflow", "action_id": "more", "options": [option("pin"), option("mute")]},
    ),
]

LOG = "step 1 loss 3.21\nstep 2 loss 3.10\nOSError: [Errno 18] Invalid cross-device link <!channel>"

NODES: Json = {
    "type": "table",
    "rows": [
        [cell("Partition"), cell("Nodes"), cell("Free")],
        [cell("a3m"), cell("2"), cell("1")],
        [cell("a3u"), cell("2"), cell("0")],
    ],
    "column_settings": [{"is_wrapped": True}, {"align": "right"}, {"align": "right"}],
}


def curve(width: int = 420, height: int = 180) -> bytes:
    """A PNG of a falling line."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        tail = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + tail

    rows = []
    for y in range(height):
        line = bytearray(b"\xff" * (3 * width))
        for x in range(width):
            if abs(y - (20 + (height - 40) * (1 - 40 / (x + 40)))) < 2:
                line[3 * x : 3 * x + 3] = b"\x12\x64\xa3"
        rows.append(b"\0" + bytes(line))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(b"".join(rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


async def furnish(stage: Stage) -> str:
    """Fill #training; answers the ts of the job's message."""
    client = stage.client
    await stage.hands.do(
        "message",
        user_id=RESEARCHER,
        channel_id=TRAINING,
        text="how is *llama* doing on `a3m`? <script>alert(1)</script>",
    )
    root = str((await client.chat_postMessage(channel=TRAINING, text="job 75", blocks=JOB))["ts"])
    await client.chat_update(channel=TRAINING, ts=root, text="job 75", blocks=JOB)
    await client.chat_postMessage(
        channel=TRAINING, thread_ts=root, text="Started on `alice-a3m-0` and `alice-a3m-1`"
    )
    log = rich({"type": "rich_text_preformatted", "elements": [words(LOG)]})
    await client.chat_postMessage(channel=TRAINING, thread_ts=root, text="log", blocks=[log])
    await client.files_upload_v2(
        channel=TRAINING,
        thread_ts=root,
        filename="loss.png",
        title="Loss of job 75",
        content=curve(),
    )
    await client.chat_postMessage(
        channel=TRAINING, text="nodes", blocks=[NODES, BLOCKS["plan"], BLOCKS["task_card"]]
    )
    await client.files_upload_v2(
        channel=TRAINING, filename="log.txt", title="Log of job 75", content=LOG
    )
    await client.reactions_add(channel=TRAINING, timestamp=root, name="eyes")
    await client.chat_postEphemeral(
        channel=TRAINING, user=RESEARCHER, text="There is no partition *a4x*. Did you mean `a3u`?"
    )
    return root
