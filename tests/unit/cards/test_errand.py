"""What errands say: a sentence for each step and each way to fail that a script knows."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest

import bot.cluster
from bot.card import Bullets, Paragraph, plain
from bot.cards.errand import errand_card, notice
from bot.cards.errand_steps import SAYINGS
from bot.cards.errand_troubles import TROUBLES, trouble
from bot.cards.images import images_card
from bot.cluster.images import Condition, Image
from bot.errand import ErrandStage, Growth, Step, StepState
from bot.words import storage
from tests.payloads.values import NOW, errand_of
from tests.unit.cards.saying import says

SCRIPTS = {
    name: (Path(bot.cluster.__file__).parent / "remote" / name).read_text()
    for name in ("errand_git.sh", "image_pull.sh", "nemo_setup.sh", "nemo_rl_setup.sh")
}
CODES = {code for text in SCRIPTS.values() for code in re.findall(r"\bfail ([a-z-]+)", text)}
STEPS = {
    name
    for text in SCRIPTS.values()
    for name in re.findall(r"(?m)^(?:step|sb_checkout_step) ([a-z-]+)", text)
}


def test_the_scripts_are_read() -> None:
    """So that the tests below say something."""
    assert {"ask", "room", "clone", "pip", "submodules"} <= CODES
    assert {"source", "copy", "venv", "recipes", "nemo-rl"} <= STEPS


@pytest.mark.parametrize("code", sorted({*CODES, "squashfs", "dead", "no-room", "flock"}))
def test_each_code_has_a_sentence(code: str) -> None:
    """Whatever the output, also none."""
    sentence, _ = trouble(code, "/home/alice/x.sqsh", "")
    assert "It failed" not in sentence
    assert sentence.endswith(".")
    assert "{" not in sentence


def test_no_sentence_is_for_a_code_that_nobody_gives() -> None:
    """It would only look like one."""
    given = {*CODES, "squashfs", "truncated", "dead", "no-room", "flock", "setsid"}
    assert {code for one in TROUBLES for code in one.codes} <= given


@pytest.mark.parametrize("name", sorted(STEPS))
def test_each_step_has_its_words(name: str) -> None:
    """A person never reads the script's own name of it."""
    assert name in SAYINGS


@pytest.mark.parametrize(
    ("code", "output", "says_so", "remedy"),
    [
        (
            "ask",
            "You do not currently have an active account selected.",
            "no account",
            "auth login",
        ),
        ("copy", "does not have storage.objects.get access", "may not read", "Storage Object"),
        (
            "ask",
            "The following URLs matched no objects or files:\n-gs://b/o",
            "There is no",
            "list",
        ),
        ("ask", "gs://b not found: 404.", "There is no", "region"),
        (
            "ask",
            "HTTPError 403: Request is prohibited by organization's policy. vpcServiceControls…: x",
            "policy forbids",
            "VPC",
        ),
        ("copy", "cp: error writing 'x': No space left on device", "disk", "Free some"),
        ("copy", "cp: error writing 'x': Disk quota exceeded", "disk", "Free some"),
        (
            "clone",
            "fatal: could not read Username for 'https://h': terminal prompts disabled",
            "no credentials",
            "https://www.googlesource.com/new-password",
        ),
        ("fetch", "fatal: Authentication failed for 'https://h'", "no credentials", "new-password"),
        ("clone", "fatal: unable to access: Could not resolve host: h", "network", "repo"),
        ("clone", "fatal: repository 'https://h/x/' not found", "no git repository", "repo"),
        ("pip", "ERROR: No matching distribution found for nemo", "pip finds no", "pip_options"),
        ("pip", "error: command 'gcc' failed", "could not install", ""),
    ],
)
def test_an_output_that_is_known_says_what_to_do(
    code: str, output: str, says_so: str, remedy: str
) -> None:
    """The texts are those that the programs print."""
    sentence, what = trouble(code, "gs://b/o", output)
    assert says_so in sentence
    assert remedy in what


def test_numbers_of_bytes_are_told_in_words() -> None:
    """A tired person counts no digits."""
    assert "1.5 GB free, 17 GB needed" in trouble("room", "1500000000 17000000000", "")[0]
    assert "1 kB instead of 2 kB" in trouble("size", "1000 2000", "")[0]


def test_a_copy_shows_how_far_it_is_and_how_long_it_takes() -> None:
    """On the line of its step."""
    growth = Growth(size=3_600_000_000, total=7_200_000_000, left=130.0)
    said = says(errand_card(errand_of("x", growth=growth)))
    assert "▰▰▰▰▰▰▱▱▱▱▱▱ 3.6 GB of 7.2 GB, about 2 min 10 s left" in said


def test_what_was_left_alone_is_said_with_its_reason() -> None:
    """And the commit it is at."""
    step = Step(
        name="recipes", state=StepState.KEPT, began=NOW, ended=NOW, said="dirty", detail="2"
    )
    made = errand_of("x", steps=(step,), facts=(("recipes", "abc of 2026"),), ended=NOW)
    said = says(errand_card(made.model_copy(update={"stage": ErrandStage.DONE})))
    assert "Recipes at abc of 2026; left as it is: 2 changed files not committed" in said


def test_a_step_that_was_cut_off_is_not_told_as_running() -> None:
    """The errand is over."""
    made = errand_of("x", stage=ErrandStage.STOPPED, ended=NOW + timedelta(seconds=5))
    assert "✗ Copying" in says(errand_card(made))


def test_steps_stand_on_lines_of_their_own_behind_one_sign_each() -> None:
    """A sign is no bullet's neighbour."""
    card = errand_card(errand_of("x", stage=ErrandStage.RUNNING))
    assert not [part for part in card.parts if isinstance(part, Bullets)]
    lines = plain(next(part.text for part in card.parts if isinstance(part, Paragraph))).split("\n")
    assert [line[0] for line in lines] == ["✓", "✓", "–", "…"]


@pytest.mark.parametrize(
    ("stage", "took", "told"),
    [
        (ErrandStage.DONE, 720, "@U0RESEARCH1 Set up: done after 12 min."),
        (ErrandStage.FAILED, 720, "@U0RESEARCH1 Set up: There is no branch, tag or commit x."),
        (ErrandStage.STOPPED, 720, ""),
        (ErrandStage.RUNNING, None, ""),
        (ErrandStage.DONE, 20, ""),
    ],
)
def test_who_waited_long_is_told_of_the_end(
    stage: ErrandStage, took: int | None, told: str
) -> None:
    """An edited message notifies nobody."""
    step = Step(name="x", state=StepState.FAILED, began=NOW, said="ref", detail="x")
    made = errand_of(
        "x",
        stage=stage,
        title="Set up",
        steps=(step,),
        failure="ref",
        created=NOW,
        ended=NOW + timedelta(seconds=took) if took else None,
    )
    card = notice(made)
    assert (plain(card.lead) if card else "") == told


def test_a_list_of_images_says_what_is_missing_and_what_is_broken() -> None:
    """With what to type."""
    found = (
        Image("/i/a.sqsh", 7_000_000_000, NOW, Condition.WHOLE),
        Image("/i/b.sqsh", 100, NOW, Condition.TRUNCATED),
    )
    card = images_card("alice", found, {"/nemo run": "/i/b.sqsh"}, ("/i",))
    said = says(card)
    assert plain(card.lead) == "2 images on alice, 1 of them not whole."
    assert "/i/b.sqsh. /nemo image pull nemo copies one" in said
    assert "/i/a.sqsh: whole; 7 GB, of 2026-03-02." in said
    assert "/i/b.sqsh: half-written; 100 bytes, of 2026-03-02. /nemo run takes it when" in said


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1500, "1.5 kB"),
        (25_165_824, "25 MB"),
        (10**18, "1,000 PB"),
    ],
)
def test_sizes_are_told_as_people_do(size: int, words: str) -> None:
    """Two digits are enough."""
    assert storage(size) == words
