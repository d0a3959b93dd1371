"""Card → the `text` and `blocks` of a Slack message."""

from __future__ import annotations

from collections.abc import Iterator
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
from handlers.blocks.fit import fit
from handlers.blocks.text import Json, clip, elements, line, mrkdwn, plain_text, straight

CELL = 200
OPTION_VALUE = 150
"""Characters Slack takes as the value of an option; a longer one cannot be chosen."""

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
    card = fit(card, _size)
    return {"text": fallback(card), "blocks": _blocks(card)}


def _size(card: Card) -> int:
    return sum(map(len, _texts(_blocks(card))))


def _texts(tree: Any) -> Iterator[str]:
    """Every text that a message with these blocks shows."""
    if isinstance(tree, dict):
        for name, value in tree.items():
            if name == "text" and isinstance(value, str):
                yield value
            else:
                yield from _texts(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from _texts(value)


def _blocks(card: Card) -> list[Json]:
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
    return blocks


def fallback(card: Card) -> str:
    """Return what a notification shows; never blank, as Slack's SDK warns of that."""
    lead = card.lead if plain(card.lead).strip() else ("…",)
    return line((f"{card.title}: ", *lead) if card.title else lead, 300)


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
        label = {"type": "text", "text": f"{straight(fact.label)}  ", "style": {"bold": True}}
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
    shown = (table.head, *table.rows)
    return {
        "type": "table",
        "column_settings": [{"is_wrapped": True} for _ in table.head],
        "rows": [[_cell(words) for words in row] for row in shown],
    }


def _cell(words: str) -> Json:
    return {"type": "raw_text", "text": clip(words, CELL)}


def _controls(buttons: tuple[Button, ...], pick: Pick | None) -> list[Json]:
    picks = [_pick(pick)] if pick and any(_options(pick)) else []
    return [*picks, *(_button(button) for button in buttons)]


def _button(button: Button) -> Json:
    """Return a button; one that hurts asks in red, so that a message emphasises at most one."""
    block: Json = {
        "type": "button",
        "action_id": button.action,
        "text": plain_text(button.label, 75),
        "value": button.value,
    }
    if button.style == "primary":
        block["style"] = "primary"
    if button.confirm:
        block["confirm"] = _question(button)
    return block


def _question(button: Button) -> Json:
    question: Json = {
        "title": plain_text(button.label, 100),
        "text": plain_text(button.confirm, 300),
        "confirm": plain_text(button.label, 30),
        "deny": plain_text("Back", 30),
    }
    return {**question, "style": "danger"} if button.style == "danger" else question


def _pick(pick: Pick) -> Json:
    return {
        "type": "static_select",
        "action_id": pick.action,
        "placeholder": plain_text(pick.placeholder, 150),
        "options": list(_options(pick)),
    }


def _options(pick: Pick) -> Iterator[Json]:
    """Yield what can be chosen; a select without anything is refused by Slack."""
    for choice in pick.choices:
        if len(choice.value) <= OPTION_VALUE:
            yield {"text": plain_text(choice.label, 75), "value": choice.value}


def _foot(lines: tuple[Text, ...]) -> Json:
    # Verbatim: Slack looks for no names, mentions or links in what is plain text.
    return {
        "type": "context",
        "elements": [
            {"type": "mrkdwn", "text": clip(mrkdwn(line), 2_500), "verbatim": True}
            for line in lines[:10]
        ],
    }


def _rich(parts: list[Json]) -> Json:
    return {"type": "rich_text", "elements": parts}


def _section(parts: list[Any]) -> Json:
    return {"type": "rich_text_section", "elements": parts or [{"type": "text", "text": " "}]}
