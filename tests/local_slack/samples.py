"""A sound example of each type of block, and small parts to build others from."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def plain(text: str) -> Json:
    """A plain_text object."""
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str) -> Json:
    """A mrkdwn object."""
    return {"type": "mrkdwn", "text": text}


def section(text: str = "words", **more: Any) -> Json:
    """A section."""
    return {"type": "section", "text": mrkdwn(text), **more}


def button(action_id: str = "go", **more: Any) -> Json:
    """A button."""
    return {"type": "button", "action_id": action_id, "text": plain("Go"), **more}


def actions(*elements: Json, **more: Any) -> Json:
    """An actions block."""
    return {"type": "actions", "elements": list(elements), **more}


def option(value: str) -> Json:
    """An option of a select."""
    return {"text": plain(f"Option {value}"), "value": value}


def select(*values: str, **more: Any) -> Json:
    """A static select."""
    options = [option(one) for one in values]
    return {"type": "static_select", "action_id": "pick", "options": options, **more}


def entry(block_id: str, element: Json, **more: Any) -> Json:
    """An input block."""
    return {
        "type": "input",
        "block_id": block_id,
        "label": plain("Field"),
        "element": element,
        **more,
    }


def typed(action_id: str = "words", **more: Any) -> Json:
    """A text field."""
    return {"type": "plain_text_input", "action_id": action_id, **more}


def rich(*elements: Json) -> Json:
    """A rich_text block."""
    return {"type": "rich_text", "elements": list(elements)}


def paragraph(*elements: Json) -> Json:
    """A rich_text_section."""
    return {"type": "rich_text_section", "elements": list(elements)}


def words(text: str) -> Json:
    """A piece of rich text."""
    return {"type": "text", "text": text}


def modal(*blocks: Json, **more: Any) -> Json:
    """A modal."""
    return {
        "type": "modal",
        "title": plain("Form"),
        "submit": plain("Send"),
        "blocks": list(blocks),
        **more,
    }


def home(*blocks: Json) -> Json:
    """A Home tab."""
    return {"type": "home", "blocks": list(blocks)}


def cell(text: str = "x") -> Json:
    """A cell of a table."""
    return {"type": "raw_text", "text": text}


IMAGE = {"type": "image", "image_url": "https://example.org/a.png", "alt_text": "a curve"}
TASK = {"type": "task_card", "task_id": "1", "title": "Build", "status": "in_progress"}
CARD = {"type": "card", "title": mrkdwn("Card"), "actions": [button()]}

BLOCKS: dict[str, Json] = {
    "actions": actions(button(), select("a", "b")),
    "alert": {"type": "alert", "text": plain("Careful"), "level": "warning"},
    "card": CARD,
    "carousel": {"type": "carousel", "elements": [CARD, CARD]},
    "container": {"type": "container", "title": plain("Box"), "child_blocks": [section()]},
    "context": {"type": "context", "elements": [mrkdwn("small"), IMAGE]},
    "context_actions": {
        "type": "context_actions",
        "elements": [
            {
                "type": "feedback_buttons",
                "action_id": "fb",
                "positive_button": {"text": plain("Good"), "value": "up"},
                "negative_button": {"text": plain("Bad"), "value": "down"},
            }
        ],
    },
    "data_table": {
        "type": "data_table",
        "caption": "Nodes",
        "rows": [[cell("node")], [cell("a3m-0")]],
    },
    "divider": {"type": "divider"},
    "file": {"type": "file", "external_id": "1", "source": "remote"},
    "header": {"type": "header", "text": plain("Title")},
    "image": IMAGE,
    "input": entry("name", typed()),
    "markdown": {"type": "markdown", "text": "**bold**"},
    "plan": {"type": "plan", "title": "Steps", "tasks": [{**TASK, "status": "pending"}]},
    "rich_text": rich(
        paragraph(words("hello")),
        {"type": "rich_text_preformatted", "elements": [words("log line")]},
        {"type": "rich_text_list", "style": "bullet", "elements": [paragraph(words("item"))]},
        {"type": "rich_text_quote", "elements": [words("said")]},
    ),
    "section": section("text", fields=[mrkdwn("*a*"), plain("b")], accessory=button()),
    "table": {"type": "table", "rows": [[cell(), {"type": "raw_number", "value": 1, "text": "1"}]]},
    "task_card": TASK,
    "video": {
        "type": "video",
        "video_url": "https://example.org/v",
        "thumbnail_url": "https://example.org/t.png",
        "alt_text": "film",
        "title": plain("Film"),
    },
}
