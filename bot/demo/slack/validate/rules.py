"""Rules over all blocks of a surface: ids that repeat, things there may be only so many of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from bot.demo.slack.model import Json
from bot.demo.slack.validate.blocks import Surface
from bot.demo.slack.validate.shape import Place
from bot.demo.slack.validate.tables import MOST_IN_DATA_TABLE, MOST_IN_TABLE, characters

MOST_MARKDOWN = 12_000
Rule = Callable[[list[Json], Surface, Place], None]


def _repeated_block_ids(blocks: list[Json], _surface: Surface, place: Place) -> None:
    seen: set[str] = set()
    for index, block in enumerate(blocks):
        block_id = block.get("block_id")
        if isinstance(block_id, str) and block_id in seen:
            place.at(index).at("block_id").say("`block_id` already exists")
        seen.add(str(block_id))


def _nested(tree: Any, place: Place) -> Iterator[tuple[Json, Place]]:
    if isinstance(tree, dict):
        yield tree, place
        for name, value in tree.items():
            yield from _nested(value, place.at(name))
    elif isinstance(tree, list):
        for index, value in enumerate(tree):
            yield from _nested(value, place.at(index))


def _repeated_action_ids(blocks: list[Json], _surface: Surface, place: Place) -> None:
    for index, block in enumerate(blocks):
        _within(block, place.at(index), set())


def _within(tree: Any, place: Place, seen: set[str]) -> None:
    """An action id is to be unique within the innermost block."""
    if isinstance(tree, list):
        for index, value in enumerate(tree):
            _within(value, place.at(index), seen)
    elif isinstance(tree, dict):
        action_id = tree.get("action_id")
        if action_id in seen:
            place.at("action_id").say("`action_id` already exists in this block")
        seen |= {action_id} if isinstance(action_id, str) else set()
        for name, value in tree.items():
            if name == "child_blocks" or (name == "elements" and tree["type"] == "carousel"):
                _repeated_action_ids(value, "message", place.at(name))
            else:
                _within(value, place.at(name), seen)


def _one_focus(blocks: list[Json], _surface: Surface, place: Place) -> None:
    focused = [where for node, where in _nested(blocks, place) if node.get("focus_on_load") is True]
    for where in focused[1:]:
        where.say("only one element may have focus_on_load")


def _one_table(blocks: list[Json], surface: Surface, place: Place) -> None:
    found = [where for node, where in _nested(blocks, place) if node.get("type") == "table"]
    if surface == "message":
        for where in found[1:]:
            where.say("only_one_table_allowed")


def _table_sizes(blocks: list[Json], _surface: Surface, place: Place) -> None:
    for kind, most in (("table", MOST_IN_TABLE), ("data_table", MOST_IN_DATA_TABLE)):
        of_kind = [block for block in blocks if block.get("type") == kind]
        if characters([block.get("rows") for block in of_kind]) > most:
            place.say(f"all cells of {kind} blocks must be less than {most + 1} characters")


def _markdown_size(blocks: list[Json], _surface: Surface, place: Place) -> None:
    if characters([block for block in blocks if block.get("type") == "markdown"]) > MOST_MARKDOWN:
        place.say(f"all markdown blocks must be less than {MOST_MARKDOWN + 1} characters")


def _files_in_modals(blocks: list[Json], surface: Surface, place: Place) -> None:
    for node, where in _nested(blocks, place):
        if node.get("type") == "file_input" and surface != "modal":
            where.say("file_input is only allowed in modals")
        if node.get("type") == "workflow_button" and surface != "message":
            where.say("workflow_button is only allowed in messages")


RULES: tuple[Rule, ...] = (
    _repeated_block_ids,
    _repeated_action_ids,
    _one_focus,
    _one_table,
    _table_sizes,
    _markdown_size,
    _files_in_modals,
)
