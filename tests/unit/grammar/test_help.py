"""Help, made from the models."""

from __future__ import annotations

import pytest

from bot.card import Card, Table, plain
from bot.errors import InputRefused
from bot.grammar import Help, help_card, parse, usage
from bot.grammar.commands import COMMANDS, Command
from bot.options import typed_fields
from bot.workloads import WORKLOADS


@pytest.mark.parametrize(
    ("command", "text", "wish"),
    [
        ("/slurm", "", Help("slurm")),
        ("/slurm", "  \n ", Help("slurm")),
        ("/slurm", "help", Help("slurm")),
        ("/slurm", "HELP", Help("slurm")),
        ("/slurm", "-h", Help("slurm")),
        ("/slurm", "—help", Help("slurm")),
        ("/slurm", "help logs", Help("slurm logs")),
        ("/slurm", "help /nemo run", Help("nemo run")),
        ("/slurm", "help run", Help("nemo run")),
        ("/slurm", "help frobnicate", Help("slurm", unknown="frobnicate")),
        ("/nemo", "", Help("nemo")),
        ("/nemo-rl", "", Help("nemo-rl")),
        ("/nemo-rl", "help", Help("nemo-rl")),
        ("", "<@U1>", Help()),
        ("", "<@U1> help", Help()),
        ("", "nemo", Help("nemo")),
        ("/slurm", "logs 75 --help", Help("slurm logs")),
        ("/slurm", "submit a.sh -H -h", Help("slurm submit")),
    ],
)
def test_help_is_always_answered(command: str, text: str, wish: Help) -> None:
    assert parse(command, text) == wish


def test_a_scripts_own_help_option_is_the_scripts() -> None:
    assert not isinstance(parse("/slurm", "submit a.sh -- --help"), Help)


def _words(card: Card) -> str:
    return card.model_dump_json()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_a_page_shows_usage_and_every_option(command: Command) -> None:
    said = _words(help_card(Help(command.name)))
    for _, option in typed_fields(command.model):
        if option.help:
            assert option.metavar in said
            assert all(flag in said for flag in option.flags)
    assert command.summary in said


@pytest.mark.parametrize("group", ["nemo", "slurm"])
def test_a_groups_page_lists_its_subcommands_and_no_others(group: str) -> None:
    table = next(part for part in help_card(Help(group)).parts if isinstance(part, Table))
    names = {row[0] for row in table.rows}
    assert names == {f"/{c.name}" for c in COMMANDS if c.group == group}


def test_help_on_something_unknown_says_so_and_shows_what_there_is() -> None:
    card = help_card(Help("slurm", unknown="frobnicate"))
    assert "no help on frobnicate" in plain(card.lead)
    assert "/slurm logs" in _words(card)


def test_usage_is_one_line_with_words_before_options() -> None:
    by_name = {command.name: command for command in COMMANDS}
    assert usage(by_name["slurm logs"]) == (
        "/slurm logs [JOB] [training|slurm|launcher|driver|head|worker] [N] [-n N] [--grep RE]"
        " [--attempt N] [--cluster NAME]"
    )
    assert usage(by_name["slurm submit"]) == "/slurm submit SCRIPT [options] [-- ARGS]"


def test_what_only_the_documentation_needs_is_not_shown() -> None:
    by_name = {command.name: command for command in COMMANDS}
    assert "-e" not in usage(by_name["nemo run"]).split()


def test_the_help_lists_every_launch_once() -> None:
    """Each workload is a subcommand."""
    names = [command.name for command in COMMANDS]
    assert len({*names}) == len(names)
    assert {*WORKLOADS} <= {*names}


def test_a_mention_that_is_no_command_is_answered_shortly() -> None:
    """Not with every command there is."""
    with pytest.raises(InputRefused) as refused:
        parse("", "<@U1> qwxz happened?")
    assert refused.value.errors[0].hint == "Type `help` for all there is"
