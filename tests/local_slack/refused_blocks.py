"""Blocks and modals that break one rule each."""

from __future__ import annotations

from tests.local_slack.reasons import at_most, extra, items, kind, missing
from tests.local_slack.samples import (
    BLOCKS,
    CARD,
    IMAGE,
    TASK,
    Json,
    actions,
    button,
    cell,
    entry,
    home,
    modal,
    mrkdwn,
    paragraph,
    plain,
    rich,
    section,
    typed,
    words,
)

#: single blocks
SINGLE: tuple[tuple[str, Json, str, str], ...] = (
    ("empty text", section(""), "/text/text", "must be more than 0 characters"),
    ("long text", section("x" * 3001), "/text/text", at_most(3000)),
    ("long field", section(fields=[mrkdwn("x" * 2001)]), "/fields/0/text", at_most(2000)),
    ("11 fields", section(fields=[mrkdwn("x")] * 11), "/fields", items(10)),
    ("nothing in a section", {"type": "section"}, "", missing("text or fields")),
    ("text that is a string", {"type": "section", "text": "x"}, "/text", "must provide an object"),
    (
        "text of a number",
        {"type": "section", "text": {"type": "mrkdwn", "text": 5}},
        "/text/text",
        "must provide a string",
    ),
    ("header in mrkdwn", {"type": "header", "text": mrkdwn("x")}, "/text/type", kind("mrkdwn")),
    ("long header", {"type": "header", "text": plain("x" * 151)}, "/text/text", at_most(150)),
    (
        "emoji in mrkdwn",
        {"type": "section", "text": {**mrkdwn("x"), "emoji": True}},
        "/text",
        extra("emoji"),
    ),
    ("no type", {"text": plain("x")}, "", missing("type")),
    ("unknown type", {"type": "nonsense"}, "/type", kind("nonsense")),
    ("long block id", section(block_id="x" * 256), "/block_id", at_most(255)),
    (
        "twin action ids",
        actions(button(), button()),
        "/elements/1/action_id",
        "`action_id` already exists in this block",
    ),
    ("26 elements", actions(*(button(str(n)) for n in range(26))), "/elements", items(25)),
    ("no elements", actions(), "/elements", "no fewer than 1 items allowed"),
    ("button in an input", entry("a", button()), "/element/type", kind("button")),
    ("mrkdwn label", {**entry("a", typed()), "label": mrkdwn("x")}, "/label/type", kind("mrkdwn")),
    ("11 in a context", {"type": "context", "elements": [plain("x")] * 11}, "/elements", items(10)),
    (
        "button in a context",
        {"type": "context", "elements": [button()]},
        "/elements/0/type",
        kind("button"),
    ),
    (
        "image without alt text",
        {"type": "image", "image_url": "https://example.org/a.png"},
        "",
        missing("alt_text"),
    ),
    (
        "image twice",
        {**IMAGE, "slack_file": {"id": "F1"}},
        "",
        "must provide exactly one of: image_url, slack_file",
    ),
    (
        "image from a path",
        {**IMAGE, "image_url": "/tmp/a.png"},
        "/image_url",
        "must be a valid url",
    ),
    ("long markdown", {"type": "markdown", "text": "x" * 12001}, "/text", at_most(12000)),
    ("101 rows", {"type": "table", "rows": [[cell()]] * 101}, "/rows", items(100)),
    ("21 columns", {"type": "table", "rows": [[cell()] * 21]}, "/rows/0", items(20)),
    (
        "cell of mrkdwn",
        {"type": "table", "rows": [[mrkdwn("x")]]},
        "/rows/0/0/type",
        kind("mrkdwn"),
    ),
    (
        "data table of a header",
        {**BLOCKS["data_table"], "rows": [[cell()]]},
        "/rows",
        "no fewer than 2 items allowed",
    ),
    (
        "ragged data table",
        {**BLOCKS["data_table"], "rows": [[cell()], [cell(), cell()]]},
        "/rows",
        "all rows must have the same number of columns",
    ),
    (
        "page of 101",
        {**BLOCKS["data_table"], "page_size": 101},
        "/page_size",
        "must be less than or equal to 100",
    ),
    (
        "4 card actions",
        {**CARD, "actions": [button(str(n)) for n in range(4)]},
        "/actions",
        items(3),
    ),
    ("long card body", {**CARD, "body": mrkdwn("x" * 201)}, "/body/text", at_most(200)),
    ("11 cards", {"type": "carousel", "elements": [CARD] * 11}, "/elements", items(10)),
    (
        "11 in a container",
        {**BLOCKS["container"], "child_blocks": [section()] * 11},
        "/child_blocks",
        items(10),
    ),
    (
        "container in itself",
        {**BLOCKS["container"], "child_blocks": [BLOCKS["container"]]},
        "/child_blocks/0/type",
        kind("container"),
    ),
    ("51 tasks", {**BLOCKS["plan"], "tasks": [TASK] * 51}, "/tasks", items(50)),
    (
        "task state",
        {**TASK, "status": "done"},
        "/status",
        "must be one of: pending, in_progress, complete, error",
    ),
    (
        "pending alone",
        {**TASK, "status": "pending"},
        "/status",
        "pending is only allowed within a plan",
    ),
    (
        "6 context actions",
        {
            "type": "context_actions",
            "elements": [
                {"type": "icon_button", "icon": "trash", "action_id": str(n), "text": plain("x")}
                for n in range(6)
            ],
        },
        "/elements",
        items(5),
    ),
    (
        "icon",
        {
            "type": "context_actions",
            "elements": [{"type": "icon_button", "icon": "rocket", "text": plain("x")}],
        },
        "/elements/0/icon",
        "must be one of: trash",
    ),
    (
        "local file block",
        {"type": "file", "external_id": "1", "source": "local"},
        "/source",
        "must be one of: remote",
    ),
    (
        "long video title",
        {**BLOCKS["video"], "title": plain("x" * 201)},
        "/title/text",
        at_most(200),
    ),
    (
        "empty rich text",
        rich(paragraph(words(""))),
        "/elements/0/elements/0/text",
        "must be more than 0 characters",
    ),
    (
        "mention in a log",
        rich({"type": "rich_text_preformatted", "elements": [{"type": "user", "user_id": "U123"}]}),
        "/elements/0/elements/0/type",
        kind("user"),
    ),
    (
        "style of rich text",
        rich(paragraph({**words("x"), "style": {"bold": "yes"}})),
        "/elements/0/elements/0/style/bold",
        "must provide a boolean",
    ),
    (
        "list style",
        rich({"type": "rich_text_list", "style": "square", "elements": []}),
        "/elements/0/style",
        "must be one of: bullet, ordered",
    ),
    (
        "deep list",
        rich({"type": "rich_text_list", "style": "bullet", "indent": 9, "elements": []}),
        "/elements/0/indent",
        "must be less than or equal to 8",
    ),
    ("text in a rich text", rich(words("x")), "/elements/0/type", kind("text")),
    (
        "range",
        rich(paragraph({"type": "broadcast", "range": "all"})),
        "/elements/0/elements/0/range",
        "must be one of: here, channel, everyone",
    ),
    (
        "file input in a message",
        entry("f", {"type": "file_input", "action_id": "f"}),
        "/element",
        "file_input is only allowed in modals",
    ),
)

#: several blocks together
TOGETHER: tuple[tuple[str, list[Json], str, str], ...] = (
    ("51 blocks", [section()] * 51, "/blocks", items(50)),
    (
        "twin block ids",
        [section(block_id="a"), section(block_id="a")],
        "/blocks/1/block_id",
        "`block_id` already exists",
    ),
    (
        "markdown in all",
        [{"type": "markdown", "text": "x" * 6001}] * 2,
        "/blocks",
        "all markdown blocks must be less than 12001 characters",
    ),
    ("two tables", [BLOCKS["table"], BLOCKS["table"]], "/blocks/1", "only_one_table_allowed"),
    (
        "large table",
        [{"type": "table", "rows": [[cell("x" * 101)]] * 100}],
        "/blocks",
        "all cells of table blocks must be less than 10001 characters",
    ),
    (
        "large data table",
        [{**BLOCKS["data_table"], "rows": [[cell("x" * 101)]] * 200}],
        "/blocks",
        "all cells of data_table blocks must be less than 20001 characters",
    ),
    (
        "two in focus",
        [entry("a", typed(focus_on_load=True)), entry("b", typed(focus_on_load=True))],
        "/blocks/1/element",
        "only one element may have focus_on_load",
    ),
)

#: modals
VIEWS: tuple[tuple[str, Json, str, str], ...] = (
    ("no title", {"type": "modal", "blocks": []}, "", missing("title")),
    ("long title", modal(title=plain("x" * 25)), "/title/text", at_most(24)),
    ("long submit", modal(submit=plain("x" * 25)), "/submit/text", at_most(24)),
    ("long close", modal(close=plain("x" * 25)), "/close/text", at_most(24)),
    (
        "inputs without submit",
        {"type": "modal", "title": plain("x"), "blocks": [entry("a", typed())]},
        "",
        missing("submit"),
    ),
    ("private metadata", modal(private_metadata="x" * 3001), "/private_metadata", at_most(3000)),
    (
        "metadata as an object",
        modal(private_metadata={"a": 1}),
        "/private_metadata",
        "must provide a string",
    ),
    ("callback id", modal(callback_id="x" * 256), "/callback_id", at_most(255)),
    ("101 blocks", modal(*[section()] * 101), "/blocks", items(100)),
    ("unknown key", modal(colour="red"), "", extra("colour")),
    ("a home as a modal", home(section()), "/type", kind("home")),
    ("a block inside", modal(section("")), "/blocks/0/text/text", "must be more than 0 characters"),
    (
        "workflow button",
        modal(
            actions(
                {
                    "type": "workflow_button",
                    "action_id": "w",
                    "text": plain("x"),
                    "workflow": {"trigger": {"url": "https://example.org"}},
                }
            )
        ),
        "/blocks/0/elements/0",
        "workflow_button is only allowed in messages",
    ),
)
