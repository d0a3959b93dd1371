"""Card → the `text` and `blocks` of a Slack message."""

from __future__ import annotations

from typing import Any

from bot.card import (
    Bullets,
    Button,
    Card,
    Excerpt,
    Fact,
    Paragraph,
    Part,
    Pick,
    Table,
    Text,
    Tone,
    plain,
)
from handlers.blocks.text import Json, clip, elements, escape, mrkdwn, plain_text

MESSAGE_TEXT = 9_500
"""Characters over all blocks. Slack refuses near 12,000 (`msg_blocks_too_long`), undocumented."""
EXCERPT_LEAST = 400
TABLE_ROWS = 99
CELL = 200

SIGNS = {
    Tone.ASKING: "grey_question",
    Tone.WAITING: "hourglass_flowing_sand",
    Tone.WORKING: "large_blue_circle",
    Tone.DONE: "white_check_mark",
    Tone.FAILED: "x",
    Tone.STOPPED: "black_square_for_stop",
    Tone.TROUBLE: "warning",
}


def render(card: Card) -> Json:
    """Return `{"text", "blocks"}`; the text is what notifications and screen readers get."""
    card = fit(card)
    blocks: list[Json] = []
    if card.title:
        blocks.append({"type": "header", "text": plain_text(card.title, 150)})
    blocks.append(_rich([_section(_lead(card))]))
    if card.facts:
        blocks.append(_rich([_section(_facts(card.facts))]))
    blocks += [_part(part) for part in card.parts]
    controls = _controls(card.buttons, card.pick)
    if controls:
        blocks.append({"type": "actions", "elements": controls})
    if card.foot:
        blocks.append(_foot(card.foot))
    return {"text": fallback(card), "blocks": blocks}


def fallback(card: Card) -> str:
    """Return the one line that a notification shows."""
    words = plain(card.lead)
    if card.title:
        words = f"{card.title}: {words}"
    return escape(clip(words, 300))


def fit(card: Card) -> Card:
    """Return a card whose text Slack accepts: long excerpts lose their beginning first."""
    spare = MESSAGE_TEXT - (_size(card) - sum(_excerpt_size(p) for p in card.parts))
    parts: list[Part] = []
    for part in card.parts:
        if isinstance(part, Excerpt):
            allowed = max(EXCERPT_LEAST, spare)
            spare -= min(allowed, len(part.text))
            parts.append(part.model_copy(update={"text": _last(part.text, allowed)}))
        else:
            parts.append(part)
    return card.model_copy(update={"parts": tuple(parts)})


def _last(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    kept = text[-limit + 40 :]
    kept = kept[kept.find("\n") + 1 :] if "\n" in kept else kept
    dropped = text.count("\n") - kept.count("\n")
    return f"… {dropped} more lines above\n{kept}" if dropped else f"…{kept}"


def _excerpt_size(part: Part) -> int:
    return len(part.text) if isinstance(part, Excerpt) else 0


def _size(card: Card) -> int:
    return len(card.model_dump_json(exclude={"buttons", "pick"}))


def _lead(card: Card) -> list[Json]:
    words = elements(card.lead)
    sign = SIGNS.get(card.tone)
    if sign is None:
        return words
    return [{"type": "emoji", "name": sign}, {"type": "text", "text": " "}, *words]


def _facts(facts: tuple[Fact, ...]) -> list[Json]:
    out: list[Json] = []
    for fact in facts:
        line_end = [{"type": "text", "text": "\n"}] if out else []
        label = {"type": "text", "text": f"{fact.label}  ", "style": {"bold": True}}
        out += [*line_end, label, *elements(fact.value)]
    return out


def _part(part: Part) -> Json:
    match part:
        case Paragraph(text=text):
            return _rich([_section(elements(text))])
        case Excerpt(caption=caption, text=text):
            body: Json = {"type": "rich_text_preformatted", "elements": elements((text or " ",))}
            return _rich([*([_section(elements(caption))] if caption else []), body])
        case Bullets(items=items):
            rows = [_section(elements(item)) for item in items]
            return _rich([{"type": "rich_text_list", "style": "bullet", "elements": rows}])
        case Table():
            return _table(part)


def _table(table: Table) -> Json:
    shown = (table.head, *table.rows[:TABLE_ROWS])
    return {
        "type": "table",
        "column_settings": [{"is_wrapped": True} for _ in table.head],
        "rows": [[_cell(words) for words in row] for row in shown],
    }


def _cell(words: str) -> Json:
    return {"type": "raw_text", "text": clip(words, CELL)}


def _controls(buttons: tuple[Button, ...], pick: Pick | None) -> list[Json]:
    return [*([_pick(pick)] if pick else []), *(_button(button) for button in buttons)]


def _button(button: Button) -> Json:
    block: Json = {
        "type": "button",
        "action_id": button.action,
        "text": plain_text(button.label, 75),
        "value": button.value,
    }
    if button.style:
        block["style"] = button.style
    if button.confirm:
        block["confirm"] = {
            "title": plain_text(button.label, 100),
            "text": plain_text(button.confirm, 300),
            "confirm": plain_text(button.label, 30),
            "deny": plain_text("Back", 30),
        }
    return block


def _pick(pick: Pick) -> Json:
    return {
        "type": "static_select",
        "action_id": pick.action,
        "placeholder": plain_text(pick.placeholder, 150),
        "options": [
            {"text": plain_text(choice.label, 75), "value": choice.value}
            for choice in pick.choices[:100]
        ],
    }


def _foot(lines: tuple[Text, ...]) -> Json:
    return {
        "type": "context",
        "elements": [{"type": "mrkdwn", "text": clip(mrkdwn(line), 2_000)} for line in lines[:10]],
    }


def _rich(parts: list[Json]) -> Json:
    return {"type": "rich_text", "elements": parts}


def _section(parts: list[Any]) -> Json:
    return {"type": "rich_text_section", "elements": parts or [{"type": "text", "text": " "}]}
