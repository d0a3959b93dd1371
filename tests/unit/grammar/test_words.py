"""The disguises of Slack and keyboards."""

from __future__ import annotations

import pytest

from bot.errors import InputRefused
from bot.grammar.words import normalise, split


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("“a b” ‘c’", "\"a b\" 'c'"),
        ("—nodes 2", "--nodes 2"),
        ("–nodes 2", "--nodes 2"),
        ("—n 2", "-n 2"),
        ("–n 2", "-n 2"),
        ("–n2", "-n2"),
        ("-–nodes=2", "--nodes=2"),
        ("a — b", "a -- b"),
        ("hcc–a3m hcc\u2011a3m \u2212n 2", "hcc-a3m hcc-a3m -n 2"),
        ("a\u00a0b\u202fc\u3000d", "a b c d"),
        ("a\u200bb\ufeffc\u2060d", "abcd"),
        ("\u200flogs \u202e75\u202c\u2066\u2069", "logs 75"),
        ("<http://run.py|run.py> <https://x.org/a>", "run.py https://x.org/a"),
        ("<mailto:a@b.c|a@b.c>", "a@b.c"),
        (
            "<@U123|ana> <@U123> <#C1|general> <!channel> <!subteam^S1|@team>",
            "@ana @U123 #general @channel @team",
        ),
        ("a &lt;b&gt; &amp;lt;", "a <b> &lt;"),
        ("-s x \\\n  -n 2 \\\r\n -p a", "-s x -n 2 -p a"),
        ("-s x \\ -n 2", "-s x -n 2"),
        ("`logs 75`", "logs 75"),
        ("```\nlogs 75\n```", "logs 75"),
        ("`a` `b`", "`a` `b`"),
    ],
)
def test_what_was_typed_becomes_what_was_meant(typed: str, meant: str) -> None:
    assert normalise(typed) == meant


def test_normalising_twice_changes_no_more_than_once() -> None:
    """All but entities: those must be taken off exactly once."""
    text = "—n 2 “x y” <http://run.py|run.py>\u00a0\\\n a"
    assert normalise(normalise(text)) == normalise(text)


def test_words_are_split_as_by_a_shell() -> None:
    assert split("logs 75 --grep 'a|b; c' \"d & e\" f\\;g") == (
        "logs",
        "75",
        "--grep",
        "a|b; c",
        "d & e",
        "f;g",
    )


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("run x;rm -rf /", ";"),
        ("run x && ls", "&"),
        ("run `id`", "`"),
        ('run "`id`"', "`"),
        ("run $(id)", "$("),
        ('run "$(id)"', "$("),
        ("logs 75 | tail", "|"),
        ("run x > /etc/passwd", ">"),
        ("run x < y", "<"),
    ],
)
def test_what_only_a_shell_would_take_is_refused_by_name(text: str, sign: str) -> None:
    with pytest.raises(InputRefused) as refusal:
        split(text)
    assert f"“{sign}”" in refusal.value.errors[0].message
    assert "no shell" in refusal.value.errors[0].message


@pytest.mark.parametrize("text", ["a 'b", 'a "b', "a\\", "don't"])
def test_an_open_quotation_mark_is_said(text: str) -> None:
    with pytest.raises(InputRefused, match="left open"):
        split(text)


@pytest.mark.parametrize("text", ["a\x00b", "a\x1b[31mb", "a\x07", "a\ud800b"])
def test_control_characters_are_refused(text: str) -> None:
    with pytest.raises(InputRefused, match=r"U\+"):
        split(text)


def test_a_second_line_is_refused() -> None:
    with pytest.raises(InputRefused, match="more than one line"):
        split("logs 75\nlogs 76")
