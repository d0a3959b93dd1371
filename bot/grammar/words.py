"""What was typed → words, without the disguises that Slack and keyboards put on."""

from __future__ import annotations

import re
import shlex
import unicodedata

from bot.errors import FieldError, InputRefused

LONGEST = 3000
"""Characters of one command."""

_QUOTES = str.maketrans(dict.fromkeys("“”„‟″«»", '"') | dict.fromkeys("‘’‚‛′", "'"))
_HYPHENS = str.maketrans(dict.fromkeys("\u2010\u2011\u2212\ufe63\uff0d", "-"))
_SPACES = re.compile("[\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_UNSEEN = re.compile("[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_MARKUP = re.compile(
    r"<(?P<sign>[@#!])(?P<id>[^<>|\n]{1,200})(?:\|(?P<name>[^<>\n]{0,500}))?>"
    r"|<(?P<url>(?:https?|mailto|tel|ftp):[^<>|\n]{1,2000})(?:\|(?P<label>[^<>\n]{1,2000}))?>"
)
_CODE = re.compile(r"(?s)\A\s*(?:```([^`]*)```|`([^`]*)`)\s*\Z")
_ENTITY = re.compile("&(amp|lt|gt);")
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">"}
_CONTINUED = re.compile(r" *\\ *\n *| +\\ +")
_DASHED = re.compile(r"(?<!\S)-*[‒–—―][-‒–—―]*(?P<name>[^\s=]*)")
_ONE_LETTER = re.compile(r"[A-Za-z]?[0-9]*")
_PLACES = {
    "region": "Type `us`, `europe` or `asia` in its place; `/nemo image pull nemo` and"
    " `/nemo image pull nemo-rl` know the cluster's own",
    "num_nodes": "Type how many nodes in its place, such as `-N 2`",
    "job_id": "Type the job's number in its place; `/slurm jobs` lists yours",
}
"""What the documentation's placeholders stand for."""
_QUOTED = re.compile(r"""\\.|'[^']*'|"(?:\\.|[^"\\])*\"""")
_PLACEHOLDER = re.compile(r"<([A-Za-z][A-Za-z0-9_ -]{0,40})>")
_SIGN = re.compile(r"\$\(|[`;|&<>]")


def normalise(text: str) -> str:
    """Return the text as it was meant: quotes, dashes, spaces, Slack's links and entities."""
    text = as_seen(_CODE.sub(r"\1\2", text.replace("\r\n", "\n")))
    text = _UNSEEN.sub("", _SPACES.sub(" ", text)).translate(_QUOTES).translate(_HYPHENS)
    text = _DASHED.sub(_dashes, _CONTINUED.sub(" ", text))
    return re.sub("[—―]", "--", re.sub("[‒–]", "-", text)).strip()


def as_seen(text: str) -> str:
    """Return the text as its person sees it in Slack: links, mentions and entities undone."""
    plain = _MARKUP.sub(_label, text)
    return _ENTITY.sub(lambda found: _ENTITIES[found.group(1)], plain)


def _label(found: re.Match[str]) -> str:
    """Return what the person saw: `<http://run.py|run.py>` → `run.py`, `<!here>` → `@here`."""
    if found["url"]:
        return found["label"] or found["url"]
    name = found["name"] or found["id"]
    sign = "#" if found["sign"] == "#" else "@"
    return name if name.startswith(sign) else f"{sign}{name}"


def _dashes(found: re.Match[str]) -> str:
    name = found["name"]
    return ("-" if name and _ONE_LETTER.fullmatch(name) else "--") + name


def refuse(message: str, hint: str = "", field: str = "command") -> InputRefused:
    """Return the refusal of the command as a whole."""
    return InputRefused((FieldError(field, message, hint),))


def split(text: str) -> tuple[str, ...]:
    """Return the words of normalised text; raises InputRefused for what only a shell would take."""
    _check_characters(text)
    bare = _QUOTED.sub(_live, text)
    if place := _PLACEHOLDER.search(bare):
        raise refuse(
            f"`<{place[1]}>` stands for something of yours",
            _PLACES.get(place[1].lower(), "Type that in its place, without the brackets"),
        )
    if signs := sorted(set(_SIGN.findall(bare))):
        named = " ".join(f"“{sign}”" for sign in signs)
        raise refuse(
            f"There is no shell here, so {named} cannot be used",
            "Type one command; put quotes around text that holds such a character",
        )
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise refuse(
            "A quotation mark or a backslash at the end is left open",
            "Close the quotes, or put quotes of the other kind around it",
        ) from error


def _live(quoted: re.Match[str]) -> str:
    """Return those signs that a shell obeys even in quotes."""
    text = quoted.group()
    return "".join(re.findall(r"\$\(|`", text)) if text.startswith('"') else ""


def _check_characters(text: str) -> None:
    if "\n" in text:
        raise refuse(
            "There is more than one line",
            "One command at a time; a line that goes on ends with a backslash",
        )
    for character in text:
        if unicodedata.category(character) in {"Cc", "Cs", "Cn"}:
            raise refuse(
                f"There is a character in it that cannot be typed: U+{ord(character):04X}",
                "Type the command afresh instead of pasting it",
            )
