"""Blocks: what is sound is taken, what breaks a rule is refused with the place and the reason."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from slack_sdk.models.blocks import Block

from bot.demo.slack.errors import SlackError
from bot.demo.slack.validate import content, view
from bot.demo.slack.validate.blocks import BLOCK_TYPES
from tests.local_slack.refused_blocks import SINGLE, TOGETHER, VIEWS
from tests.local_slack.refused_elements import ELEMENTS
from tests.local_slack.samples import BLOCKS, Json, actions, home, modal, plain, section

IN_MESSAGES = [one.name for one in BLOCK_TYPES if "message" in one.surfaces]


def problems(blocks: list[Json]) -> list[str]:
    """What a message with these blocks is refused for."""
    with pytest.raises(SlackError) as refused:
        content.blocks(blocks, total=True)
    assert refused.value.code == "invalid_blocks"
    found: list[str] = refused.value.details["errors"]
    metadata = refused.value.details["response_metadata"]
    assert metadata == {"messages": [f"[ERROR] {one}" for one in found]}
    return found


def view_problems(tree: Json, surface: Any = "modal") -> list[str]:
    """What a view is refused for."""
    with pytest.raises(SlackError) as refused:
        view.checked(tree, surface)
    assert refused.value.code == "invalid_arguments"
    found: list[str] = refused.value.details["response_metadata"]["messages"]
    return found


def test_every_known_block_type_has_an_example() -> None:
    """The catalogue and the samples name the same twenty types."""
    assert {one.name for one in BLOCK_TYPES} == set(BLOCKS)
    assert len(BLOCKS) == 20


@pytest.mark.parametrize("name", IN_MESSAGES)
def test_a_sound_block_is_taken_in_a_message(name: str) -> None:
    """Each example passes and comes back with a block id."""
    (done,) = content.blocks([BLOCKS[name]], total=True) or []
    assert done["block_id"]


@pytest.mark.parametrize("name", sorted(set(BLOCKS) - {"data_table"}))
def test_slack_s_own_models_know_the_examples(name: str) -> None:
    """The samples are not only our own idea of a block."""
    parsed = Block.parse(copy.deepcopy(BLOCKS[name]))
    assert parsed is not None
    assert parsed.to_dict()["type"] == name


@pytest.mark.parametrize("kind", BLOCK_TYPES, ids=lambda one: one.name)
@pytest.mark.parametrize("surface", ["message", "modal", "home"])
def test_a_block_is_refused_where_it_is_not_shown(kind: Any, surface: Any) -> None:
    """`alert` in a message, `table` in a modal …"""
    block = BLOCKS[kind.name]
    if surface in kind.surfaces:
        if surface == "message":
            assert content.blocks([block], total=True)
        else:
            assert view.checked(modal(block) if surface == "modal" else home(block), surface)
        return
    found = (
        problems([block])
        if surface == "message"
        else view_problems(modal(block) if surface == "modal" else home(block), surface)
    )
    assert f"unsupported type: {kind.name}" in found[0]
    assert "blocks/0/type]" in found[0]


@pytest.mark.parametrize("name", IN_MESSAGES)
def test_an_unknown_key_is_refused(name: str) -> None:
    """Slack refuses what it does not know."""
    (found,) = problems([{**BLOCKS[name], "colour": "red"}])
    assert found == "invalid additional property: colour [json-pointer:/blocks/0]"


REQUIRED = [
    (kind.name, key)
    for kind in BLOCK_TYPES
    if "message" in kind.surfaces
    for key in BLOCKS[kind.name]
    if kind.name not in {"section", "card"} and (kind.name, key) != ("plan", "tasks")
]


@pytest.mark.parametrize(("name", "key"), REQUIRED)
def test_a_required_field_must_be_there(name: str, key: str) -> None:
    """The samples hold little more than what is required."""
    if (name, key) == ("input", "block_id"):
        return
    block = {other: value for other, value in BLOCKS[name].items() if other != key}
    found = problems([block])
    assert any(key in one for one in found)


CASES = [
    *(
        (name, [actions(element)], f"/blocks/0/elements/0{at}", why)
        for name, element, at, why in ELEMENTS
    ),
    *((name, [block], f"/blocks/0{at}", why) for name, block, at, why in SINGLE),
    *TOGETHER,
]


@pytest.mark.parametrize(("_name", "blocks", "at", "why"), CASES, ids=[one[0] for one in CASES])
def test_a_block_that_breaks_a_rule_is_refused(
    _name: str, blocks: list[Json], at: str, why: str
) -> None:
    """With Slack's pointer to the place."""
    assert f"{why} [json-pointer:{at}]" in problems(blocks)


def test_blocks_come_back_completed() -> None:
    """Ids and flags that the app left out are filled in, the app's own stay."""
    sent = [section("x", block_id="mine", accessory={"type": "button", "text": plain("Go")})]
    (done,) = content.blocks(sent, total=True) or []
    assert done["block_id"] == "mine"
    assert done["accessory"]["action_id"]
    assert done["accessory"]["text"]["emoji"] is True
    assert done["text"]["verbatim"] is False
    assert "verbatim" not in sent[0]["text"]


def test_a_markdown_block_keeps_no_id() -> None:
    """Slack ignores the app's."""
    (done,) = (
        content.blocks([{"type": "markdown", "text": "x", "block_id": "mine"}], total=True) or []
    )
    assert done["block_id"] != "mine"


@pytest.mark.parametrize("total", [True, False])
def test_all_blocks_together_hold_twelve_thousand_characters(total: bool) -> None:
    """The limit is on the message, and a response URL has none."""
    blocks = [section("x" * 3000) for _ in range(4)]
    assert content.blocks(blocks, total=total)
    blocks.append(section("x"))
    if total:
        with pytest.raises(SlackError, match="msg_blocks_too_long"):
            content.blocks(blocks, total=True)
    else:
        assert content.blocks(blocks, total=False)


@pytest.mark.parametrize(("_name", "tree", "at", "why"), VIEWS, ids=[one[0] for one in VIEWS])
def test_a_view_that_breaks_a_rule_is_refused(_name: str, tree: Json, at: str, why: str) -> None:
    """With the reasons under response_metadata."""
    assert f"[ERROR] {why} [json-pointer:/view{at}]" in view_problems(tree)


def test_home_has_no_title() -> None:
    """Only modals do."""
    found = view_problems({**home(section()), "title": plain("x")}, "home")
    assert found == ["[ERROR] invalid additional property: title [json-pointer:/view]"]


def test_blocks_in_attachments_are_checked_too() -> None:
    """The pointer names the attachment."""
    with pytest.raises(SlackError) as refused:
        content.attachments([{"blocks": [section("")]}])
    assert refused.value.code == "invalid_attachments"
    (reason,) = refused.value.details["errors"]
    assert reason.endswith("[json-pointer:/attachments/0/blocks/0/text/text]")
