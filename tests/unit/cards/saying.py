"""What a card says and offers, without its looks."""

from __future__ import annotations

from bot.card import Bullets, Card, Excerpt, Paragraph, Part, Table, Text, plain


def facts(card: Card) -> dict[str, str]:
    """Its facts."""
    return {fact.label: plain(fact.value) for fact in card.facts}


def small_print(card: Card) -> str:
    """Its small print, one line below the other."""
    return "\n".join(map(plain, card.foot))


def offers(card: Card) -> list[str]:
    """The actions of its buttons, in order."""
    return [button.action for button in card.buttons]


def says(card: Card) -> str:
    """Every word of it but those on controls."""
    labelled = [f"{fact.label} {plain(fact.value)}" for fact in card.facts]
    texts = [card.title, plain(card.lead), *labelled, *map(_part, card.parts)]
    return "\n".join([*texts, small_print(card)])


def _part(part: Part) -> str:
    match part:
        case Paragraph(text=text):
            return plain(text)
        case Excerpt(caption=caption, text=lines):
            return f"{plain(caption)}\n{lines}"
        case Bullets(items=items):
            return _lines(items)
        case Table(head=head, rows=rows):
            return "\n".join(" ".join(row) for row in (head, *rows))


def _lines(items: tuple[Text, ...]) -> str:
    return "\n".join(map(plain, items))
