"""table and data_table blocks: their grid and what is counted over all cells."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bot.demo.slack.validate.rich_text import RICH_TEXT
from bot.demo.slack.validate.shape import (
    Place,
    anything,
    array,
    boolean,
    both,
    integer,
    number,
    one_of,
    record,
    string,
    tagged,
)

MOST_IN_TABLE = 10_000
MOST_IN_DATA_TABLE = 20_000


def _cell(value: Any, place: Place) -> None:
    tagged(
        {
            "raw_text": record({"type": anything, "text": string(1)}),
            "raw_number": record({"type": anything, "value": number, "text": string(1)}),
            "rich_text": RICH_TEXT,
        }
    )(value, place)


def _even_rows(value: Any, place: Place) -> None:
    rows = value.get("rows") if isinstance(value, dict) else None
    if not isinstance(rows, list):
        return
    widths = {len(row) for row in rows if isinstance(row, list)}
    if len(widths) > 1:
        place.at("rows").say("all rows must have the same number of columns")


def strings(tree: Any) -> Iterator[str]:
    """Every text in a tree."""
    if isinstance(tree, dict):
        for name, value in tree.items():
            if name == "text" and isinstance(value, str):
                yield value
            else:
                yield from strings(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from strings(value)


def characters(tree: Any) -> int:
    """How many characters all texts in a tree have."""
    return sum(map(len, strings(tree)))


TABLE = both(
    record(
        {"type": anything, "rows": array(array(_cell, 1, 20), 1, 100)},
        {
            "block_id": string(1, 255),
            "column_settings": array(
                record({}, {"align": one_of("left", "center", "right"), "is_wrapped": boolean}),
                0,
                20,
            ),
        },
    ),
)

DATA_TABLE = both(
    record(
        {
            "type": anything,
            "rows": array(array(_cell, 1, 20), 2, 201),
            "caption": string(1),
        },
        {
            "block_id": string(1, 255),
            "page_size": integer(1, 100),
            "row_header_column_index": integer(0),
        },
    ),
    _even_rows,
)
